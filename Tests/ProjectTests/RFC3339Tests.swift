import Foundation
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

@Suite("Dates of mails and of HTTP")
struct InternetDateTests {
    @Test("have two digits for the day, and the zone that was asked for")
    func writing() {
        #expect(Timestamp(seconds: 784_111_777).internetDate(zone: "GMT") == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(Timestamp(seconds: 0).internetDate(zone: "+0000") == "Thu, 01 Jan 1970 00:00:00 +0000")
        #expect(Timestamp(seconds: -1).internetDate(zone: "GMT") == "Wed, 31 Dec 1969 23:59:59 GMT")
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

    @Test("make waits that end, too")
    func waits() {
        let (first, last) = (Timestamp(milliseconds: .min), Timestamp(milliseconds: .max))
        #expect(first.secondsToWait(until: last) == .max && last.secondsToWait(until: first) == 1)
        #expect(Timestamp(milliseconds: 0).secondsToWait(until: last) == Int(Int64.max / 1000 + 1))
        for (milliseconds, seconds) in [(-5, 1), (0, 1), (1, 1), (1000, 1), (1001, 2), (30_000, 30)] as [(Int64, Int)] {
            #expect(Timestamp(milliseconds: 0).secondsToWait(until: Timestamp(milliseconds: milliseconds)) == seconds)
        }
    }

    @Test("are told from those of the years 1 to 9999, and files' become one of them")
    func calendar() {
        let (first, last) = (Timestamp.years1To9999.lowerBound, Timestamp.years1To9999.upperBound)
        #expect(first.rfc3339 == "0001-01-01T00:00:00.000Z" && last.rfc3339 == "9999-12-31T23:59:59.999Z")
        #expect(Timestamp(rfc3339: last.rfc3339) == last)
        for text in ["0000-12-31T23:59:59Z", "0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00"] {
            #expect(Timestamp(rfc3339: text) == nil, "\(text)")
        }
        for milliseconds in [Int64.min, .max, first.milliseconds - 1, last.milliseconds + 1] {
            #expect(!Timestamp(milliseconds: milliseconds).isOfCalendar)
            #expect(throws: InvalidArgument.self) { try Timestamp(milliseconds: milliseconds).checkCalendar(named: "x") }
        }
        for seconds in [1e308, -1e308, .infinity, -.infinity, .nan] {
            #expect(Timestamp(Date(timeIntervalSince1970: seconds)).isOfCalendar)
        }
        #expect(Timestamp(Date(timeIntervalSince1970: 1.5)).milliseconds == 1500)
    }
}
