import Project
import Testing
import Tokens

@Suite("Time-based one-time passwords")
struct TOTPTests {
    private static let secret = Array("12345678901234567890".utf8)

    @Test(
        "are those of RFC 6238, appendix B, of which six digits are used",
        arguments: [
            (59, "94287082"), (1_111_111_109, "07081804"), (1_111_111_111, "14050471"), (1_234_567_890, "89005924"),
            (2_000_000_000, "69279037"), (20_000_000_000, "65353130"),
        ] as [(Int64, String)]
    )
    func vectors(seconds: Int64, code: String) {
        let step = TOTP.step(at: Timestamp(seconds: seconds))
        #expect(TOTP.code(secret: Self.secret, step: step) == code.suffix(6))
    }

    @Test("are good within reach, and never for a step that was used, nor for one before it")
    func window() {
        let time = Timestamp(seconds: 1_000_000_000)
        let step = TOTP.step(at: time)
        func accepted(_ offset: Int64, reach: Int, after last: Int64? = nil) -> Int64? {
            TOTP.acceptedStep(
                TOTP.code(secret: Self.secret, step: step + offset),
                secret: Self.secret,
                after: last,
                adjacentIntervals: reach,
                at: time
            )
        }
        for (offset, reach) in [(0, 0), (-1, 1), (1, 1), (-10, 10)] as [(Int64, Int)] {
            #expect(accepted(offset, reach: reach) == step + offset)
        }
        for (offset, reach) in [(-1, 0), (1, 0), (-2, 1), (2, 1), (-11, 10)] as [(Int64, Int)] {
            #expect(accepted(offset, reach: reach) == nil)
        }
        #expect(accepted(0, reach: 1, after: step) == nil)
        #expect(accepted(-1, reach: 1, after: step) == nil)
        #expect(accepted(1, reach: 1, after: step) == step + 1)
        for code in ["", "000", "abcdef", "1234567", "١٢٣٤٥٦"] {
            let result = TOTP.acceptedStep(code, secret: Self.secret, after: nil, adjacentIntervals: 10, at: time)
            #expect(result == nil)
        }
    }

    @Test("have secrets in base32 as of RFC 4648, section 10, without padding")
    func base32() {
        for (text, encoded) in [
            ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
            ("foobar", "MZXW6YTBOI"),
        ] {
            #expect(TOTP.base32(Array(text.utf8)) == encoded)
        }
    }
}
