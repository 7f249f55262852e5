import Accounts

extension TransportError {
    /// The refusal of what the emulator lacks, in its words.
    static func lackedByEmulator(_ feature: String) -> TransportError { notImplemented(feature, where: " in the Auth Emulator") }

    /// The refusal of a feature that this server does not have.
    init(_ error: NotImplemented) {
        self = error.isEmulators ? .lackedByEmulator(error.feature) : .notImplemented(error.feature)
    }
}
