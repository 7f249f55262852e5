package import Project

extension Webhook: SMSTransport {
    package func send(_ message: SMSMessage, scope: Scope) async throws {
        var members: JSONObject = [
            "to": .string(message.to), "message": .string(message.text), "locale": .string(message.locale),
            "purpose": .string(message.purpose), "projectId": .string(scope.projectID),
        ]
        members["tenantId"] = scope.tenantID.map(JSONValue.string)
        try await environment.http.deliver(request(Array(JSONValue.object(members).serialized())), to: "web hook")
    }
}
