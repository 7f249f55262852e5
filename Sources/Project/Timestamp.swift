/// A point in time, in whole milliseconds since 1970-01-01T00:00:00Z. A time beyond 64 bits becomes the last
/// representable point: times come from requests and tokens, and none may crash the process.
package struct Timestamp: Sendable, Hashable, Comparable {
    package let milliseconds: Int64

    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    package init(seconds: Int64) { milliseconds = Self.times1000(seconds) }

    /// Whole seconds since the epoch, rounded down: the unit of JWT claims (RFC 7519 §2, NumericDate).
    package var seconds: Int64 { floorDivide(milliseconds, 1000) }

    /// The point `duration` later, to the millisecond.
    package func advanced(by duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        let whole = Self.sum(milliseconds, Self.times1000(seconds))
        return Timestamp(milliseconds: Self.sum(whole, attoseconds / 1_000_000_000_000_000))
    }

    /// Whole seconds until a later point, rounded up, and one at least: the unit of `Retry-After` (RFC 9110 §10.2.3).
    package func secondsToWait(until later: Timestamp) -> Int {
        let (wait, overflows) = later.milliseconds.subtractingReportingOverflow(milliseconds)
        guard !overflows else { return later < self ? 1 : .max }
        return Int(max(wait / 1000 + (wait % 1000 > 0 ? 1 : 0), 1))
    }

    private static func times1000(_ value: Int64) -> Int64 {
        let (product, overflows) = value.multipliedReportingOverflow(by: 1000)
        return overflows ? (value < 0 ? .min : .max) : product
    }

    private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
        let (sum, overflows) = left.addingReportingOverflow(right)
        return overflows ? (right < 0 ? .min : .max) : sum
    }

    /// The point `duration` earlier.
    package static func - (time: Timestamp, duration: Duration) -> Timestamp { time.advanced(by: .zero - duration) }

    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    /// RFC 3339 in UTC with milliseconds, `2024-01-02T03:04:05.678Z` (`Docs/Contract/conventions.md` §4.1).
    package var rfc3339: String {
        let (days, timeOfDay) = (floorDivide(milliseconds, 86_400_000), floorModulo(milliseconds, 86_400_000))
        let (year, month, day) = Self.civil(daysSinceEpoch: days)
        let parts: [(value: Int64, width: Int, end: Unicode.Scalar)] = [
            (year, 4, "-"), (month, 2, "-"), (day, 2, "T"), (timeOfDay / 3_600_000, 2, ":"), (timeOfDay / 60_000 % 60, 2, ":"),
            (timeOfDay / 1000 % 60, 2, "."), (timeOfDay % 1000, 3, "Z"),
        ]
        var text: [UInt8] = []
        for part in parts {
            let digits = String(part.value).utf8
            text.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: max(0, part.width - digits.count)))
            text.append(contentsOf: digits)
            text.append(UInt8(ascii: part.end))
        }
        return String(decoding: text, as: UTF8.self)
    }

    // Gregorian date of a day number, in eras of 400 years that begin on 1 March. Formatters cost far more, and this runs often.
    private static func civil(daysSinceEpoch: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = daysSinceEpoch + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = floorModulo(shifted, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }
}

func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
    value / divisor - (value % divisor < 0 ? 1 : 0)
}

func floorModulo(_ value: Int64, _ divisor: Int64) -> Int64 {
    value % divisor + (value % divisor < 0 ? divisor : 0)
}

extension Duration {
    /// A century: how long development's codes last.
    package static let forEver = Duration.seconds(86_400 * 36_500)
}
