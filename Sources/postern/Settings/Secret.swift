import Project

/// A value that may be used but never shown: whatever prints, logs or dumps it sees `[redacted]`.
package struct Secret<Value: Sendable>: Sendable {
    private let value: Value

    /// Wraps a secret.
    package init(_ value: Value) {
        self.value = value
    }

    /// Hands out the secret itself; every caller of this is a place to look at when secrets are audited.
    package func reveal() -> Value {
        value
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `[redacted]`.
    package var description: String { "[redacted]" }

    /// Always `[redacted]`.
    package var debugDescription: String { description }

    /// No children, so that `dump` shows nothing either.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
