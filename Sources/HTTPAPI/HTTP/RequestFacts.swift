import Accounts
import Project

/// What is learnt about a request while it is answered: for its line in the log, and for the record of its refusal.
final class RequestFacts: AnswerDelivery {
    private let state = LockedState(State())

    private struct State: Sendable {
        var address: String?
        var call: CallContext?
        var body: ProtoObject?
        var refusal = Told()
        var listener: (@Sendable (_ isDelivered: Bool) async -> Void)?
    }

    /// What a client is told of an error, and what it is not told.
    struct Told: Sendable {
        var code: String?
        /// What only the log shows.
        var cause: String?
        /// The status of an error in the API's own form.
        var status: Int?
    }

    /// The client's address behind proxies.
    var address: String? {
        get { state.withLock { $0.address } }
        set { state.withLock { $0.address = newValue } }
    }

    /// The call, once caller and scope are known.
    var call: CallContext? {
        get { state.withLock { $0.call } }
        set { state.withLock { $0.call = newValue } }
    }

    /// The error that the request came to, if any.
    var refusal: Told { state.withLock { $0.refusal } }

    /// Notes the call and the members of its body.
    func note(_ call: CallContext, _ body: ProtoObject) {
        state.withLock { state in
            state.call = call
            state.body = body
        }
    }

    /// Notes what a client is told, and what only the log shows.
    func note(code: String, cause: String?, status: Int?) {
        state.withLock { $0.refusal = Told(code: code, cause: cause, status: status) }
    }

    func whenOver(_ listener: @escaping @Sendable (_ isDelivered: Bool) async -> Void) {
        state.withLock { $0.listener = listener }
    }

    /// Whether somebody wants to know whether the answer has reached the client.
    var hasListener: Bool { state.withLock { $0.listener != nil } }

    /// Tells it, once.
    func end(isDelivered: Bool) async {
        let listener = state.withLock { state in
            defer { state.listener = nil }
            return state.listener
        }
        // The task of a request whose client is gone is cancelled.
        if let listener { await Task { await listener(isDelivered) }.value }
    }

    /// What the body says about the account. Only an administrator's `localId` is believed.
    var subject: RefusedCall.Subject? {
        let (call, body) = state.withLock { ($0.call, $0.body) }
        guard let body else { return nil }
        if let token = text("idToken", body) { return .idToken(token) }
        if let token = text("refreshToken", body) { return .refreshToken(token) }
        if call?.isPrivileged == true, let localID = text("localId", body) { return .account(localID) }
        return text("email", body).map(RefusedCall.Subject.email)
    }

    // Other endpoints may have a member of that name in another shape.
    private func text(_ name: String, _ body: ProtoObject) -> String? { body.value(name)?.string }
}
