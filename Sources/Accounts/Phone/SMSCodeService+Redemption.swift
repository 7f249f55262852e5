import Foundation
package import Project
import Settings
import Storage
import Tenancy
import Tokens

// Checking codes that come back (`Docs/Contract/phone-and-mfa.md` §2).
extension SMSCodeService {
    /// Checks a code and uses its session up.
    ///
    /// - Returns: The proven number, in E.164.
    /// - Throws: `APIError` `INVALID_SESSION_INFO`, `SESSION_EXPIRED`, `INVALID_CODE`.
    package func redeem(
        sessionInfo: String,
        code: String,
        for purpose: SMSCodePurpose,
        context: CallContext
    ) async throws -> String {
        let number = try await verify(sessionInfo, code, context, where: { $0 == purpose.text }) { transaction, record in
            guard try transaction.deleteSMSCode(codeID: record.codeID) else { throw APIError(.invalidSessionInfo) }
            return record.phoneNumber
        }
        let policy = try await configurations.configuration(of: context.scope).phone
        if policy.testCodes[number] == nil {
            environment.count("postern_sms_codes_redeemed_total", [("region", PhoneNumber.region(of: number) ?? "none")])
            note(.smsRedeemed, number, in: context.scope)
        }
        return number
    }

    /// Checks the code of a second factor's session without using it up. A wrong code counts as a try.
    package func checkSecondFactor(sessionInfo: String, code: String, context: CallContext) async throws {
        try await verify(sessionInfo, code, context, where: SMSCodePurpose.isSecondFactor) { _, _ in }
    }

    private func verify<Value: Sendable>(
        _ sessionInfo: String,
        _ code: String,
        _ context: CallContext,
        where isFor: @escaping @Sendable (_ purpose: String) -> Bool,
        whenRight: @escaping @Sendable (Transaction, SMSCodeRecord) throws -> Value
    ) async throws -> Value {
        let scope = context.scope
        guard let opened = try? sealer.open(sessionInfo, for: .smsSession, scope: scope) else {
            throw APIError(.invalidSessionInfo)
        }
        let codeID = String(decoding: opened.prefix(Self.codeIDLength), as: UTF8.self)
        let hashes = try sealer.authenticationCodes(of: Self.hashed(code, codeID), for: .smsCode)
        let testCodes = mode.throttles ? try await configurations.configuration(of: scope).phone.testCodes : [:]
        let (now, mode, limits, throttle) = (environment.now(), mode, limits, throttle)
        let verified = try await database.write { transaction -> Verified<Value> in
            guard let record = try transaction.smsCode(scope, codeID: codeID), isFor(record.purpose) else {
                throw APIError(.invalidSessionInfo)
            }
            if record.expiresAt <= now || (mode.codesExpire && record.tries >= limits.maxTries) {
                throw APIError(.sessionExpired).about(record.subject)
            }
            let (number, isFictional) = (record.phoneNumber, testCodes[record.phoneNumber] != nil)
            if isFictional { try throttle.check(guessAt: number, context: context, at: now, in: transaction) }
            guard hashes.contains(where: { constantTimeEqual($0, record.codeMAC) }) else {
                if isFictional { try throttle.count(wrongGuessAt: number, context: context, at: now, in: transaction) }
                try transaction.countSMSCodeTry(codeID: codeID)
                return .wrong(record.subject)
            }
            return .right(try whenRight(transaction, record))
        }
        switch verified {
        case .right(let value): return value
        case .wrong(let subject): throw APIError(.invalidCode).about(subject)
        }
    }
}

/// What checking a code found. A wrong code is a value, so that its count is committed and no later failure undoes it. All other
/// refusals are thrown.
private enum Verified<Value: Sendable>: Sendable {
    case right(Value)
    case wrong(APIError.Subject?)
}

extension SMSCodeRecord {
    /// Whose account a code for signing in leads to. Codes for second factors lead to none: the call has a token or credential of its
    /// account, and the number need not be the account's.
    fileprivate var subject: APIError.Subject? { purpose == SMSCodePurpose.signIn.text ? .phoneNumber(phoneNumber) : nil }
}
