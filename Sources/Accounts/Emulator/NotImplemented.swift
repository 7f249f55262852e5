/// A feature that this server does not have, asked for where the emulator also says that it does not
/// (`Docs/Contract/conventions.md` §5).
package struct NotImplemented: Error, Sendable, Hashable {
    /// What is missing, at the beginning of a sentence.
    package let feature: String
    /// Whether the refusal is the emulator's, in its words.
    package let isEmulators: Bool

    private init(_ feature: String, isEmulators: Bool) {
        self.feature = feature
        self.isEmulators = isEmulators
    }

    /// A feature that is missing here.
    package init(_ feature: String) { self.init(feature, isEmulators: false) }

    /// A feature that development refuses because the emulator lacks it.
    package static func byEmulator(_ feature: String) -> NotImplemented { NotImplemented(feature, isEmulators: true) }
}
