extension AuditEvent {
    /// The events that this binary writes, by their stored names.
    package enum Kind: String, Sendable, CaseIterable {
        // What users do.
        case signIn, signUp, firstFactor, link, unlink, update, delete, verifyEmail, changeEmail
        case revertSecondFactorAddition, secureAccount, releaseEmail, passwordReset, sendOobCode, sendVerificationCode
        case mfaEnrollment, mfaWithdrawal, passkeyEnrollment, revokeToken, refused
        // What others do to accounts.
        case create, `import`, export, restored, unlock, impersonation, sessionRevoked, createSessionCookie
        case disabledByFunction, appleNotification
        // Configuration and keys.
        case configCreated, configUpdated, configDeleted, signingKeyRotated, signingKeyRevoked, masterKeyReplaced
        case adminTokenCreated, adminTokenRevoked, serviceAccountCreated, serviceAccountKeyAdded
        case serviceAccountDeleted, serviceAccountToken, serviceAccountRefused, serviceAccountSigned
        // The console and its operators.
        case operatorInvited, operatorInvitationWithdrawn, operatorEnrolled, operatorSignedIn, operatorConfirmed
        case operatorSignedOut, operatorSessionsEnded, operatorRoleChanged, operatorRemoved, operatorPasskeyAdded
        case operatorPasskeyRemoved, operatorPasswordSet, operatorPasswordRemoved, approvalRequested, approvalGiven
        case approvalRejected, approvalUsed
        // Operation.
        case testMailSent, testMessageSent, hookTested, deliveriesHastened, clockConfirmed, auditExported
        case auditRecordsDeleted, backupMade, backupDownloaded, backupRemoved
        // Development.
        case clockMoved, accountsCleared, seedSetSaved, seedSetLoaded, seedLoadUndone, seedLoadGivenUp, seedSetRemoved
    }
}

extension AuditEvent.Kind {
    /// What is known of a kind without its record.
    package struct Facts: Sendable {
        /// The class of a user's act. Acts of others are administration.
        package let recordClass: AuditClass
        /// `nil` for Other of whatever the record is about. Of `refused` and `update` the record says more.
        package let activity: OCSFActivity?
        /// What happened, for the documentation.
        package let text: String

        fileprivate init(_ recordClass: AuditClass, _ activity: OCSFActivity?, _ text: String) {
            self.recordClass = recordClass
            self.activity = activity
            self.text = text
        }
    }

    package var facts: Facts {
        switch self {
        case .signIn: Facts(.signIn, .authentication(.logon), "A user came in.")
        case .signUp: Facts(.signIn, .account(.create), "A user made an account.")
        case .firstFactor: Facts(.signIn, .authentication(.preauthentication), "A user proved the first of two factors.")
        case .link: Facts(.account, nil, "A user linked a way to sign in to the account.")
        case .unlink: Facts(.account, .entity(.delete), "Providers were taken from an account.")
        case .update: Facts(.account, .account(.other), "An account was changed.")
        case .delete: Facts(.account, .account(.delete), "An account was deleted.")
        case .verifyEmail: Facts(.account, nil, "An e-mail address was proven.")
        case .changeEmail: Facts(.account, nil, "An e-mail address was changed or restored by a mailed code.")
        case .revertSecondFactorAddition: Facts(.account, .account(.factorDisable), "A mailed code took a second factor back.")
        case .secureAccount: Facts(.account, nil, "A recovery ended newer ways in, but another account has the address.")
        case .releaseEmail: Facts(.account, .entity(.delete), "An unproven address went to the user who proved it.")
        case .passwordReset: Facts(.account, .account(.passwordReset), "A password was set by a mailed code.")
        case .sendOobCode: Facts(.account, nil, "A code for an address was asked for.")
        case .sendVerificationCode: Facts(.account, nil, "A code for a phone number was asked for.")
        case .mfaEnrollment: Facts(.account, .account(.factorEnable), "A user added a second factor.")
        case .mfaWithdrawal: Facts(.account, .account(.factorDisable), "A user removed a second factor.")
        case .passkeyEnrollment: Facts(.account, nil, "A user added a passkey.")
        case .revokeToken: Facts(.account, .authentication(.logoff), "A user's tokens of Apple were revoked.")
        case .refused: Facts(.refusal, .authentication(.other), "A call was refused.")
        case .create: Facts(.administration, .account(.create), "An administrator made an account.")
        case .import: Facts(.administration, .account(.create), "An account was imported.")
        case .export: Facts(.administration, .entity(.read), "Accounts were read with their secrets, or all as a file.")
        case .restored: Facts(.administration, nil, "A store came back from a backup with new keys.")
        case .unlock: Facts(.administration, nil, "The wrong tries that were counted against an account were forgotten.")
        case .impersonation: Facts(.administration, nil, "An operator signed in as a user.")
        case .sessionRevoked: Facts(.administration, .authentication(.logoff), "A session of a user was ended.")
        case .createSessionCookie: Facts(.administration, .authentication(.ticket), "A session cookie was made for a user.")
        case .disabledByFunction: Facts(.administration, .account(.disable), "A blocking function disabled an account.")
        case .appleNotification: Facts(.administration, nil, "Apple told of a change at an account there.")
        case .configCreated: Facts(.administration, .entity(.create), "A resource of the configuration was made.")
        case .configUpdated: Facts(.administration, .entity(.update), "A resource of the configuration was changed.")
        case .configDeleted: Facts(.administration, .entity(.delete), "A resource of the configuration was deleted.")
        case .signingKeyRotated: Facts(.administration, .entity(.update), "A successor took the place of a signing key.")
        case .signingKeyRevoked: Facts(.administration, .entity(.delete), "A signing key was forgotten.")
        case .masterKeyReplaced: Facts(.administration, nil, "What is sealed was sealed with another master key.")
        case .adminTokenCreated: Facts(.administration, .entity(.create), "An admin token was made.")
        case .adminTokenRevoked: Facts(.administration, .entity(.delete), "An admin token was revoked.")
        case .serviceAccountCreated: Facts(.administration, .entity(.create), "A service account was made.")
        case .serviceAccountKeyAdded: Facts(.administration, .entity(.create), "A service account got a key that stays here.")
        case .serviceAccountDeleted: Facts(.administration, .entity(.delete), "A service account was deleted.")
        case .serviceAccountToken: Facts(.administration, .authentication(.logon), "A service account got an access token.")
        case .serviceAccountRefused: Facts(.administration, .authentication(.logon), "A service account got no access token.")
        case .serviceAccountSigned: Facts(.administration, nil, "A service account had the server sign something.")
        case .operatorInvited: Facts(.administration, .entity(.create), "An operator was invited, or invited to set new factors.")
        case .operatorInvitationWithdrawn: Facts(.administration, .entity(.delete), "An invitation was withdrawn.")
        case .operatorEnrolled: Facts(.administration, .account(.create), "An invited operator set the first factors.")
        case .operatorSignedIn: Facts(.administration, .authentication(.logon), "An operator came in.")
        case .operatorConfirmed: Facts(.administration, .authentication(.logon), "An operator proved a factor again.")
        case .operatorSignedOut: Facts(.administration, .authentication(.logoff), "An operator signed out.")
        case .operatorSessionsEnded: Facts(.administration, .authentication(.logoff), "Sessions of an operator were ended.")
        case .operatorRoleChanged: Facts(.administration, .entity(.update), "An operator got another role or tenant.")
        case .operatorRemoved: Facts(.administration, .account(.delete), "An operator was removed.")
        case .operatorPasskeyAdded: Facts(.administration, .account(.factorEnable), "An operator added a passkey.")
        case .operatorPasskeyRemoved: Facts(.administration, .account(.factorDisable), "An operator removed a passkey.")
        case .operatorPasswordSet: Facts(.administration, .account(.passwordChange), "An operator set a password.")
        case .operatorPasswordRemoved: Facts(.administration, .account(.factorDisable), "An operator removed the password.")
        case .approvalRequested: Facts(.administration, .entity(.create), "An operator asked for consent to an action.")
        case .approvalGiven: Facts(.administration, .entity(.update), "An operator agreed to the action of another one.")
        case .approvalRejected: Facts(.administration, .entity(.delete), "A request for consent was refused or withdrawn.")
        case .approvalUsed: Facts(.administration, nil, "An action was taken with consent.")
        case .testMailSent: Facts(.administration, nil, "A mail was sent to try the delivery.")
        case .testMessageSent: Facts(.administration, nil, "A text message was sent to try the delivery.")
        case .hookTested: Facts(.administration, nil, "A hook was called to try it.")
        case .deliveriesHastened: Facts(.administration, nil, "Events that wait were made due at once.")
        case .clockConfirmed: Facts(.administration, nil, "An operator confirmed the system's clock after a jump.")
        case .auditExported: Facts(.administration, .entity(.read), "The audit trail was taken away as a file.")
        case .auditRecordsDeleted: Facts(.administration, .entity(.delete), "Retention removed records of the trail.")
        case .backupMade: Facts(.administration, .entity(.create), "A backup was made.")
        case .backupDownloaded: Facts(.administration, .entity(.read), "A backup was taken away.")
        case .backupRemoved: Facts(.administration, .entity(.delete), "A backup was removed.")
        case .clockMoved: Facts(.administration, nil, "The clock was moved.")
        case .accountsCleared: Facts(.administration, .entity(.delete), "All accounts were deleted.")
        case .seedSetSaved: Facts(.administration, .entity(.create), "The project was saved as a seed set.")
        case .seedSetLoaded: Facts(.administration, nil, "A seed set was loaded.")
        case .seedLoadUndone: Facts(.administration, nil, "What a seed set had replaced came back.")
        case .seedLoadGivenUp: Facts(.administration, nil, "What a seed set had replaced was given up.")
        case .seedSetRemoved: Facts(.administration, .entity(.delete), "A seed set was removed.")
        }
    }
}
