import Project
import Storage

extension RepositoryCall {
    private static let person = OperatorRecord(
        operatorID: "o",
        email: "o@example.com",
        role: "owner",
        tenantID: nil,
        createdAt: time
    )

    private static let approval = OperatorApprovalRecord(
        approvalID: "a",
        operatorID: "o",
        action: "deleteUsers",
        tenantID: nil,
        fingerprint: [1],
        detail: "{}",
        requestedAt: time,
        expiresAt: time
    )

    static let operators: [RepositoryCall] = [
        RepositoryCall("insertOperator(_:_:)") { try $0.insertOperator("p", person) },
        RepositoryCall("updateOperator(_:_:)") { try $0.updateOperator("p", person) },
        RepositoryCall("consoleOperator(_:id:)") { _ = try $0.consoleOperator("p", id: "o") },
        RepositoryCall("consoleOperator(_:email:)") { _ = try $0.consoleOperator("p", email: "o@example.com") },
        RepositoryCall("consoleOperators(_:)") { _ = try $0.consoleOperators("p") },
        RepositoryCall("countConsoleOperators(_:)") { _ = try $0.countConsoleOperators("p") },
        RepositoryCall("insertOperatorPasskey(_:_:)") {
            let passkey = OperatorPasskeyRecord(
                credentialID: "k",
                operatorID: "o",
                name: "key",
                publicKey: [1],
                signCount: 0,
                createdAt: time
            )
            _ = try $0.insertOperatorPasskey("p", passkey)
        },
        RepositoryCall("operatorPasskey(_:credentialID:)") { _ = try $0.operatorPasskey("p", credentialID: "k") },
        RepositoryCall("operatorPasskeys(_:operatorID:)") { _ = try $0.operatorPasskeys("p", operatorID: "o") },
        RepositoryCall("updateOperatorPasskey(_:credentialID:signCount:at:)") {
            try $0.updateOperatorPasskey("p", credentialID: "k", signCount: 1, at: time)
        },
        RepositoryCall("deleteOperatorPasskey(_:operatorID:credentialID:)") {
            _ = try $0.deleteOperatorPasskey("p", operatorID: "o", credentialID: "k")
        },
        RepositoryCall("insertOperatorSession(_:_:)") {
            let session = OperatorSessionRecord(sessionHash: [1], operatorID: "o", at: time, address: nil, userAgent: nil)
            try $0.insertOperatorSession("p", session)
        },
        RepositoryCall("operatorSession(_:hash:)") { _ = try $0.operatorSession("p", hash: [1]) },
        RepositoryCall("operatorSessions(_:operatorID:)") { _ = try $0.operatorSessions("p", operatorID: "o") },
        RepositoryCall("touchOperatorSession(_:hash:at:)") { try $0.touchOperatorSession("p", hash: [1], at: time) },
        RepositoryCall("confirmOperatorSession(_:hash:newHash:at:)") {
            _ = try $0.confirmOperatorSession("p", hash: [1], newHash: [2], at: time)
        },
        RepositoryCall("deleteOperatorSession(_:operatorID:hash:)") {
            _ = try $0.deleteOperatorSession("p", operatorID: "o", hash: [9])
        },
        RepositoryCall("deleteOperatorSessions(_:operatorID:except:)") {
            _ = try $0.deleteOperatorSessions("p", operatorID: "o", except: [2])
        },
        RepositoryCall("deleteExpired(_:before:limit:)") {
            _ = try $0.deleteExpired(.operatorSessions, before: later, limit: 10)
        },
        RepositoryCall("insertOperatorInvitation(_:_:)") {
            let invitation = OperatorInvitationRecord(
                codeHash: [1],
                email: "n@example.com",
                role: "support",
                tenantID: nil,
                invitedBy: "o",
                createdAt: time,
                expiresAt: time
            )
            try $0.insertOperatorInvitation("p", invitation)
        },
        RepositoryCall("operatorInvitation(_:hash:)") { _ = try $0.operatorInvitation("p", hash: [1]) },
        RepositoryCall("operatorInvitations(_:)") { _ = try $0.operatorInvitations("p") },
        RepositoryCall("deleteOperatorInvitation(_:hash:)") { _ = try $0.deleteOperatorInvitation("p", hash: [9]) },
        RepositoryCall("deleteOperatorInvitations(_:email:)") {
            try $0.deleteOperatorInvitations("p", email: "none@example.com")
        },
        RepositoryCall("deleteExpired(_:before:limit:)") {
            _ = try $0.deleteExpired(.operatorInvitations, before: later, limit: 10)
        },
        RepositoryCall("insertOperatorApproval(_:_:)") { try $0.insertOperatorApproval("p", approval) },
        RepositoryCall("operatorApprovals(_:)") { _ = try $0.operatorApprovals("p") },
        RepositoryCall("approve(_:_:)") { _ = try $0.approve("p", approval) },
        RepositoryCall("deleteOperatorApproval(_:id:)") { _ = try $0.deleteOperatorApproval("p", id: "none") },
        RepositoryCall("deleteOperatorApprovals(_:ofOperator:)") { try $0.deleteOperatorApprovals("p", ofOperator: "none") },
        RepositoryCall("deleteExpired(_:before:limit:)") {
            _ = try $0.deleteExpired(.operatorApprovals, before: later, limit: 10)
        },
        RepositoryCall("deleteOperator(_:id:)") { try $0.deleteOperator("p", id: "o") },
        RepositoryCall("insertAdminToken(_:)") {
            let token = AdminTokenRecord(
                tokenID: "t",
                projectID: "p",
                name: "ci",
                scopes: "read",
                tokenHash: [1],
                createdAt: time,
                expiresAt: nil
            )
            try $0.insertAdminToken(token)
        },
        RepositoryCall("adminToken(hash:)") { _ = try $0.adminToken(hash: [1]) },
        RepositoryCall("adminTokens(projectID:)") { _ = try $0.adminTokens(projectID: "p") },
        RepositoryCall("touchAdminToken(_:at:)") { try $0.touchAdminToken("t", at: time) },
        RepositoryCall("revokeAdminToken(_:projectID:at:)") { _ = try $0.revokeAdminToken("t", projectID: "p", at: time) },
    ]
}
