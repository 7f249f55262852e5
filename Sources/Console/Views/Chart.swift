/// Numbers over days, as stacked bars and as a table.
struct Chart: Sendable {
    enum Kind: Sendable {
        case bars
    }

    struct Series: Sendable {
        let name: String
        /// One value a label; negative values count as 0.
        let values: [Int64]
    }

    let title: String
    /// The days, from the earliest.
    let labels: [String]
    let series: [Series]
    var kind = Kind.bars
}
