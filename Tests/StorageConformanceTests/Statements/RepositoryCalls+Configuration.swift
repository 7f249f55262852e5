import Project
import Storage

extension RepositoryCall {
    private static let count = DailyCount(
        key: DailyCount.Key(projectID: "p", tenantKey: "", day: 1, metric: "signIns", label: "password"),
        count: 1
    )

    static let configuration: [RepositoryCall] = [
        RepositoryCall("putResource(_:_:at:)") {
            try $0.putResource(scope, ResourceRecord(kind: .tenant, resourceID: "t", document: ["a": 1]), at: time)
        },
        RepositoryCall("resource(_:kind:resourceID:)") { _ = try $0.resource(scope, kind: .tenant, resourceID: "t") },
        RepositoryCall("resources(_:)") { _ = try $0.resources(scope) },
        RepositoryCall("resources(_:kind:after:limit:)") {
            _ = try $0.resources(scope, kind: .tenant)
            _ = try $0.resources(scope, kind: .tenant, after: "a", limit: 10)
        },
        RepositoryCall("resourceSizes(_:kind:)") { _ = try $0.resourceSizes(scope, kind: .tenant) },
        RepositoryCall("projectResources(kind:)") { _ = try $0.projectResources(kind: .config) },
        RepositoryCall("resources(kind:)") { _ = try $0.resources(kind: .tenant) },
        RepositoryCall("resources(kind:resourceID:)") { _ = try $0.resources(kind: .tenant, resourceID: "t") },
        RepositoryCall("deleteResource(_:kind:resourceID:)") {
            _ = try $0.deleteResource(scope, kind: .iamPolicy, resourceID: "none")
        },
        RepositoryCall("insertConfigChange(_:_:keeping:)") {
            let change = ConfigChangeRecord(
                eventID: "e",
                changedAt: time,
                kind: .config,
                resourceID: "config",
                action: .updated,
                actor: "cli",
                members: []
            )
            try $0.insertConfigChange(scope, change, keeping: 10)
        },
        RepositoryCall("configChanges(_:limit:)") { _ = try $0.configChanges(scope, limit: 10) },
        RepositoryCall("configChange(_:eventID:)") { _ = try $0.configChange(scope, eventID: "e") },
        RepositoryCall("add(_:)") { try $0.add([count]) },
        RepositoryCall("dailyCounts(_:tenantKey:since:limit:)") {
            _ = try $0.dailyCounts("p", tenantKey: "", since: 0, limit: 10)
        },
        RepositoryCall("deleteDailyCounts(before:limit:)") { _ = try $0.deleteDailyCounts(before: 9, limit: 10) },
        RepositoryCall("insertSigningKey(_:)") {
            let key = SigningKeyRecord(
                kid: "k",
                purpose: "idTokens",
                sealedPrivateKey: "sealed",
                certificate: "c",
                createdAt: time
            )
            try $0.insertSigningKey(key)
        },
        RepositoryCall("signingKeyPurposes()") { _ = try $0.signingKeyPurposes() },
        RepositoryCall("signingKeys(purpose:)") { _ = try $0.signingKeys(purpose: "idTokens") },
        RepositoryCall("retireSigningKey(purpose:at:)") { try $0.retireSigningKey(purpose: "idTokens", at: time) },
        RepositoryCall("activateNextSigningKey(purpose:at:)") {
            _ = try $0.activateNextSigningKey(purpose: "idTokens", at: time)
        },
        RepositoryCall("deleteSigningKey(_:purpose:)") { _ = try $0.deleteSigningKey("none", purpose: "idTokens") },
        RepositoryCall("deleteSigningKeys(purpose:retiredBefore:)") {
            try $0.deleteSigningKeys(purpose: "idTokens", retiredBefore: time)
        },
        RepositoryCall("notePasswordWork(_:_:at:)") { try $0.notePasswordWork("{}", scope, at: time) },
        RepositoryCall("passwordWork(_:limit:)") { _ = try $0.passwordWork(scope, limit: 10) },
        RepositoryCall("forgetPasswordWork(notedBefore:)") { _ = try $0.forgetPasswordWork(notedBefore: time) },
    ]

    /// Calls that read or empty whole tables, which come last.
    static let store: [RepositoryCall] = [
        RepositoryCall("passwordTexts(after:limit:)") {
            let first = try $0.passwordTexts(after: nil, limit: 1)
            _ = try $0.passwordTexts(after: first.last, limit: 1)
        },
        RepositoryCall("sealedRows(_:after:limit:)") {
            for column in [SealedColumn.resource, .flowSecrets, .email, .secondFactors, .shownOOBCode, .shownSMSCode] {
                let first = try $0.sealedRows(column, after: nil, limit: 1)
                _ = try $0.sealedRows(column, after: first.last?.key, limit: 1)
            }
        },
        RepositoryCall("replace(_:of:by:)") {
            guard let row = try $0.sealedRows(.resource, after: nil, limit: 1).first else { return }
            _ = try $0.replace(row, of: .resource, by: "{}")
        },
        RepositoryCall("deleteFirstAccounts(of:limit:)") { _ = try $0.deleteFirstAccounts(of: tenant, limit: 10) },
        RepositoryCall("deleteTenant(_:)") { try $0.deleteTenant(tenant) },
        RepositoryCall("endAllSessions(at:)") { _ = try $0.endAllSessions(at: time) },
        RepositoryCall("forgetWhatWasBegun()") { try $0.forgetWhatWasBegun() },
        RepositoryCall("deleteAllAccounts(_:)") { try $0.deleteAllAccounts(scope) },
    ]
}
