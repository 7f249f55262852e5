package import Project

/// A call that was refused, for the audit trail.
package struct RefusedCall: Sendable {
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

    package init(_ code: String, subject: Subject?, context: CallContext) {
        self.init(code, subject, context, nil, heldBy: nil)
    }

    /// A refusal by the rules.
    ///
    /// - Parameter subject: What the request says about the account, where the error does not say it.
    package init(_ error: APIError, subject: Subject?, context: CallContext) {
        let known = context.refusalFacts.known
        let subject = Self.subject(error.subject, known, subject)
        self.init(error.code.rawValue, subject, context, known, heldBy: error.heldBy)
    }

    private init(_ code: String, _ subject: Subject?, _ context: CallContext, _ known: RefusalFacts.Known?, heldBy: String?) {
        self.code = code
        self.subject = subject.flatMap { $0.isBounded ? $0 : nil }
        self.heldBy = heldBy
        provider = known?.provider?.cut(toBytes: Self.maximumProviderBytes)
        steps = known?.steps ?? []
        scope = context.scope
        actor = context.actor
        address = context.address
        requestID = context.requestID
    }

    // A caller with a token is refused as its user, also where a code leads to another one.
    private static func subject(_ refused: APIError.Subject?, _ known: RefusalFacts.Known, _ named: Subject?) -> Subject? {
        if case .account(let localID) = refused { return .account(localID) }
        if let localID = known.localID { return .account(localID) }
        switch (named, refused) {
        case (.idToken, _), (.refreshToken, _), (.account, _): return named
        case (_, .email(let email)): return .email(email)
        case (_, .phoneNumber(let number)): return .phoneNumber(number)
        default: return named
        }
    }
}
