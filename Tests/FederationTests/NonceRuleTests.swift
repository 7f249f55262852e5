import Project
import Testing

@testable import Federation

@Suite("The nonce of an ID token")
struct NonceRuleTests {
    private static let hash = hexadecimal(sha256("raw".utf8))

    private func accepts(_ rule: NonceRule, _ claim: JSONValue, _ rawNonce: String?) -> Bool {
        (try? rule.check(claims: ["nonce": claim], rawNonce: rawNonce)) != nil
    }

    @Test("is needed in the request where the token has one, for all but Google (rulings 4 and 37)")
    func missing() {
        for claim: JSONValue in [.string(Self.hash), "raw"] {
            #expect(accepts(.google, claim, nil))
            #expect(!accepts(.hashOrExact, claim, nil))
            #expect(!accepts(.apple, claim, nil))
        }
        for rule in [NonceRule.google, .hashOrExact, .apple] {
            #expect(accepts(rule, .null, nil))
            #expect(accepts(rule, .string(Self.hash), "raw"))
            for claim: JSONValue in ["", 7, [], [:]] {
                #expect(!accepts(rule, claim, nil))
                #expect(!accepts(rule, claim, "raw"))
            }
            for other in ["", "other", Self.hash.uppercased()] { #expect(!accepts(rule, .string(Self.hash), other)) }
        }
        #expect(accepts(.google, "raw", "raw") && accepts(.hashOrExact, "raw", "raw") && !accepts(.apple, "raw", "raw"))
    }

    @Test("uses Google's token up only where an app shows it; any other token is used up in each case")
    func use() {
        for (origin, nonce, google) in [
            (IdPCredential.Origin.app, "raw", true), (.app, nil, false), (.browser, "raw", false), (.tokenEndpoint, "raw", false),
        ] as [(IdPCredential.Origin, String?, Bool)] {
            var credential = IdPCredential(providerID: "x", nonce: nonce)
            credential.idTokenOrigin = origin
            #expect(NonceRule.google.usesUpToken(of: credential) == google)
            #expect(NonceRule.apple.usesUpToken(of: credential) && NonceRule.hashOrExact.usesUpToken(of: credential))
        }
    }
}
