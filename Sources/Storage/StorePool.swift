/// The connections of a store that serve one kind of work, for metrics.
package struct StorePool: Sendable, Hashable {
    /// `read`, `write`, or `any`.
    package let kind: String
    /// How many there may be.
    package let size: Int
    /// How many have a transaction now.
    package let inUse: Int
    /// How many transactions wait for one.
    package let waiting: Int
}
