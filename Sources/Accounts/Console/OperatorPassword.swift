import Foundation
import Passwords
import Project
import Storage
import Tokens

/// The other way for operators: a password, and a code of an authenticator app with it. Neither is enough alone.
package struct OperatorPassword: Sendable {
    let base: OperatorServices
    let hasher: PasswordHasher

    /// Characters of a password at least.
    package static let minimumLength = 12

    private static let enrollmentTime = Duration.seconds(600)
    private static let adjacentIntervals = 1
    private static let maximumPasswordBytes = 1024

    /// A secret that the operator is about to set up.
    package struct Offer: Sendable {
        /// The secret in base32.
        package let secret: String
        /// `otpauth://` (Key URI Format).
        package let uri: String
        /// The offer, sealed: it comes back with the first code.
        package let sealed: String
    }

    private struct Content: Codable {
        let subject: String
        let secret: [UInt8]
    }

    /// What is sealed in the store: the secret with its holder, so that no row's secret serves another.
    private struct Stored: Codable {
        let operatorID: String
        let secret: [UInt8]
    }

    /// Draws a secret.
    func offer(for subject: String, email: String) throws -> Offer {
        let secret = base.environment.random(TOTP.secretLength)
        let deadline = base.environment.now().advanced(by: Self.enrollmentTime)
        let sealed = try base.sealer.seal(
            JSONEncoder().encode(Content(subject: subject, secret: secret)),
            for: .operatorEnrollment,
            scope: base.scope,
            expiresAt: deadline
        )
        let text = TOTP.base32(secret)
        let name = PercentEncoding.encode("Postern \(base.projectID):\(email)")
        let issuer = PercentEncoding.encode("Postern \(base.projectID)")
        return Offer(secret: text, uri: "otpauth://totp/\(name)?secret=\(text)&issuer=\(issuer)", sealed: sealed)
    }

    /// A password and secret that were checked and hashed, for the store.
    struct Prepared: Sendable {
        let passwordHash: String
        let sealedTOTP: String
        let step: Int64
    }

    /// Checks a new password and the first code of an offered secret.
    ///
    /// - Throws: ``OperatorError``; `APIError` when the server has too much to do.
    func prepare(
        _ password: String,
        code: String,
        offer: String,
        subject: String,
        of operatorID: String,
        from client: CallContext
    ) async throws -> Prepared {
        guard let data = try? base.sealer.open(offer, for: .operatorEnrollment, scope: base.scope),
            let content = try? JSONDecoder().decode(Content.self, from: data), content.subject == subject
        else { throw OperatorError.ceremonyEnded }
        guard password.utf8.count <= Self.maximumPasswordBytes, password.unicodeScalars.count >= Self.minimumLength else {
            throw OperatorError.weakPassword
        }
        guard let step = accepted(code, secret: content.secret, after: nil) else { throw OperatorError.wrongCode }
        let stored = try JSONEncoder().encode(Stored(operatorID: operatorID, secret: content.secret))
        return Prepared(
            passwordHash: try await hasher.hash(password, for: Self.share(of: client)).text,
            sealedTOTP: try base.sealer.seal(stored, for: .operatorTOTP),
            step: step
        )
    }

    /// Checks password and code of an operator. An unknown operator costs the same time.
    ///
    /// - Parameter client: Whose share of the hashing queue this takes, so that strangers who try leave the queue to others.
    /// - Returns: The step of the code; the transaction still has to record it.
    /// - Throws: ``OperatorError/wrongCredentials``; `APIError` when the server has too much to do.
    func check(
        _ password: String,
        code: String,
        of record: OperatorRecord?,
        from client: CallContext
    ) async throws -> Int64 {
        let stored = record?.passwordHash.flatMap { StoredPassword(text: $0) }
        let verdict = try await hasher.verify(password, against: stored, for: Self.share(of: client))
        guard case .right = verdict, let record, let sealed = record.sealedTOTP,
            let data = try? base.sealer.open(sealed, for: .operatorTOTP),
            let content = try? JSONDecoder().decode(Stored.self, from: data), content.operatorID == record.operatorID,
            let step = accepted(code, secret: content.secret, after: record.totpStep)
        else { throw OperatorError.wrongCredentials }
        return step
    }

    private static func share(of client: CallContext) -> HashingClient { ClientNetwork(client.address).hashingClient() }

    private func accepted(_ code: String, secret: [UInt8], after last: Int64?) -> Int64? {
        let digits = String(decoding: code.utf8.prefix(16).filter { $0 != UInt8(ascii: " ") }, as: UTF8.self)
        return TOTP.acceptedStep(
            digits,
            secret: secret,
            after: last,
            adjacentIntervals: Self.adjacentIntervals,
            // The app that shows the code knows nothing of a clock that was moved.
            at: base.environment.systemTime()
        )
    }
}

extension OperatorRecord {
    /// Removes password and authenticator app, which are one factor.
    mutating func removePassword() { (passwordHash, sealedTOTP, totpStep) = (nil, nil, nil) }
}

extension Transaction {
    /// Records the step of a code, which is then not accepted again.
    ///
    /// - Throws: ``OperatorError/wrongCredentials`` when password, secret or step have changed since they were checked.
    func useCode(_ step: Int64, of record: OperatorRecord, _ project: String) throws -> OperatorRecord {
        guard var current = try consoleOperator(project, id: record.operatorID), current.passwordHash == record.passwordHash,
            current.sealedTOTP == record.sealedTOTP, current.totpStep.map({ step > $0 }) ?? true
        else { throw OperatorError.wrongCredentials }
        current.totpStep = step
        try updateOperator(project, current)
        return current
    }
}
