import Project
import Storage
import Testing

@testable import Accounts

@Suite("Audit records as events of OCSF")
struct OCSFActivityTests {
    private static func activity(
        _ kind: AuditEvent.Kind,
        of localID: String? = nil,
        _ detail: JSONValue? = nil
    ) -> OCSFActivity {
        OCSFActivity(
            AuditEvent(
                eventID: "e",
                occurredAt: Timestamp(milliseconds: 0),
                event: kind,
                localID: localID,
                actor: "operator:ada@example.com",
                address: nil,
                detail: detail
            )
        )
    }

    @Test("what operators do at the door is an authentication, whether it succeeds or not")
    func operators() {
        #expect(Self.activity(.operatorSignedIn) == .authentication(.logon))
        #expect(Self.activity(.operatorConfirmed) == .authentication(.logon))
        #expect(Self.activity(.operatorSignedOut) == .authentication(.logoff))
        #expect(Self.activity(.operatorSessionsEnded) == .authentication(.logoff))
        for code in ["wrongCredentials", "passkeyRefused", "ceremonyEnded", "tooManyAttempts"] {
            #expect(Self.activity(.refused, of: nil, ["code": .string(code)]) == .authentication(.logon), "\(code)")
        }
        #expect(Self.activity(.refused, of: nil, ["code": "notAllowed"]) == .authentication(.other))
    }

    // `type_uid` of every event that has one of its own; the others are Other.
    private static let known: [Int64: [AuditEvent.Kind]] = [
        300101: [.signUp, .create, .import, .operatorEnrolled],
        300103: [.operatorPasswordSet],
        300104: [.passwordReset],
        300105: [.disabledByFunction],
        300106: [.delete, .operatorRemoved],
        300110: [.mfaEnrollment, .operatorPasskeyAdded],
        300111: [.revertSecondFactorAddition, .mfaWithdrawal, .operatorPasskeyRemoved, .operatorPasswordRemoved],
        300201: [.signIn, .serviceAccountToken, .serviceAccountRefused, .operatorSignedIn, .operatorConfirmed],
        300202: [.revokeToken, .sessionRevoked, .operatorSignedOut, .operatorSessionsEnded],
        300203: [.createSessionCookie],
        300206: [.firstFactor],
        300401: [
            .configCreated, .adminTokenCreated, .serviceAccountCreated, .serviceAccountKeyAdded, .operatorInvited,
            .approvalRequested, .backupMade, .seedSetSaved,
        ],
        300402: [.export, .auditExported, .backupDownloaded],
        300403: [.configUpdated, .signingKeyRotated, .operatorRoleChanged, .approvalGiven],
        300404: [
            .unlink, .releaseEmail, .configDeleted, .signingKeyRevoked, .adminTokenRevoked, .serviceAccountDeleted,
            .operatorInvitationWithdrawn, .approvalRejected, .auditRecordsDeleted, .backupRemoved, .accountsCleared,
            .seedSetRemoved,
        ],
    ]

    @Test("every event has its activity, and an event without one is Other of its account or entity")
    func table() {
        var seen: Set<AuditEvent.Kind> = [.update, .refused]
        for (typeUID, kinds) in Self.known {
            for kind in kinds {
                for localID in [nil, "u"] { #expect(Self.activity(kind, of: localID).typeUID == typeUID, "\(kind)") }
                #expect(seen.insert(kind).inserted, "\(kind)")
            }
        }
        for kind in Set(AuditEvent.Kind.allCases).subtracting(seen) {
            #expect(Self.activity(kind).typeUID == 300_499, "\(kind)")
            #expect(Self.activity(kind, of: "u").typeUID == 300_199, "\(kind)")
        }
    }

    @Test("what removes something is no Other")
    func removals() {
        let ending = /(Removed|Deleted|Revoked|Withdrawn|Withdrawal|Ended|Cleared|Rejected)$/
        for kind in AuditEvent.Kind.allCases where kind.rawValue.contains(ending) {
            for localID in [nil, "u"] { #expect(Self.activity(kind, of: localID).id != 99, "\(kind)") }
        }
    }

    @Test("an update says what it did, and what it took away first")
    func updates() {
        func update(_ detail: JSONValue?) -> OCSFActivity { Self.activity(.update, of: "u", detail) }
        #expect(update(["changed": ["disabled": true]]) == .account(.disable))
        #expect(update(["changed": ["disabled": false]]) == .account(.enable))
        let replaced: JSONValue = ["changed": ["factorsAdded": [["id": "a"]], "factorsRemoved": [["id": "b"]]]]
        #expect(update(replaced) == .account(.factorDisable))
        #expect(update(["changed": ["factorsAdded": [["id": "a"]]]]) == .account(.factorEnable))
        #expect(update(["passkeys": ["p"]]) == .account(.factorDisable))
        #expect(update(["providers": ["phone"]]) == .entity(.delete))
        #expect(update(["fields": ["deleteAttribute"]]) == .entity(.delete))
        #expect(update(["fields": ["password"]]) == .account(.passwordChange))
        #expect(update(["fields": ["validSince"]]) == .authentication(.logoff))
        #expect(update(nil) == .account(.other))
    }
}
