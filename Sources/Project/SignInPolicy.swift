/// The parts of a scope's v2 `Config` and `Tenant` resources that sign-in needs (`Docs/Contract/admin-config.md` §3 and §12).
///
/// The store holds the whole documents; this is the part that the rules read, with its defaults filled in.
package struct SignInPolicy: Sendable, Hashable {
    /// Every account operation fails (`disableAuth` of the tenant).
    package var isDisabled: Bool
    /// Anonymous sign-up is on.
    package var allowsAnonymous: Bool
    /// Sign-in by e-mail and password is on.
    package var allowsPassword: Bool
    /// Sign-in by e-mail link is on.
    package var allowsEmailLink: Bool
    /// Answers do not tell whether an address has an account (`emailPrivacyConfig.enableImprovedEmailPrivacy`, rulings 7).
    package var hidesAccounts: Bool
    /// Hosts that links in e-mails may lead on to.
    package var authorizedDomains: [String]
    /// Several accounts may have one e-mail (`signIn.allowDuplicateEmails`); a tenant inherits it.
    package var allowsDuplicateEmails: Bool
    /// End users may not create accounts (`client.permissions.disabledUserSignup`).
    package var disablesUserSignUp: Bool
    /// End users may not delete their accounts (`client.permissions.disabledUserDeletion`).
    package var disablesUserDeletion: Bool
    /// A proof of an account's address ends what was set up before the proof (`Docs/Contract/rulings.md` 36). Off in development,
    /// because the emulator ends little.
    package var proofsEndUnprovenCredentials: Bool
    /// A profile member that a provider leaves out of a sign-in keeps its earlier value. In development each sign-in replaces the
    /// whole profile, as in the emulator.
    package var keepsProviderProfiles: Bool
    /// Second factors; a tenant does not inherit them.
    package var mfa: MFAPolicy
    /// Functions that may refuse or change a sign-in.
    package var blockingFunctions: BlockingFunctions

    /// Reads the resources.
    ///
    /// - Parameters:
    ///   - project: Members that it lacks get the default of the mode.
    ///   - tenant: The `Tenant` resource when the scope is a tenant; what it does not switch on is off.
    ///   - mode: In development every sign-in method is on unless switched off (`Docs/Contract/conventions.md` §8).
    package init(project: JSONValue, tenant: JSONValue?, mode: ModeRules) {
        let permissions = (tenant ?? project)["client"]?["permissions"]
        isDisabled = tenant?["disableAuth"]?.bool ?? false
        allowsAnonymous =
            if let tenant {
                tenant["enableAnonymousUser"]?.bool ?? false
            } else {
                project["signIn"]?["anonymous"]?["enabled"]?.bool ?? mode.allowsMethodsByDefault
            }
        proofsEndUnprovenCredentials = mode.proofsEndUnprovenCredentials
        keepsProviderProfiles = mode.keepsProviderProfiles
        let email = project["signIn"]?["email"]
        if let tenant {
            allowsPassword = tenant["allowPasswordSignup"]?.bool ?? false
            allowsEmailLink = tenant["enableEmailLinkSignin"]?.bool ?? false
        } else {
            allowsPassword = email?["enabled"]?.bool ?? mode.allowsMethodsByDefault
            // Links are allowed beside passwords unless a password is demanded.
            allowsEmailLink = allowsPassword && !(email?["passwordRequired"]?.bool ?? false)
        }
        hidesAccounts =
            (tenant?["emailPrivacyConfig"] ?? project["emailPrivacyConfig"])?["enableImprovedEmailPrivacy"]?.bool
            ?? mode.hidesAccountsByDefault
        authorizedDomains = project["authorizedDomains"]?.array?.compactMap(\.string) ?? ["localhost"]
        allowsDuplicateEmails = project["signIn"]?["allowDuplicateEmails"]?.bool ?? false
        mfa = MFAPolicy(
            config: tenant.map { $0["mfaConfig"] ?? [:] } ?? project["mfa"],
            isOnByDefault: mode.allowsMethodsByDefault
        )
        blockingFunctions = BlockingFunctions(project: project)
        disablesUserSignUp = permissions?["disabledUserSignup"]?.bool ?? false
        disablesUserDeletion = permissions?["disabledUserDeletion"]?.bool ?? false
    }
}
