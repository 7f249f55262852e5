import Project
import Testing

@testable import Passwords

@Suite("bcrypt")
struct BcryptTests {
    private static func record(_ text: String) -> StoredPassword? {
        StoredPassword(algorithm: .bcrypt, salt: [], hash: Array(text.utf8))
    }

    // From the self-test of crypt_blowfish, where libxcrypt's bcrypt comes from.
    @Test(
        "verifies public vectors",
        arguments: [
            ("U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
            ("U*U*", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK"),
            ("U*U*U", "$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a"),
            ("", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy"),
            (
                "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789chars after 72 are ignored",
                "$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui"
            ),
        ]
    )
    func vectors(password: String, text: String) throws {
        for variant in ["$2a$", "$2b$", "$2y$"] {
            let stored = try #require(Self.record(variant + text.dropFirst(4)))
            #expect(try stored.matches(Array(password.utf8)))
            #expect(try !stored.matches(Array(("x" + password).utf8)))
        }
    }

    @Test("does not look at spare bits at the end of the salt")
    func spareBits() throws {
        let stored = try #require(Self.record("$2a$05$CCCCCCCCCCCCCCCCCCCCC/E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"))
        #expect(try stored.matches(Array("U*U".utf8)))
    }

    @Test("takes a password with U+0000 as wrong, even where the part before it is right")
    func nul() throws {
        let stored = try #require(Self.record("$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"))
        #expect(try !stored.matches(Array("U*U\0".utf8)))
        #expect(try !stored.matches(Array("U*U\0U*U".utf8)))
    }

    @Test("verifies passwords of any length, looking at 72 bytes")
    func longPasswords() throws {
        let stored = try #require(Self.record("$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui"))
        let start = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        #expect(try stored.matches(Array((start + String(repeating: "y", count: 4000)).utf8)))
        #expect(try !stored.matches(Array(start.dropLast().utf8)))
    }

    @Test(
        "takes no text that is not bcrypt's, or that costs too much",
        arguments: [
            "", "password", "$2a$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
            "$2a$16$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
            "$2a$03$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
            "$2a$+5$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
            "$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
            "$6$$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
            "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOe",
            "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeWW",
            "$2a$05$CCCCCCCCCC\0CCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
            "$2a$05$CCCCCCCCCC:CCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        ]
    )
    func misfits(text: String) {
        #expect(Self.record(text) == nil)
    }
}
