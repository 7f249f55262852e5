import Project

/// The port that was really bound; known only once the listener runs.
final class BoundPort: Sendable {
    private let value: LockedState<Int>

    init(_ port: Int) { value = LockedState(port) }

    var port: Int {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}
