import Project
import TestKit
import Testing

@testable import WebAuthn

@Suite("CBOR")
struct CBORTests {
    @Test("is read in its canonical form")
    func canonical() throws {
        let bytes = CBORText.map([
            (CBORText.integer(1), CBORText.integer(-257)), (CBORText.text("a"), CBORText.bytes([1, 2])),
            (CBORText.text("b"), CBORText.array([CBORText.integer(65_536), [0xF5], [0xF4], [0xF6]])),
            (CBORText.integer(-3), CBORText.bytes([UInt8](repeating: 7, count: 300))),
        ])
        let item = try CBOR(bytes)
        #expect(item[1] == .integer(-257))
        #expect(item["a"]?.bytes == [1, 2])
        #expect(item["b"] == .array([.integer(65_536), .bool(true), .bool(false), .null]))
        #expect(item[-3]?.bytes?.count == 300)
        #expect(item.memberCount == 4)
    }

    @Test("is refused, within bounds, when it is malformed, ambiguous or hostile (PKY-08)")
    func refused() {
        let hostile: [[UInt8]] = [
            [], [0x18, 0x17], [0x19, 0x00, 0xFF], [0x1A, 0, 0, 0xFF, 0xFF], [0x1B, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x1B] + [UInt8](repeating: 0xFF, count: 8), [0x1C], [0x1F], [0x5F, 0x41, 0x00, 0xFF], [0x9F, 0xFF], [0xBF, 0xFF],
            [0xC0, 0x00], [0xF9, 0x3C, 0x00], [0xF7], [0xFF], [0x41], [0x5B] + [UInt8](repeating: 0x7F, count: 8),
            [0x9B] + [UInt8](repeating: 0x7F, count: 8), [0xBB] + [UInt8](repeating: 0x7F, count: 8), [0x61, 0xFF],
            // Duplicate keys, a key that is neither a number nor a text, trailing bytes.
            [0xA2, 0x01, 0x00, 0x01, 0x00], [0xA1, 0x41, 0x00, 0x00], [0x00, 0x00],
            [UInt8](repeating: 0x81, count: 100_000) + [0x00],
            CBORText.array([[UInt8]](repeating: [0x00], count: 1000)),
        ]
        for bytes in hostile {
            #expect(throws: CBOR.Malformed.self) { try CBOR(bytes) }
        }
    }

    @Test("keys of other algorithms, curves and sizes are refused")
    func keys() throws {
        let good = SoftwareAuthenticator()
        #expect(try COSEKey(good.coseKey).algorithm == -7)
        let (x, y) = (CBORText.bytes([UInt8](repeating: 1, count: 32)), CBORText.bytes([UInt8](repeating: 2, count: 32)))
        func key(_ type: Int, _ algorithm: Int, _ rest: [(Int, [UInt8])]) -> [UInt8] {
            let head = [
                (CBORText.integer(1), CBORText.integer(type)), (CBORText.integer(3), CBORText.integer(algorithm)),
            ]
            return CBORText.map(head + rest.map { (CBORText.integer($0.0), $0.1) })
        }
        let curve = (-1, CBORText.integer(1))
        for bytes in [
            // A point off the curve, EdDSA, another curve, a short coordinate, a private key, an extra member.
            key(2, -7, [curve, (-2, x), (-3, y)]), key(1, -8, [(-1, CBORText.integer(6)), (-2, x)]),
            key(2, -7, [(-1, CBORText.integer(2)), (-2, x), (-3, y)]), key(2, -7, [curve, (-2, CBORText.bytes([1])), (-3, y)]),
            key(2, -7, [curve, (-2, x), (-3, y), (-4, x)]), key(3, -37, [(-1, x), (-2, CBORText.bytes([1, 0, 1]))]),
            key(3, -257, [(-1, CBORText.bytes([UInt8](repeating: 255, count: 128))), (-2, CBORText.bytes([1, 0, 1]))]),
            key(3, -257, [(-1, CBORText.bytes([UInt8](repeating: 255, count: 256))), (-2, CBORText.bytes([1]))]),
            // A key that can be factored (CVE-2017-15361). Authenticators have had such keys.
            SoftwareAuthenticator(.rs256(try WeakKey.rsa())).coseKey,
            good.coseKey + [0],
        ] {
            #expect(throws: (any Error).self) { try COSEKey(bytes) }
        }
    }
}
