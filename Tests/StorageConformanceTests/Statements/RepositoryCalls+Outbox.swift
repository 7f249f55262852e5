import Project
import Storage

extension RepositoryCall {
    static let outbox: [RepositoryCall] = [
        RepositoryCall("insertOutboxMessage(_:in:)") {
            for kind in OutboxKind.allCases {
                for id in ["m1", "m2"] {
                    let message = OutboxRecord(messageID: id, scope: scope, payload: "x", createdAt: time, expiresAt: later)
                    try $0.insertOutboxMessage(message, in: kind)
                }
            }
        },
        RepositoryCall("countWaitingOutboxMessages(in:)") {
            for kind in OutboxKind.allCases { _ = try $0.countWaitingOutboxMessages(in: kind) }
        },
        RepositoryCall("waitingDeliveries(_:limit:in:)") { _ = try $0.waitingDeliveries("p", limit: 10, in: .email) },
        RepositoryCall("hastenDeliveries(_:at:limit:in:)") {
            _ = try $0.hastenDeliveries("p", at: time - .seconds(60), limit: 10, in: .webhook)
        },
        RepositoryCall("claimOutboxMessages(leaseID:now:leaseEnd:limit:in:)") {
            for kind in OutboxKind.allCases {
                _ = try $0.claimOutboxMessages(leaseID: "lease", now: time, leaseEnd: later, limit: 10, in: kind)
            }
        },
        RepositoryCall("postponeOutboxMessage(_:leaseID:until:failure:in:)") {
            try $0.postponeOutboxMessage("m1", leaseID: "lease", until: later, failure: "none")
        },
        RepositoryCall("finishOutboxMessage(_:leaseID:outcome:failure:at:in:)") {
            try $0.finishOutboxMessage("m2", leaseID: "lease", outcome: .sent, failure: nil, at: time)
        },
        RepositoryCall("finishedDeliveries(_:limit:in:)") { _ = try $0.finishedDeliveries("p", limit: 10, in: .email) },
        RepositoryCall("deleteFinishedOutboxMessages(before:limit:in:)") {
            try $0.deleteFinishedOutboxMessages(before: later, limit: 10)
        },
        RepositoryCall("noteStoreClock(at:)") { try $0.noteStoreClock(at: time) },
        RepositoryCall("noteSteadyTime(_:confirmations:)") { try $0.noteSteadyTime(later, confirmations: 0) },
        RepositoryCall("storeClock()") { _ = try $0.storeClock() },
        RepositoryCall("confirmStoreClock(at:)") { try $0.confirmStoreClock(at: time) },
        RepositoryCall("takeLease(_:holder:at:until:)") { _ = try $0.takeLease("work", holder: "node", at: time, until: later) },
    ]
}
