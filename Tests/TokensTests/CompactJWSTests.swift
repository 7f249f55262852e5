import Project
import TestKit
import Testing
import Tokens

@Suite("A compact token is taken apart")
struct CompactJWSTests {
    private func token(_ header: JSONValue, _ claims: JSONValue = ["sub": "x"]) -> String {
        TestKey.segments(header, claims) + ".AAAA"
    }

    @Test("into algorithm, key id, claims, signature, and the bytes that were signed")
    func parts() throws {
        let text = token(["alg": "RS256", "kid": "k"])
        let jws = try CompactJWS(text)
        #expect(jws.algorithm == "RS256")
        #expect(jws.keyID == "k")
        #expect(jws.type == nil)
        #expect(try CompactJWS(token(["alg": "RS256", "typ": "JWT"])).type == "JWT")
        #expect(jws.payload == ["sub": "x"])
        #expect(Array(jws.signature) == [0, 0, 0])
        #expect(String(decoding: jws.signingInput, as: UTF8.self) == String(text.dropLast(5)))
        #expect(try CompactJWS(token(["alg": "RS256"])).keyID == nil)
    }

    @Test("and is a plain JWT when its type is absent or says so, in any case and byte for byte")
    func type() throws {
        let plain: [JSONValue] = ["JWT", "jwt", "Jwt", "jWT"]
        for type in plain { #expect(try CompactJWS(token(["alg": "RS256", "typ": type])).isPlainJWT) }
        #expect(try CompactJWS(token(["alg": "RS256"])).isPlainJWT)
        for type in ["JOSE", "", "JW", "JWTT", " JWT", "application/jwt", "J\u{2c7}WT", "JW\u{FF34}", "\u{0}JWT"] as [JSONValue] {
            #expect(try !CompactJWS(token(["alg": "RS256", "typ": type])).isPlainJWT, "\(type)")
        }
        for type in ["at+jwt", "logout+JWT", "+jwt", 7, .null, ["JWT"], [:], true] as [JSONValue] {
            #expect(throws: CompactJWS.Malformed.wrongType) { try CompactJWS(token(["alg": "RS256", "typ": type])) }
        }
    }

    @Test("as JavaScript reads it where nothing is verified: stray bits count for nothing")
    func unverified() throws {
        // {"alg":"RS256"} and {"sub":"xy"}. Their last characters have unused bits.
        let (header, claims) = ("eyJhbGciOiJSUzI1NiJ9", "eyJzdWIiOiJ4eSJ9")
        let spare = Base64URL.encode(Array(#"{"sub":"x"}"#.utf8))
        #expect(spare.utf8.count % 4 == 3)
        let stray = spare.dropLast() + "1"
        #expect(Base64URL.decode(stray.utf8) == nil)
        for (text, subject) in [
            ("\(header).\(claims).AB", "xy"), ("\(header).\(claims).", "xy"), ("\(header).\(stray).AAAA", "x"),
            ("\(header).\(claims)A.AAAA", "xy"),
        ] { #expect(try CompactJWS(unverified: text).payload["sub"]?.string == subject, "\(text)") }
        for text in ["\(header).\(claims)=.AAAA", "\(header).\(claims)", "\(header).!.AAAA"] {
            #expect(throws: CompactJWS.Malformed.self) { try CompactJWS(unverified: text) }
        }
        #expect(throws: CompactJWS.Malformed.invalidEncoding) { try CompactJWS("\(header).\(stray).AAAA") }
        #expect(throws: CompactJWS.Malformed.invalidEncoding) { try CompactJWS("\(header).\(claims).AB") }
    }

    @Test("and refused when it is not one, in bounded time and space")
    func malformed() {
        let cases: [(String, CompactJWS.Malformed)] = [
            ("", .notThreeSegments), ("a.b", .notThreeSegments), ("a.b.c.d", .notThreeSegments),
            (String(repeating: ".", count: 60_000), .notThreeSegments), (String(repeating: "A", count: 1 << 20), .tooLong),
            ("..", .invalidEncoding), ("e30=.e30.", .invalidEncoding), ("e30.e3 0.", .invalidEncoding),
            (token([1, 2]), .invalidEncoding), (token(["alg": "RS256"], "text"), .invalidEncoding),
            (token([:]), .invalidHeader), (token(["alg": 7]), .invalidHeader),
            (token(["alg": "RS256", "kid": 7]), .invalidHeader),
            (token(["alg": "RS256", "kid": .string(String(repeating: "k", count: 513))]), .invalidHeader),
            (token(["alg": "RS256", "crit": []]), .unsupportedExtension),
            (token(["alg": "RS256", "b64": true]), .unsupportedExtension),
        ]
        for (text, expected) in cases {
            #expect(throws: expected) { try CompactJWS(text) }
        }
        let nested = String(repeating: "[", count: 40_000)
        #expect(throws: CompactJWS.Malformed.invalidEncoding) {
            try CompactJWS("\(Base64URL.encode(Array(nested.utf8))).e30.")
        }
    }
}
