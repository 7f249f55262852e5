import Project
import Storage

extension RepositoryCall {
    private static let chain = AuditChainKey(scope: scope, recordClass: "signIn")

    private static func event(_ id: String, seconds: Int64 = 0) -> AuditEvent {
        AuditEvent(
            eventID: id,
            occurredAt: time.advanced(by: .seconds(seconds)),
            event: .signIn,
            localID: "u",
            actor: AuditEvent.user,
            address: nil
        )
    }

    static let audit: [RepositoryCall] = [
        RepositoryCall("insertAuditEvent(_:_:isFirst:)") {
            try $0.insertAuditEvent(scope, event("e1"), isFirst: true)
            try $0.insertAuditEvent(scope, event("e2", seconds: 1))
        },
        RepositoryCall("countAuditRepetitions(_:of:at:)") { _ = try $0.countAuditRepetitions(1, of: "e1", at: time) },
        RepositoryCall("auditEvents(_:_:)") {
            let place = try $0.placeOfAuditEvent(scope, eventID: "e1")
            for localID in [nil, "u"] {
                for event in [nil, "signIn"] {
                    var filter = AuditFilter(localID: localID, event: event, limit: 10)
                    _ = try $0.auditEvents(scope, filter)
                    filter.since = time
                    filter.after = place
                    _ = try $0.auditEvents(scope, filter)
                }
            }
        },
        RepositoryCall("placeOfAuditEvent(_:eventID:)") { _ = try $0.placeOfAuditEvent(scope, eventID: "e1") },
        RepositoryCall("unchainedAuditRows(closedBefore:after:limit:)") {
            let rows = try $0.unchainedAuditRows(closedBefore: later, limit: 1)
            _ = try $0.unchainedAuditRows(closedBefore: later, after: rows.last, limit: 1)
        },
        RepositoryCall("countUnchainedAuditRows(_:)") { _ = try $0.countUnchainedAuditRows(scope) },
        RepositoryCall("chainAuditRow(_:in:seq:hash:)") { try $0.chainAuditRow("e1", in: "signIn", seq: 1, hash: "h") },
        RepositoryCall("signAuditRow(_:checkpoint:)") { try $0.signAuditRow("e1", checkpoint: "signed") },
        RepositoryCall("storeAuditChain(_:)") {
            let ends = AuditChainEnds(key: chain, headSeq: 1, headHash: "h", headCheckpoint: "signed", cutSeq: 0, cutHash: "")
            try $0.storeAuditChain(ends)
        },
        RepositoryCall("auditChain(_:)") { _ = try $0.auditChain(chain) },
        RepositoryCall("auditChainKeys(ofProject:)") {
            _ = try $0.auditChainKeys(ofProject: "p")
            _ = try $0.auditChainKeys(ofProject: nil)
        },
        RepositoryCall("chainedAuditRows(_:after:limit:)") {
            _ = try $0.chainedAuditRows(chain, after: AuditRow.beforeAll, limit: 10)
        },
        RepositoryCall("chainOfOldestAuditRow(inClass:before:except:)") {
            _ = try $0.chainOfOldestAuditRow(inClass: "signIn", before: later)
            _ = try $0.chainOfOldestAuditRow(inClass: "signIn", before: later, except: [chain])
        },
        RepositoryCall("countAuditRowsWithoutChain(ofProject:)") { _ = try $0.countAuditRowsWithoutChain(ofProject: "p") },
        RepositoryCall("deleteChainedAuditRows(_:through:)") { _ = try $0.deleteChainedAuditRows(chain, through: 1) },
        RepositoryCall("auditChains(notAt:limit:)") { _ = try $0.auditChains(notAt: "receiver", limit: 10) },
        RepositoryCall("auditCursor(_:_:)") { _ = try $0.auditCursor("receiver", chain) },
        RepositoryCall("moveAuditCursor(_:_:to:hash:)") { try $0.moveAuditCursor("receiver", chain, to: 1, hash: "h") },
    ]
}
