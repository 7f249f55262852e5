import Federation
import Project
import Storage
import Testing

@testable import Accounts

@Suite("The account decision")
struct AccountResolutionTests {
    private let owner = AccountRecord(localID: "owner", createdAt: Timestamp(seconds: 1))
    private let other = AccountRecord(localID: "other", createdAt: Timestamp(seconds: 1))

    private func identity(verified: Bool) -> VerifiedIdentity {
        var identity = VerifiedIdentity(providerID: "oidc.x", rawID: "1", rawUserInfo: [:])
        identity.email = "a@b.c"
        identity.isEmailVerified = verified
        return identity
    }

    private func policy(_ config: JSONValue = [:]) -> SignInPolicy {
        SignInPolicy(project: config, tenant: nil, mode: .production)
    }

    private func proven(_ account: AccountRecord) -> AccountRecord {
        var account = account
        account.emailVerified = true
        return account
    }

    private func decide(
        holder: AccountRecord? = nil,
        owner: AccountRecord? = nil,
        owned: [IdentityRecord] = [],
        verified: Bool = true,
        config: JSONValue = [:],
        autoCreate: Bool = true
    ) -> AccountResolution.Decision {
        AccountResolution.decideSignIn(
            identity(verified: verified),
            matches: .init(holder: holder, emailOwner: owner, emailOwnerIdentities: owned),
            policy: policy(config),
            autoCreate: autoCreate
        )
    }

    @Test("follows the table of the contract for every sign-in")
    func signIn() {
        let google = IdentityRecord(providerID: "google.com", rawID: "g")
        let same = IdentityRecord(providerID: "oidc.x", rawID: "2")
        let duplicates: JSONValue = ["signIn": ["allowDuplicateEmails": true]]
        let closed: JSONValue = ["client": ["permissions": ["disabledUserSignup": true]]]
        #expect(decide(holder: owner) == .signIn(owner))
        #expect(decide(holder: owner, owner: other) == .signIn(owner))
        #expect(decide(holder: owner, config: closed, autoCreate: false) == .signIn(owner))
        #expect(decide() == .create)
        #expect(decide(autoCreate: false) == .refuse(.userNotFound))
        #expect(decide(config: closed) == .refuse(.adminOnlyOperation))
        #expect(decide(owner: owner, owned: [google], verified: false) == .confirm(owner, providers: ["google.com"]))
        #expect(decide(owner: owner, verified: false, autoCreate: false) == .confirm(owner, providers: []))
        #expect(decide(owner: owner) == .takeOver(owner, recyclesIdentity: false, wipesOtherMethods: true))
        let verified = proven(owner)
        #expect(decide(owner: verified) == .takeOver(verified, recyclesIdentity: false, wipesOtherMethods: false))
        #expect(
            decide(owner: verified, owned: [google, same])
                == .takeOver(verified, recyclesIdentity: true, wipesOtherMethods: false)
        )
        var custom = owner
        custom.email = "a@b.c"
        custom.hasCustomAuth = true
        #expect(decide(owner: custom) == .replace(custom))
        #expect(decide(owner: custom, verified: false) == .confirm(custom, providers: []))
        #expect(decide(owner: custom, autoCreate: false) == .refuse(.userNotFound))
        #expect(decide(owner: custom, config: closed) == .refuse(.adminOnlyOperation))
        #expect(decide(owner: custom, config: duplicates) == .create)
        var disabled = owner
        disabled.email = "a@b.c"
        disabled.isDisabled = true
        #expect(decide(owner: disabled) == .replace(disabled))
        #expect(decide(owner: disabled, verified: false) == .confirm(disabled, providers: []))
        #expect(decide(owner: disabled, config: closed) == .refuse(.adminOnlyOperation))
        let provenDisabled = proven(disabled)
        #expect(
            decide(owner: provenDisabled) == .takeOver(provenDisabled, recyclesIdentity: false, wipesOtherMethods: false)
        )
        let own = proven(custom)
        #expect(decide(owner: own) == .takeOver(own, recyclesIdentity: false, wipesOtherMethods: false))
        #expect(decide(owner: owner, config: duplicates) == .create)
        #expect(decide(owner: owner, verified: false, config: duplicates) == .create)
    }

    @Test("follows the table of the contract for every link")
    func link() {
        func decide(
            holder: AccountRecord? = nil,
            owner: AccountRecord? = nil,
            verified: Bool = false,
            config: JSONValue = [:]
        ) -> AccountResolution.Decision {
            AccountResolution.decideLink(
                identity(verified: verified),
                to: self.owner,
                matches: .init(holder: holder, emailOwner: owner),
                policy: policy(config)
            )
        }
        #expect(decide() == .link(owner))
        #expect(decide(owner: owner) == .link(owner))
        #expect(decide(owner: other) == .refuse(.emailExists, heldBy: other.localID))
        #expect(decide(owner: other, config: ["signIn": ["allowDuplicateEmails": true]]) == .link(owner))
        // Signing in with the same proof takes the account over.
        #expect(decide(owner: other, verified: true) == .refuse(.emailExists, heldBy: other.localID))
        for change: (inout AccountRecord) -> Void in [{ $0.isDisabled = true }, { $0.hasCustomAuth = true }] {
            var unusable = other
            unusable.email = "a@b.c"
            change(&unusable)
            #expect(decide(owner: unusable, verified: true) == .link(owner, replaces: unusable))
            #expect(decide(owner: unusable) == .refuse(.emailExists, heldBy: other.localID))
            #expect(decide(owner: proven(unusable), verified: true) == .refuse(.emailExists, heldBy: other.localID))
        }
        #expect(decide(holder: owner) == .refuse(.federatedUserIDAlreadyLinked, heldBy: owner.localID))
        #expect(decide(holder: other, owner: other) == .refuse(.federatedUserIDAlreadyLinked, heldBy: other.localID))
    }
}
