import Messaging
package import Project
import Settings
import Storage

/// Verifies an iOS app by a secret that is pushed to it and that only the real app receives
/// (`Docs/Contract/phone-and-mfa.md` §3).
package struct IOSAppVerification: UsesRuntime {
    let runtime: Runtime
    let throttle: Throttle
    let push: APNsClient?

    // The SDK keeps the secret and reuses it for this long.
    private static let lifetime = Duration.seconds(86_400 * 7)
    private static let secondsToWait = 5
    private static let secretLength = 43

    /// Pushes a secret to an installation.
    ///
    /// The answer waits for Apple's, so that an app that cannot receive pushes is told at once and shows a page instead. Delivery
    /// to the device may take longer.
    ///
    /// - Parameter deviceToken: `appToken`, in hexadecimal.
    /// - Returns: The receipt that names the secret, and for how many seconds to wait for the push.
    /// - Throws: `APIError` `MISSING_IOS_APP_TOKEN`, `MISSING_CLIENT_IDENTIFIER`, `INVALID_APP_ID`, `INVALID_APP_CREDENTIAL`,
    ///   `TOO_MANY_ATTEMPTS_TRY_LATER`.
    package func verify(
        deviceToken: String?,
        isSandbox: Bool,
        context: CallContext
    ) async throws -> (receipt: String, suggestedTimeout: Int) {
        let deviceToken = try require(deviceToken, .missingIOSAppToken)
        let receipt = environment.randomText(length: Self.secretLength)
        if !mode.verifiesIOSApps { return (receipt, 1) }
        let bundleID = try require(context.iosBundleID, .missingClientIdentifier)
        guard bundleID.wholeMatch(of: /[A-Za-z0-9.\-]{1,155}/) != nil else { throw APIError(.invalidAppID) }
        guard let push, deviceToken.wholeMatch(of: /[0-9A-Fa-f]{8,200}/) != nil else {
            throw APIError(.invalidAppCredential)
        }
        let (now, throttle, scope) = (environment.now(), throttle, context.scope)
        let secret = environment.randomText(length: Self.secretLength)
        let credential = AppCredentialRecord(
            receiptHash: sha256(receipt.utf8),
            secretHash: sha256(secret.utf8),
            bundleID: bundleID,
            expiresAt: now.advanced(by: Self.lifetime)
        )
        // The credential is stored before the push, because an app may use the secret before Apple's answer arrives.
        try await database.write {
            try throttle.count(.appProofs, context, at: now, in: $0)
            try $0.insertAppCredential(scope, credential)
        }
        do {
            try await push.sendBackground(
                Self.payload(receipt: receipt, secret: secret),
                to: deviceToken.lowercased(),
                topic: bundleID,
                isSandbox: isSandbox,
                at: now
            )
        } catch {
            try await database.write { try $0.deleteAppCredential(receiptHash: credential.receiptHash) }
            throw APIError(.invalidAppCredential, cause: error)
        }
        return (receipt, Self.secondsToWait)
    }

    private static func payload(receipt: String, secret: String) -> JSONValue {
        [
            "aps": ["content-available": 1],
            "com.google.firebase.auth": ["receipt": .string(receipt), "secret": .string(secret)],
        ]
    }
}
