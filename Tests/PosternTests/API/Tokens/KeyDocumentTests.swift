import Project
import TestKit
import Testing

@Suite("Documents with public keys", .teardown, .timeLimit(.minutes(15)))
struct KeyDocumentTests {
    private static let account = "securetoken@system.gserviceaccount.com"
    private static let sets = [
        "/service_accounts/v1/jwk/", "/service_accounts/v1/metadata/jwk/", "/robot/v1/metadata/jwk/",
    ]
    private static let maps = ["/robot/v1/metadata/x509/", "/service_accounts/v1/metadata/x509/"]
    private static let cookieMaps = ["/identitytoolkit/v3/relyingparty/publicKeys", "/v1/publicKeys"]
    private static let cookieSets = ["/v1/sessionCookiePublicKeys"]

    @Test("are at every address that Google has for them, with and without the host, for anybody")
    func places() async throws {
        let server = try await TestServer.start()
        let session = try server.session(try await server.call("signUp", [:]))
        let kid = try #require(try header(session)["kid"]?.string)
        let set = try await server.client.get("/.well-known/jwks.json").json
        for host in ["", "/www.googleapis.com"] {
            for path in Self.sets {
                for account in [Self.account, Self.account.replacing("@", with: "%40")] {
                    #expect(try await server.client.get(host + path + account).json == set, "\(host)\(path)\(account)")
                }
            }
            for path in Self.maps.map({ $0 + Self.account }) + ["/oauth2/v1/certs"] {
                let certificate = try await server.client.get(host + path)[kid]?.string
                #expect(certificate?.hasPrefix("-----BEGIN CERTIFICATE-----") == true, "\(host)\(path)")
            }
        }
        for host in ["", "/identitytoolkit.googleapis.com"] {
            for path in Self.cookieSets {
                let keys = try await server.client.get(host + path)["keys"]?.array ?? []
                #expect(keys.contains { $0["kid"]?.string == kid }, "\(host)\(path)")
            }
        }
    }

    @Test("may be cached for more than an hour and no longer than two, and say so in both headers")
    func caching() async throws {
        let server = try await TestServer.start()
        let places =
            (Self.sets + Self.maps).map { $0 + Self.account } + Self.cookieMaps + Self.cookieSets + [
                "/oauth2/v1/certs", "/.well-known/jwks.json", "/.well-known/openid-configuration",
            ]
        for path in places {
            let answer = try await server.client.get(path)
            let caching = try #require(answer.header("Cache-Control"), "\(path)")
            let age = try #require(caching.firstMatch(of: /^public, max-age=(\d+), must-revalidate$/)).1
            let seconds = try #require(Int64(age))
            #expect(seconds > 3600 && seconds <= 7200, "\(path)")
            let end = server.clock.now.advanced(by: .seconds(seconds)).internetDate(zone: "GMT")
            #expect(answer.header("Expires") == end, "\(path)")
        }
    }
}
