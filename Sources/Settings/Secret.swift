import Project

/// A value that can be used but is never shown: printing, logging or dumping it gives `[redacted]`.
package struct Secret<Value: Sendable>: Sendable {
    private let value: Value

    package init(_ value: Value) {
        self.value = value
    }

    /// Returns the secret itself. An audit of secrets must look at every caller.
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
