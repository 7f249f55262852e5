import Foundation
import Project
import Testing

@Suite("Timestamps")
struct TimestampTests {
    @Test(
        "are written in RFC 3339 with milliseconds",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_704_164_645_678, "2024-01-02T03:04:05.678Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"), (4_102_444_800_000, "2100-01-01T00:00:00.000Z"),
        ] as [(Int64, String)]
    )
    func rfc3339(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).rfc3339 == text)
    }

    @Test("agree with the system's calendar over four centuries")
    func calendar() {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        for day in stride(from: Int64(-60_000), through: 90_000, by: 37) {
            let time = Timestamp(milliseconds: day * 86_400_000 + 12_345_678)
            #expect(time.rfc3339 == formatter.string(from: Date(timeIntervalSince1970: Double(time.milliseconds) / 1000)))
        }
    }

    @Test("round seconds down, before the epoch too")
    func seconds() {
        #expect(Timestamp(milliseconds: 1999).seconds == 1)
        #expect(Timestamp(milliseconds: -1).seconds == -1)
        #expect(Timestamp(seconds: 5).advanced(by: .milliseconds(1500)).milliseconds == 6500)
        #expect(Timestamp(seconds: 5).advanced(by: .zero - .seconds(7)).milliseconds == -2000)
    }
}

@Suite("Identifiers")
struct IdentifierTests {
    @Test("are the same when their bytes are, which canonical equivalence is not")
    func bytes() {
        #expect("\u{212A}" == "K")
        #expect(!bytesEqual("\u{212A}", "K"))
        #expect(!bytesEqual("e\u{301}", "\u{E9}"))
        #expect(bytesEqual("K", "K"))
        #expect(!bytesEqual("K", nil))
        #expect(!bytesEqual(nil, nil))
        #expect(["a", "K"].containsBytes(of: "K"))
        #expect(!["a", "K"].containsBytes(of: "\u{212A}"))
        #expect(!["a", "K"].containsBytes(of: nil))
    }
}

@Suite("Base64URL")
struct Base64URLTests {
    @Test("gives back what it was given, for every length")
    func roundTrip() {
        for length in 0..<70 {
            let bytes = (0..<length).map { UInt8(($0 * 37 + length) & 255) }
            #expect(Base64URL.decode(Base64URL.encode(bytes).utf8) == bytes)
        }
    }

    @Test("is what Foundation's Base64 is, in the other alphabet and without padding")
    func standard() {
        for length in 0..<70 {
            let bytes = (0..<length).map { UInt8(($0 * 151 + length * 7) & 255) }
            let expected = Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            #expect(Base64URL.encode(bytes) == String(expected.prefix { $0 != "=" }))
        }
    }

    @Test("refuses every byte that is not of the alphabet, wherever it stands")
    func alphabet() {
        let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        for byte in UInt8.min...UInt8.max {
            for place in 0..<7 {
                var text = Array("AAAAAAA".utf8)
                text[place] = byte
                #expect((Base64URL.decodeLeniently(text) != nil) == alphabet.contains(byte))
            }
        }
    }

    @Test("leniently ignores stray bits and a last character that stands alone, as JavaScript does")
    func lenient() {
        #expect(Base64URL.decodeLeniently("YR".utf8) == Array("a".utf8))
        #expect(Base64URL.decodeLeniently("YWJjY".utf8) == Array("abc".utf8))
    }

    @Test(
        "has one spelling only: no padding, white space, other alphabet or stray bits",
        arguments: ["YQ==", "YQ=", "Y Q", "YQ\n", "a+b/", "YR", "YWJ", "A", "YWI=", "é"]
    )
    func strict(text: String) {
        #expect(Base64URL.decode(text.utf8) == nil)
    }
}

@Suite("E-mail addresses")
struct EmailAddressTests {
    @Test("are lower-cased", arguments: [("Ada@Example.COM", "ada@example.com"), ("a.b+c@x-y.z", "a.b+c@x-y.z"), ("a@b", "a@b")])
    func canonical(text: String, expected: String) {
        #expect(EmailAddress.canonical(text) == expected)
    }

    @Test(
        "that are none, or more than one, or disguise themselves, are refused",
        arguments: [
            "", "a", "@", "a@", "@b", "a@b@c", "a b@c", "a@b,c@d", "a@x\nBcc:b@y", "Ada <a@b>", "\"a b\"@c", ".a@b", "a.@b",
            "a@-b", "a@b-", "a@b..c", "a@[127.0.0.1]", "a＠b.c", "\u{212A}@b.c", "ı@b.c", "a@bücher.de", "a\0@b",
            String(repeating: "a", count: 256) + "@b",
        ]
    )
    func refused(text: String) {
        #expect(EmailAddress.canonical(text) == nil)
        #expect(EmailAddress.canonical(text, mode: .production) == nil)
    }

    @Test("with two dots in a row, as carriers once gave them out, go on working, and are taken by nobody any more")
    func twoDots() {
        #expect(EmailAddress.canonical("A..b@c.de", mode: .production) == "a..b@c.de")
        #expect(EmailAddress.canonicalNew("A..b@c.de", mode: .production) == nil)
        #expect(EmailAddress.canonicalNew("A..b@c.de", mode: .development) == "a..b@c.de")
        #expect(EmailAddress.canonicalNew("A.b@c.de", mode: .production) == "a.b@c.de")
    }

    @Test("in development need one @ with something on both sides", arguments: ["A b@C", "a..b@c_d", "\"x\"@[127.0.0.1]", "ä@Ö"])
    func lenient(text: String) {
        #expect(EmailAddress.canonical(text, mode: .development) == text.lowercased())
    }

    @Test(
        "and nothing else is one there",
        arguments: ["", "a", "@", "a@", "@b", "a@b@c", String(repeating: "a", count: 256) + "@b"]
    )
    func refusedInDevelopment(text: String) {
        #expect(EmailAddress.canonical(text, mode: .development) == nil)
    }
}

@Suite("Network guard")
struct NetworkGuardTests {
    @Test(
        "keeps outgoing calls off addresses that are not public",
        arguments: [
            "127.0.0.1", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1",
            "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fc00::1", "fd12::1", "ff02::1", "::ffff:127.0.0.1",
            "::ffff:10.0.0.1", "::ffff:0:7f00:1", "64:ff9b::7f00:1", "64:ff9b:1::7f00:1", "2001:db8::1", "2002:7f00:1::",
            "3fff::1", "5f00::1",
        ]
    )
    func refused(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(!NetworkGuard(allowPrivateNetworks: false).allows(address))
        #expect(NetworkGuard(allowPrivateNetworks: true).allows(address))
    }

    @Test("lets public addresses through", arguments: ["8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "1.1.1.1"])
    func allowed(text: String) throws {
        #expect(NetworkGuard(allowPrivateNetworks: false).allows(try #require(IPAddress(text))))
    }

    @Test("allows https always, http on private networks, and nothing else")
    func schemes() {
        for allowsPrivate in [true, false] {
            let networkGuard = NetworkGuard(allowPrivateNetworks: allowsPrivate)
            #expect(networkGuard.allows(scheme: "HTTPS"))
            #expect(networkGuard.allows(scheme: "http") == allowsPrivate)
            for scheme in ["file", "gopher", "unix", "ftp", ""] { #expect(!networkGuard.allows(scheme: scheme)) }
        }
    }
}

@Suite("Random texts")
struct RandomTextTests {
    @Test("have the asked length, letters and digits only, and use all of them")
    func alphabet() {
        let environment = ServerEnvironment(
            now: { Timestamp(milliseconds: 0) },
            random: { count in (0..<count).map { _ in UInt8.random(in: .min ... .max) } },
            http: OutboundHTTP { _, _ in throw OutboundError.forbiddenURL }
        )
        let text = environment.randomText(length: 20_000)
        #expect(text.count == 20_000)
        #expect(Set(text).count == 62)
        #expect(text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
        #expect(environment.newLocalID().count == 28)
    }
}

@Suite("Secrets are compared")
struct ConstantTimeTests {
    @Test("by their bytes, whatever their lengths")
    func equality() {
        #expect(constantTimeEqual("secret", "secret"))
        for other in ["", "secre", "secret ", "Secret", "s\u{e9}cret"] { #expect(!constantTimeEqual("secret", other)) }
    }
}

@Suite("Phone numbers")
struct PhoneNumberTextTests {
    @Test(
        "show their last four digits only",
        arguments: [
            ("+15555550100", "+*******0100"), ("+1 555-555-0100", "+* ***-***-0100"), ("+123", "+123"), ("", ""),
        ]
    )
    func obfuscation(number: String, text: String) {
        #expect(PhoneNumberText.obfuscated(number) == text)
    }
}
