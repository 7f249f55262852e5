import Project
import Storage

extension RepositoryCall {
    private static func oobCode(_ number: UInt8, _ type: OOBRequestType) -> OOBCodeRecord {
        var code = OOBCodeRecord(hash: [number], type: type, email: "u@example.com", createdAt: time, expiresAt: time)
        code.localID = "u"
        return code
    }

    private static let flow = AuthorizationFlowRecord(
        stateHash: [1],
        scope: scope,
        providerID: "google.com",
        clientID: "client",
        redirectURI: "https://example.com/",
        sessionHash: [1],
        secrets: "sealed",
        createdAt: time,
        expiresAt: time
    )

    private static let answered = AnsweredFlowRecord(of: flow, answerHash: [1], expiresAt: time)

    static let codes: [RepositoryCall] = [
        RepositoryCall("insertOOBCode(_:_:)") {
            try $0.insertOOBCode(scope, oobCode(1, .passwordReset))
            try $0.insertOOBCode(scope, oobCode(2, .recoverEmail))
        },
        RepositoryCall("oobCode(_:hash:)") { _ = try $0.oobCode(scope, hash: [1]) },
        RepositoryCall("oobCodes(_:)") { _ = try $0.oobCodes(scope) },
        RepositoryCall("keepOOBCode(_:hash:usedAt:generation:)") {
            try $0.keepOOBCode(scope, hash: [2], usedAt: time, generation: 1)
        },
        RepositoryCall("firstRecovery(_:email:localID:leavesOnly:after:)") {
            for leavesOnly in [true, false] {
                _ = try $0.firstRecovery(scope, email: "u@example.com", localID: "u", leavesOnly: leavesOnly)
            }
        },
        RepositoryCall("deleteWaysBack(_:localID:overtakenBy:sparesNewer:)") {
            try $0.deleteWaysBack(scope, localID: "other", overtakenBy: oobCode(2, .recoverEmail), sparesNewer: true)
        },
        RepositoryCall("deleteOOBCode(_:hash:)") { _ = try $0.deleteOOBCode(scope, hash: [9]) },
        RepositoryCall("deleteOOBCodes(_:email:type:)") {
            try $0.deleteOOBCodes(scope, email: "other@example.com", type: .verifyEmail)
        },
        RepositoryCall("deleteOOBCodes(_:boundTo:keeping:)") {
            try $0.deleteOOBCodes(scope, boundTo: account("other"), keeping: [.recoverEmail])
        },
        RepositoryCall("deleteExpired(_:before:limit:)") { _ = try $0.deleteExpired(.oobCodes, before: later, limit: 10) },
        RepositoryCall("insertAuthorizationFlow(_:)") { try $0.insertAuthorizationFlow(flow) },
        RepositoryCall("authorizationFlow(projectID:stateHash:)") {
            _ = try $0.authorizationFlow(projectID: "p", stateHash: [1])
        },
        RepositoryCall("keepAuthorizationAnswer(projectID:stateHash:answer:)") {
            _ = try $0.keepAuthorizationAnswer(projectID: "p", stateHash: [1], answer: "sealed")
        },
        RepositoryCall("deleteAuthorizationFlow(projectID:stateHash:)") {
            _ = try $0.deleteAuthorizationFlow(projectID: "p", stateHash: [2])
        },
        RepositoryCall("deleteExpired(_:before:limit:)") {
            _ = try $0.deleteExpired(.authorizationFlows, before: later, limit: 10)
        },
        RepositoryCall("insertAnsweredFlow(_:)") { try $0.insertAnsweredFlow(answered) },
        RepositoryCall("answeredFlow(projectID:stateHash:)") { _ = try $0.answeredFlow(projectID: "p", stateHash: [1]) },
        RepositoryCall("keepProof(_:projectID:stateHash:expiresAt:)") {
            _ = try $0.keepProof("sealed", projectID: "p", stateHash: [1], expiresAt: time)
        },
        RepositoryCall("deleteAnsweredFlow(projectID:stateHash:)") {
            try $0.deleteAnsweredFlow(projectID: "p", stateHash: [2])
        },
        RepositoryCall("deleteExpired(_:before:limit:)") {
            _ = try $0.deleteExpired(.answeredFlows, before: later, limit: 10)
        },
        RepositoryCall("insertSMSCode(_:_:)") {
            let code = SMSCodeRecord(
                codeID: "c",
                purpose: "signIn",
                app: "app",
                phoneNumber: "+491",
                codeMAC: [1],
                createdAt: time,
                expiresAt: time
            )
            try $0.insertSMSCode(scope, code)
        },
        RepositoryCall("smsCode(_:codeID:)") { _ = try $0.smsCode(scope, codeID: "c") },
        RepositoryCall("latestSMSCode(_:phoneNumber:purpose:app:after:)") {
            _ = try $0.latestSMSCode(scope, phoneNumber: "+491", purpose: "signIn", app: "app", after: time)
        },
        RepositoryCall("smsCodes(_:)") { _ = try $0.smsCodes(scope) },
        RepositoryCall("countSMSCodeTry(codeID:)") { try $0.countSMSCodeTry(codeID: "c") },
        RepositoryCall("deleteSMSCode(codeID:)") { _ = try $0.deleteSMSCode(codeID: "none") },
        RepositoryCall("deleteExpired(_:before:limit:)") { _ = try $0.deleteExpired(.smsCodes, before: later, limit: 10) },
        RepositoryCall("insertAppCredential(_:_:)") {
            let credential = AppCredentialRecord(receiptHash: [1], secretHash: [1], bundleID: "com.example", expiresAt: time)
            try $0.insertAppCredential(scope, credential)
        },
        RepositoryCall("appCredential(_:receiptHash:)") { _ = try $0.appCredential(scope, receiptHash: [1]) },
        RepositoryCall("deleteAppCredential(receiptHash:)") { try $0.deleteAppCredential(receiptHash: [2]) },
        RepositoryCall("deleteExpired(_:before:limit:)") {
            _ = try $0.deleteExpired(.appCredentials, before: later, limit: 10)
        },
    ]
}
