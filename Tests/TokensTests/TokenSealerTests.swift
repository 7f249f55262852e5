import Foundation
import Project
import TestKit
import Testing
import Tokens

@Suite("Sealed values")
struct TokenSealerTests {
    private let clock = TestClock()
    private let scope = Scope(projectID: "p", tenantID: "t")

    private func sealer(_ byte: UInt8 = 1) throws -> TokenSealer {
        TokenSealer(masterKey: try MasterKey(bytes: Array(repeating: byte, count: 32)), environment: clock.environment())
    }

    @Test("open for their purpose and scope, until they expire")
    func roundTrip() throws {
        let sealer = try sealer()
        let expiry = clock.now.advanced(by: .seconds(10))
        let text = try sealer.seal(Data("secret".utf8), for: .pendingCredential, scope: scope, expiresAt: expiry)
        #expect(try sealer.open(text, for: .pendingCredential, scope: scope) == Data("secret".utf8))
        clock.advance(by: .milliseconds(9999))
        #expect(try sealer.open(text, for: .pendingCredential, scope: scope) == Data("secret".utf8))
        clock.advance(by: .milliseconds(1))
        #expect(throws: TokenSealer.CannotOpen.self) { try sealer.open(text, for: .pendingCredential, scope: scope) }
    }

    @Test("open for no other purpose, scope or key")
    func bindings() throws {
        let text = try sealer().seal(Data("secret".utf8), for: .signingKey, scope: scope)
        #expect(try sealer().open(text, for: .signingKey, scope: scope) == Data("secret".utf8))
        for other in [nil, scope.project, Scope(projectID: "p", tenantID: "u"), Scope(projectID: "q", tenantID: "t")] {
            #expect(throws: TokenSealer.CannotOpen.self) { try sealer().open(text, for: .signingKey, scope: other) }
        }
        for purpose in TokenSealer.Purpose.allCases where purpose != .signingKey {
            #expect(throws: TokenSealer.CannotOpen.self) { try sealer().open(text, for: purpose, scope: scope) }
        }
        #expect(throws: TokenSealer.CannotOpen.self) { try sealer(2).open(text, for: .signingKey, scope: scope) }
    }

    @Test("do not open when a single bit has changed, nor when they are none")
    func damage() throws {
        let sealer = try sealer()
        let text = try sealer.seal(Data("secret".utf8), for: .signingKey)
        let bytes = try #require(Base64URL.decode(text.utf8))
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(throws: TokenSealer.CannotOpen.self) { try sealer.open(Base64URL.encode(changed), for: .signingKey) }
        }
        for garbage in ["", "x", text + "A", String(text.dropLast()), String(repeating: "A", count: 1 << 17)] {
            #expect(throws: TokenSealer.CannotOpen.self) { try sealer.open(garbage, for: .signingKey) }
        }
    }

    @Test("are not made where they would not open again, and a provider's longest answer is one that opens")
    func lengths() throws {
        let sealer = try sealer()
        for purpose in TokenSealer.Purpose.allCases {
            var longest = 0
            for bytes in [1 << 10, 1 << 15, 1 << 16, 1 << 17, 1 << 18, 1 << 20] {
                let value = Data(count: bytes)
                guard let text = try? sealer.seal(value, for: purpose) else {
                    #expect(throws: TokenSealer.TooLong.self) { try sealer.seal(value, for: purpose) }
                    continue
                }
                #expect(try sealer.open(text, for: purpose) == value, "\(purpose) \(bytes)")
                longest = bytes
            }
            #expect((1 << 15..<1 << 20).contains(longest), "\(purpose)")
            if purpose == .authorizationFlow { #expect(longest == 1 << 17) }
        }
    }

    @Test("differ each time, and a master key is exactly 32 bytes")
    func randomness() throws {
        let sealer = try sealer()
        #expect(try sealer.seal(Data("x".utf8), for: .signingKey) != sealer.seal(Data("x".utf8), for: .signingKey))
        for count in [0, 16, 31, 33] {
            #expect(throws: MasterKey.InvalidLength.self) { try MasterKey(bytes: Array(repeating: 0, count: count)) }
        }
    }
}
