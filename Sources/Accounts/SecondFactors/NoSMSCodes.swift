import Project

/// Stands in where no SMS can be sent.
package struct NoSMSCodes: SMSCodes {
    package init() {}

    package func send(_ request: SMSCodeRequest, context: CallContext) async throws -> String {
        throw APIError(.operationNotAllowed, "This server sends no SMS.")
    }

    package func redeem(
        sessionInfo: String,
        code: String,
        for purpose: SMSCodePurpose,
        context: CallContext
    ) async throws -> String {
        throw APIError(.operationNotAllowed, "This server sends no SMS.")
    }
}
