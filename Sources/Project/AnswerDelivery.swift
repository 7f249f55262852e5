/// Tells a use case whether the answer to its call has reached the client.
package protocol AnswerDelivery: AnyObject, Sendable {
    /// Has a closure called when the answer has reached the client, or has not because the client is gone. There is one for a call; where the server
    /// itself ends before, nobody calls it.
    ///
    /// - Parameter listener: It must not hold the call.
    func whenOver(_ listener: @escaping @Sendable (_ isDelivered: Bool) async -> Void)
}
