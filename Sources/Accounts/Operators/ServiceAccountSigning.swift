package import Project
import Storage
import Tokens

/// Signs for service accounts with keys that Postern holds, as `projects.serviceAccounts.signBlob` of Google's IAM does. With it the
/// Admin SDKs make custom tokens without a key file.
///
/// A signed token outlives the credential of the administrator who asked for it. So only such custom tokens are signed as would sign a
/// user in now, and never an assertion, which would give its bearer more than the administrator has.
package struct ServiceAccountSigning: Sendable {
    let database: any Database
    let environment: ServerEnvironment
    let sealer: TokenSealer
    let serviceAccounts: ServiceAccountDirectory

    private static let maximumLength = 32 * 1024
    // It stands between the parts of every token (RFC 7515 §3.1).
    private static let separator = UInt8(ascii: ".")

    /// Signs bytes (RSASSA-PKCS1-v1_5 with SHA-256). Bytes with a dot are taken for the signing input of a token.
    ///
    /// - Parameter blob: The bytes, 32 KiB at most.
    /// - Throws: `APIError` `SERVICE_ACCOUNT_NOT_FOUND`, `INVALID_ARGUMENT`, and `INVALID_CUSTOM_TOKEN` for a token that would
    ///   not sign in.
    package func sign(
        _ blob: [UInt8],
        for email: String,
        context: CallContext
    ) async throws -> (keyID: String, bytes: [UInt8]) {
        let projectID = context.scope.projectID
        guard blob.count <= Self.maximumLength else {
            throw APIError(.invalidArgument, "The payload must have \(Self.maximumLength) bytes at most.")
        }
        let key = try await heldKey(of: email, context)
        let privateKey = try sealer.open(
            key.sealedPrivateKey,
            for: .serviceAccountKey,
            scope: Scope(projectID: projectID)
        )
        let signature = try RSATokenSigner(privateKey: privateKey).sign(blob)
        var localID: String?
        if blob.contains(Self.separator) {
            localID = try user(of: blob, signature, by: email, key.publicKey)
        }
        try await record(email, key.keyID, localID: localID, context: context)
        return (key.keyID, signature)
    }

    /// An account with a key file gets a key of this kind when a signature is first asked for.
    private func heldKey(of email: String, _ context: CallContext) async throws -> ServiceAccountDirectory.HeldKey {
        let projectID = context.scope.projectID
        if let key = try await serviceAccounts.heldKey(of: email, projectID: projectID) { return key }
        let registry = ServiceAccountRegistry(database: database, environment: environment, context: context)
        do {
            try await registry.addHeldKey(to: email, sealer: sealer)
        } catch ServiceAccountRegistry.RegistryError.missing {
            throw APIError(.serviceAccountNotFound)
        }
        return try require(try await serviceAccounts.heldKey(of: email, projectID: projectID), .serviceAccountNotFound)
    }

    /// Checks the finished token as a sign-in does.
    private func user(
        of blob: [UInt8],
        _ signature: [UInt8],
        by email: String,
        _ publicKey: VerificationKey
    ) throws -> String? {
        let token = try CustomToken(String(decoding: blob, as: UTF8.self) + "." + Base64URL.encode(signature))
        try token.checkAudience()
        guard bytesEqual(try token.account(), email) else {
            throw APIError(.invalidCustomToken, "The issuer (iss) is not the service account that signs.")
        }
        try token.verify(with: [publicKey], at: environment.now().seconds)
        return CustomToken.uid(in: token.payload).flatMap { LocalID.isAcceptable($0) ? $0 : nil }
    }

    private func record(_ email: String, _ keyID: String, localID: String?, context: CallContext) async throws {
        let detail: JSONValue = ["email": .string(email), "keyId": .string(keyID)]
        let event = context.auditEvent(.serviceAccountSigned, of: localID, detail, by: environment)
        try await database.write { try $0.insertAuditEvent(context.scope.project, event) }
    }
}
