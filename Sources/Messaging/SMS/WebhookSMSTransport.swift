package import Project

/// Posts each message, signed, to the operator's own web hook (`Docs/Contract/rulings.md` 16).
package struct WebhookSMSTransport: SMSTransport {
    private let url: String
    private let secret: String
    private let environment: ServerEnvironment

    package init(url: String, secret: String, environment: ServerEnvironment) {
        self.url = url
        self.secret = secret
        self.environment = environment
    }

    package func send(_ message: SMSMessage, scope: Scope) async throws {
        var members: JSONObject = [
            "to": .string(message.to), "message": .string(message.text), "locale": .string(message.locale),
            "purpose": .string(message.purpose), "projectId": .string(scope.projectID),
        ]
        members["tenantId"] = scope.tenantID.map(JSONValue.string)
        let body = Array(JSONValue.object(members).serialized())
        let request = SignedPost.request(body, to: url, secret: secret, at: environment.now())
        try await environment.http.deliver(request, to: "web hook")
    }
}
