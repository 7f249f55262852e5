import Project
import Testing

@Suite("Times in RFC 3339")
struct RFC3339Tests {
    @Test("are read as they are written, to the millisecond")
    func reading() {
        for (text, milliseconds) in [
            ("1970-01-01T00:00:00Z", 0), ("2024-01-02T03:04:05.678Z", 1_704_164_645_678),
            ("2024-01-02T04:04:05.678999+01:00", 1_704_164_645_678), ("2024-01-02T03:04:05.6Z", 1_704_164_645_600),
        ] as [(String, Int64)] {
            #expect(Timestamp(rfc3339: text)?.milliseconds == milliseconds, "\(text)")
        }
        for text in ["", "2024-01-02", "2024-13-02T03:04:05Z", "2024-01-02T03:04:05", "Tue, 02 Jan 2024 03:04:05 GMT"] {
            #expect(Timestamp(rfc3339: text) == nil, "\(text)")
        }
    }
}

@Suite("Times beyond all bounds")
struct TimestampBoundsTests {
    @Test("end at the bounds instead of ending the process")
    func saturation() {
        #expect(Timestamp(seconds: .max).milliseconds == .max)
        #expect(Timestamp(seconds: .min).milliseconds == .min)
        #expect(Timestamp(milliseconds: .max).advanced(by: .seconds(1)).milliseconds == .max)
        #expect((Timestamp(milliseconds: .min) - .seconds(1)).milliseconds == .min)
        #expect(Timestamp(milliseconds: .min).seconds == .min / 1000 - 1)
        #expect(Timestamp(milliseconds: -1).seconds == -1)
        #expect(Timestamp(milliseconds: -1000).seconds == -1)
        for extreme in [Int64.min, .max] { #expect(Timestamp(milliseconds: extreme).rfc3339.hasSuffix("Z")) }
    }
}
