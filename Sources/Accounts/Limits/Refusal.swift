package import Project

/// A call that was refused, for the audit trail.
package struct Refusal: Sendable {
    /// What a request says about the account that it is about. It is read after the answer, so that no answer takes longer for it.
    package enum Subject: Sendable, Hashable {
        case account(String)
        case idToken(String)
        case refreshToken(String)
        case email(String)
        case phoneNumber(String)

        // Longer texts are no tokens of ours and no addresses.
        private static let maximumBytes = 4096

        /// Whether the text is short enough to be kept.
        var isBounded: Bool {
            switch self {
            case .account(let text), .idToken(let text), .refreshToken(let text), .email(let text), .phoneNumber(let text):
                text.utf8.count <= Self.maximumBytes
            }
        }
    }

    /// The code that the client was told.
    let code: String
    let provider: String?
    let subject: Subject?
    let scope: Scope
    let actor: String
    let address: String?
    let requestID: String?
    /// How far the sign-in came.
    let steps: [SignInStep]
    /// The other account that has what was to be linked.
    let heldBy: String?

    private static let maximumProviderBytes = 64

    /// - Parameters:
    ///   - code: The code that the client was told.
    ///   - provider: The identity provider or kind of credential.
    ///   - subject: The account, or what tells it.
    ///   - context: The call.
    ///   - steps: How far the sign-in came.
    ///   - heldBy: The other account that has what was to be linked.
    package init(
        _ code: String,
        provider: String? = nil,
        subject: Subject?,
        context: CallContext,
        steps: [SignInStep] = [],
        heldBy: String? = nil
    ) {
        self.steps = steps
        self.heldBy = heldBy
        self.code = code
        self.provider = provider?.cut(toBytes: Self.maximumProviderBytes)
        self.subject = subject.flatMap { $0.isBounded ? $0 : nil }
        scope = context.scope
        actor = context.actor
        address = context.address
        requestID = context.requestID
    }

    /// A refusal by the rules.
    ///
    /// - Parameters:
    ///   - error: The refusal.
    ///   - subject: What the request says about the account, where the error does not say it.
    ///   - context: The call.
    package init(_ error: APIError, subject: Subject?, context: CallContext) {
        self.init(
            error.code.rawValue,
            provider: error.provider,
            subject: error.localID.map(Subject.account) ?? Self.subject(subject, error.holder),
            context: context,
            steps: error.steps,
            heldBy: error.heldBy
        )
    }

    // A caller with a token is refused as its user, also where a code leads to another one.
    private static func subject(_ subject: Subject?, _ holder: APIError.Holder?) -> Subject? {
        switch (subject, holder) {
        case (.idToken, _), (.refreshToken, _), (.account, _), (_, nil): subject
        case (_, .email(let email)): .email(email)
        case (_, .phoneNumber(let number)): .phoneNumber(number)
        }
    }
}
