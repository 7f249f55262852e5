import Accounts
import Federation
import Project
import Storage

/// The answer of `accounts:signInWithIdp` (`Docs/Contract/client-accounts.md` §5.4). The presence of a member has a meaning for
/// the SDKs, so no member is sent as null.
struct SignInWithIdpAnswer: Codable {
    private var kind = "identitytoolkit#VerifyAssertionResponse"
    private let context: String
    private let providerId: String
    private let federatedId: String
    private let displayName: String?
    private let fullName: String?
    private let firstName: String?
    private let lastName: String?
    private let screenName: String?
    private let username: String?
    private let nickName: String?
    private let photoUrl: String?
    private let language: String?
    private let timeZone: String?
    private let dateOfBirth: String?
    private let email: String?
    private var emailVerified: Bool?
    private let rawUserInfo: String
    private let oauthIdToken: String?
    private let oauthAccessToken: String?
    private let oauthTokenSecret: String?
    private let oauthExpireIn: Int64?
    private let nonce: String?
    private let oauthRefreshToken: String?
    private let pendingToken: String?
    private let tenantId: String?
    private var localId: String?
    private var isNewUser: Bool?
    private var emailRecycled: Bool?
    private var originalEmail: String?
    private var needConfirmation: Bool?
    private var verifiedProvider: [String]?
    private var errorMessage: String?
    private var idToken: String?
    private var refreshToken: String?
    private var expiresIn: String?
    private var mfaPendingCredential: String?
    private var mfaInfo: [MFAInfoJSON]?

    init(_ result: FederatedSignIn.Result, withRefreshToken: Bool, _ mode: ModeRules) {
        let identity = result.identity
        context = result.context ?? ""
        providerId = identity.providerID
        federatedId = identity.federatedID
        displayName = identity.displayName
        fullName = identity.displayName
        firstName = identity.firstName
        lastName = identity.lastName
        screenName = identity.screenName
        // The SDK for iOS reads no other member for its `AdditionalUserInfo.username`.
        username = mode.answersUserName ? identity.screenName : nil
        nickName = identity.nickName
        photoUrl = identity.photoURL
        language = identity.language
        timeZone = identity.timeZone
        dateOfBirth = identity.dateOfBirth
        email = identity.email
        emailVerified = identity.email.map { _ in identity.isEmailVerified }
        rawUserInfo = identity.rawUserInfo.text
        oauthIdToken = identity.idToken
        oauthAccessToken = identity.accessToken
        oauthTokenSecret = identity.tokenSecret
        oauthExpireIn = identity.accessTokenSeconds
        nonce = identity.nonce
        oauthRefreshToken = withRefreshToken ? identity.refreshToken : nil
        pendingToken = result.pendingToken
        tenantId = result.scope.tenantID
        switch result.outcome {
        case .accepted(.signedIn(let session)):
            take(session.account, isNewUser: session.isNewUser, isEmailRecycled: session.isEmailRecycled, identity)
            let tokens = session.tokens
            idToken = tokens.idToken
            refreshToken = tokens.refreshToken
            expiresIn = tokens.expiresInText
        case .accepted(.secondFactorPending(let wait)):
            take(wait.account, isNewUser: false, isEmailRecycled: wait.isEmailRecycled, identity)
            let pending = PendingJSON(wait)
            mfaPendingCredential = pending.mfaPendingCredential
            mfaInfo = pending.mfaInfo
        case .needsConfirmation(let localID, let providers):
            // To the caller it is another's account. No SDK reads the id.
            localId = mode.namesAccountToConfirm ? localID : nil
            needConfirmation = true
            verifiedProvider = providers
        case .refused(let code, _): errorMessage = code.rawValue
        }
    }

    private mutating func take(
        _ account: AccountRecord,
        isNewUser: Bool,
        isEmailRecycled: Bool,
        _ identity: VerifiedIdentity
    ) {
        localId = account.localID
        self.isNewUser = isNewUser
        emailRecycled = isEmailRecycled ? true : nil
        guard let email = account.email else { return }
        if email == identity.email {
            emailVerified = account.emailVerified ?? false
        } else if identity.email != nil {
            originalEmail = email
        }
    }
}
