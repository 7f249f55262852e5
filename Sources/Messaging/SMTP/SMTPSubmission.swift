import Project

/// One message that libcurl sends: envelope, bytes, and progress.
final class SMTPSubmission: Sendable {
    /// Envelope sender and recipient without brackets.
    let sender, recipient: String
    /// The name in EHLO.
    let clientName: String
    let content: [UInt8]

    private let state = LockedState((offset: 0, isCancelled: false))

    init(sender: String, recipient: String, clientName: String, content: [UInt8]) {
        self.sender = sender
        self.recipient = recipient
        self.clientName = clientName
        self.content = content
    }

    /// Whether the server has accepted envelope and DATA, and libcurl has begun to send the content.
    var hasBegunContent: Bool { state.withLock { $0.offset > 0 } }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func cancel() { state.withLock { $0.isCancelled = true } }

    /// Copies the next bytes into a buffer.
    ///
    /// - Returns: 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        state.withLock { state in
            let count = min(buffer.count, content.count - state.offset)
            content.withUnsafeBytes { bytes in
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[state.offset..<state.offset + count]))
            }
            state.offset += count
            return count
        }
    }
}
