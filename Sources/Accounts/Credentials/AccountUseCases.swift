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
}
