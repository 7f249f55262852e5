/// A client for whom passwords are hashed, as far as its share of the queue is concerned.
package struct HashingClient: Sendable, Hashable {
    /// The client's network.
    let name: String
    /// The wider network, which many clients may share; `nil` for none.
    let site: String?
    /// Whether the network is usual for the account whose password it is.
    let isUsual: Bool

    /// - Parameter isUsual: Whether the network is usual for the account whose password it is.
    package init(_ name: String, within site: String? = nil, isUsual: Bool = false) {
        self.name = name
        self.site = site
        self.isUsual = isUsual
    }
}
