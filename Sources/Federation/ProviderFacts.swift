package import Project

/// What the rest of the code asks about a provider: each provider states its own, and no other file compares provider ids.
package struct ProviderFacts: Sendable {
    /// When a configuration that is switched on must name a client id.
    package enum ClientIDRule: Sendable {
        case always
        /// Native apps have none: their bundle ids do as well.
        case unlessBundleIDs
        case never

        /// Whether a configuration needs one.
        ///
        /// - Parameter hasBundleIDs: Whether `appleSignInConfig.bundleIds` names an app.
        package func isNeeded(hasBundleIDs: Bool) -> Bool {
            switch self {
            case .always: true
            case .unlessBundleIDs: !hasBundleIDs
            case .never: false
            }
        }
    }

    /// Its id, such as `apple.com`; of a family, what the ids begin with.
    package let id: String
    /// Its name for people.
    package let label: String
    /// Whether operators configure any number of them by issuer, each with an id of its own that begins with ``id``.
    package var isFamily = false
    package var endpoints: [ProviderEndpoint] = []
    package var clientID = ClientIDRule.always
    /// Whether no credential of it can be checked without our client secret.
    package var needsSecret = false
    /// Where its configuration has our secret.
    package var secretPath = ["clientSecret"]
    /// Whether its authorization takes `hostedDomain` of `accounts:createAuthUri`, as `hd`.
    package var takesHostedDomain = false
    /// The custom parameter that selects a directory, which has pages of its own.
    package var directoryParameter: String?
    /// Names that custom parameters may not have, beyond those that no provider allows.
    package var reservedParameters: Set<String> = []
    /// Whether it tells a user's name with the first authorization only, so that a link must not lose it.
    package var givesNameOnce = false
    /// The most bytes of an answer, which the store keeps for a while. Most have a code, an ID token and little more.
    package var longestAnswer = 1 << 15
    /// Whether its users can have a second factor.
    package var allowsSecondFactor = true
    /// What stands before its ids in `federatedId` (`Docs/Contract/client-accounts.md` §5.5); `nil` for a provider that has no
    /// such form.
    package var federatedIDPrefix: String?
    /// The refusal of a credential that was used before.
    package var repeatedCredential = APIError(
        .missingOrInvalidNonce,
        "Duplicate credential received. Please try again with a new credential."
    )

    /// Whether a provider id is this provider's.
    package func serves(_ providerID: String) -> Bool {
        isFamily ? providerID.hasPrefix(id) && providerID.utf8.count > id.utf8.count : bytesEqual(providerID, id)
    }
}
