extension TransportError {
    /// The refusal of what the emulator lacks, in its words.
    static func lackedByEmulator(_ feature: String) -> TransportError { notImplemented(feature, where: " in the Auth Emulator") }
}
