package import Foundation

extension Timestamp {
    /// The years 1 to 9999, which RFC 3339 (§1) and the formats of other systems can write. Times from outside are within them.
    package static let years1To9999 =
        Timestamp(milliseconds: -62_135_596_800_000)...Timestamp(milliseconds: 253_402_300_799_999)

    /// Whether the time is one of the years 1 to 9999.
    package var isOfCalendar: Bool { Self.years1To9999.contains(self) }

    /// Refuses a time outside the years 1 to 9999.
    package func checkCalendar(named name: String) throws {
        guard isOfCalendar else { throw InvalidArgument("\(name) must be within the years 1 to 9999") }
    }

    /// A point in time of Foundation, to the millisecond; the first or last of the years 1 to 9999 for one that is beyond them.
    package init(_ date: Date) {
        let (first, last) = (Self.years1To9999.lowerBound.milliseconds, Self.years1To9999.upperBound.milliseconds)
        let milliseconds = date.timeIntervalSince1970 * 1000
        // No number compares with NaN.
        self.init(milliseconds: milliseconds > Double(first) ? (milliseconds < Double(last) ? Int64(milliseconds) : last) : first)
    }
}
