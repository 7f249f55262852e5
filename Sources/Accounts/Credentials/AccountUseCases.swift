/// What users do with their accounts and sessions.
package struct AccountUseCases: Sendable {
    package let reader: AccountReader
    package let update: AccountUpdate
    package let requestedUpdate: RequestedUpdate
    package let deletion: AccountDeletion
    package let secondFactorEnrollment: SecondFactorEnrollment
    package let secondFactorWithdrawal: SecondFactorWithdrawal
    package let passkeyEnrollment: PasskeyEnrollment
    package let tokenRefresh: TokenRefresh

    init(_ ground: Ground, _ parts: SharedParts, _ codes: CodeUseCases) {
        let (notices, renewal) = (parts.notices, parts.renewal)
        reader = AccountReader(ground: ground)
        update = AccountUpdate(ground: ground, mint: parts.mint, credentials: parts.credentials, notices: notices)
        requestedUpdate = RequestedUpdate(ground: ground, update: update, codes: codes.application)
        deletion = AccountDeletion(ground: ground)
        secondFactorEnrollment = SecondFactorEnrollment(
            ground: ground,
            smsCodes: parts.smsCodes,
            notices: notices,
            renewal: renewal
        )
        secondFactorWithdrawal = SecondFactorWithdrawal(ground: ground, notices: notices, renewal: renewal)
        passkeyEnrollment = PasskeyEnrollment(
            ground: ground,
            challenges: parts.challenges,
            notices: notices,
            renewal: renewal
        )
        tokenRefresh = TokenRefresh(ground: ground, mint: parts.mint)
    }
}
