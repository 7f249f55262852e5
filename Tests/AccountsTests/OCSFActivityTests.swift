import Foundation
import Project
import Storage
import Testing

@testable import Accounts

@Suite("Audit records as events of OCSF")
struct OCSFActivityTests {
    private static func activity(
        _ name: String,
        of localID: String? = nil,
        _ detail: JSONValue? = nil
    ) -> OCSFActivity {
        OCSFActivity(
            AuditEvent(
                eventID: "e",
                occurredAt: Timestamp(milliseconds: 0),
                event: name,
                localID: localID,
                actor: "operator:ada@example.com",
                address: nil,
                detail: detail
            )
        )
    }

    @Test("what operators do at the door is an authentication, whether it succeeds or not")
    func operators() {
        #expect(Self.activity("operatorSignedIn") == .authentication(.logon))
        #expect(Self.activity("operatorConfirmed") == .authentication(.logon))
        #expect(Self.activity("operatorSignedOut") == .authentication(.logoff))
        #expect(Self.activity("operatorSessionsEnded") == .authentication(.logoff))
        for code in ["wrongCredentials", "passkeyRefused", "ceremonyEnded", "tooManyAttempts"] {
            #expect(Self.activity("refused", of: nil, ["code": .string(code)]) == .authentication(.logon), "\(code)")
        }
        #expect(Self.activity("refused", of: nil, ["code": "notAllowed"]) == .authentication(.other))
    }

    @Test("what removes something is no Other, and no such name is missing here")
    func removals() throws {
        let root = URL(filePath: #filePath).appending(path: "../../../Sources").standardized
        let name = /"([a-z][A-Za-z]{0,40}(?:Removed|Deleted|Revoked|Withdrawn|Withdrawal|Ended|Cleared|Rejected))"/
        var names: Set<String> = ["unlink", "releaseEmail", "delete", "operatorSignedOut", "revertSecondFactorAddition"]
        for module in ["Accounts", "Tenancy", "Tokens", "Server/Store", "Console"] {
            let folder = root.appending(path: module)
            let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            for case let file as URL in files where file.pathExtension == "swift" {
                for match in try String(contentsOf: file, encoding: .utf8).matches(of: name) { names.insert(String(match.1)) }
            }
        }
        #expect(
            names.isSuperset(of: ["operatorRemoved", "mfaWithdrawal", "configDeleted", "adminTokenRevoked", "backupRemoved"])
        )
        // These end nothing that the trail is about.
        let others: Set = ["ceremonyEnded", "invitationEnded", "sessionsRevoked"]
        for name in names.subtracting(others) {
            for localID in [nil, "u"] { #expect(Self.activity(name, of: localID).id != 99, "\(name)") }
        }
    }

    @Test("an update says what it did, and what it took away first")
    func updates() {
        func update(_ detail: JSONValue?) -> OCSFActivity { Self.activity("update", of: "u", detail) }
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
