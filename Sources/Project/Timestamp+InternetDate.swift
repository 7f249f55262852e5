extension Timestamp {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    // The first day of the epoch was a Thursday.
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

    /// A date of mails (RFC 5322 §3.3) or of HTTP (RFC 9110 §5.6.7) in UTC, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// - Parameter zone: The word for UTC: mails have `+0000`, HTTP has `GMT`.
    package func internetDate(zone: String) -> String {
        let text = rfc3339
        let fields = text.prefix(10).split(separator: "-").map(String.init)
        let day = Self.days[Int(floorModulo(floorDivide(seconds, 86_400), 7))]
        let month = Int(fields[1]).map { Self.months[$0 - 1] } ?? ""
        return "\(day), \(fields[2]) \(month) \(fields[0]) \(text.dropFirst(11).prefix(8)) \(zone)"
    }
}
