/// Asks a connection of HTTP/1.1, before an answer is written, whether its client may have gone. An outbound user event; where no handler
/// knows it, nothing is known against the client.
package struct PresenceQuestion: Sendable {
    /// The client has ended its side. It may still wait for its answer, or have hung up: nobody knows before it is sent something.
    package struct Doubtful: Error {
        package init() {}
    }

    package init() {}
}
