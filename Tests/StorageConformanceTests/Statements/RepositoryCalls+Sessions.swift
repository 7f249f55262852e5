import Project
import Storage

extension RepositoryCall {
    private static func session(_ number: UInt8) -> SessionRecord {
        SessionRecord(
            tokenHash: [number],
            scope: scope,
            localID: "u",
            sessionID: "s\(number)",
            signInProvider: "password",
            authTime: time.seconds,
            createdAt: time.advanced(by: .seconds(Int64(number)))
        )
    }

    static let sessions: [RepositoryCall] = [
        RepositoryCall("insertSession(_:)") {
            for number in 1...3 as ClosedRange<UInt8> { try $0.insertSession(session(number)) }
        },
        RepositoryCall("liveSessions(_:localID:)") { _ = try $0.liveSessions(scope, localID: "u") },
        RepositoryCall("endSurplusSessions(_:localID:keep:at:)") {
            try $0.endSurplusSessions(scope, localID: "u", keep: 1, at: time)
        },
        RepositoryCall("session(tokenHash:)") { _ = try $0.session(tokenHash: [1]) },
        RepositoryCall("session(_:localID:sessionID:)") { _ = try $0.session(scope, localID: "u", sessionID: "s1") },
        RepositoryCall("touchSession(tokenHash:at:)") { try $0.touchSession(tokenHash: [1], at: time) },
        RepositoryCall("revokeSession(_:localID:sessionID:at:)") {
            _ = try $0.revokeSession(scope, localID: "u", sessionID: "none", at: time)
        },
        RepositoryCall("revokeSessions(_:localID:createdBefore:at:)") {
            try $0.revokeSessions(scope, localID: "u", createdBefore: time, at: time)
        },
        RepositoryCall("revokeSessions(_:localID:signInProvider:at:)") {
            try $0.revokeSessions(scope, localID: "u", signInProvider: "none", at: time)
        },
        RepositoryCall("revokeSessions(_:localID:enrollmentID:at:)") {
            try $0.revokeSessions(scope, localID: "u", enrollmentID: "none", at: time)
        },
        RepositoryCall("revokeSessions(_:localID:at:)") { try $0.revokeSessions(scope, localID: "u", at: time) },
        RepositoryCall("deleteLiveSessions(_:localID:)") { try $0.deleteLiveSessions(scope, localID: "other") },
        RepositoryCall("deleteSession(tokenHash:)") { try $0.deleteSession(tokenHash: [1]) },
        RepositoryCall("deleteExpired(_:before:limit:)") { _ = try $0.deleteExpired(.sessions, before: later, limit: 10) },
        RepositoryCall("useCredential(_:hash:expiresAt:)") { _ = try $0.useCredential(scope, hash: [1], expiresAt: time) },
        RepositoryCall("usedCredentialExpiry(_:hash:)") { _ = try $0.usedCredentialExpiry(scope, hash: [1]) },
        RepositoryCall("forgetCredential(_:hash:)") { try $0.forgetCredential(scope, hash: [2]) },
        RepositoryCall("deleteExpired(_:before:limit:)") {
            _ = try $0.deleteExpired(.usedCredentials, before: later, limit: 10)
        },
    ]

    static let throttles: [RepositoryCall] = [
        RepositoryCall("countThrottle(_:bucket:of:at:window:)") {
            for window in [ThrottleWindow.fixed(.seconds(1)), .sliding(.seconds(1))] {
                _ = try $0.countThrottle(scope, bucket: "b", at: time, window: window)
            }
        },
        RepositoryCall("throttle(_:bucket:)") { _ = try $0.throttle(scope, bucket: "b") },
        RepositoryCall("blockThrottle(_:bucket:until:)") { try $0.blockThrottle(scope, bucket: "b", until: time) },
        RepositoryCall("takeBackThrottle(_:bucket:endingAt:)") { try $0.takeBackThrottle(scope, bucket: "b", endingAt: time) },
        RepositoryCall("throttle(_:bucket:of:)") {
            _ = try $0.countThrottle(scope, bucket: "own", of: "u", at: time, window: .fixed(.seconds(1)))
            _ = try $0.throttle(scope, bucket: "own", of: "u")
        },
        RepositoryCall("settleThrottle(_:bucket:)") { try $0.settleThrottle(scope, bucket: "b") },
        RepositoryCall("settleAllOfThrottle(_:bucket:countedUntil:)") {
            try $0.settleAllOfThrottle(scope, bucket: "b", countedUntil: time)
        },
        RepositoryCall("takeBackOpenThrottle(_:bucket:)") { try $0.takeBackOpenThrottle(scope, bucket: "b") },
        RepositoryCall("forgiveThrottle(_:bucket:)") { try $0.forgiveThrottle(scope, bucket: "own") },
        RepositoryCall("deleteThrottles(_:localID:prefixes:)") {
            try $0.deleteThrottles(scope, localID: "u", prefixes: ["usual:", "changes:"])
        },
        RepositoryCall("resetThrottle(_:bucket:)") { try $0.resetThrottle(scope, bucket: "none") },
        RepositoryCall("resetThrottles(_:bucket:)") { _ = try $0.resetThrottles(scope, bucket: "none") },
        RepositoryCall("deleteExpired(_:before:limit:)") { _ = try $0.deleteExpired(.throttles, before: later, limit: 10) },
    ]
}
