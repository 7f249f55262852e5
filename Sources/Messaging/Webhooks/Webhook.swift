package import Project

/// The operator's own server. All that it is sent is signed, so that it cannot be forged (`Docs/Contract/rulings.md` 16).
package struct Webhook: Sendable {
    private let url: String
    private let secret: String
    let environment: ServerEnvironment

    /// - Parameter secret: The key of the signature: HMAC-SHA256 over the time, a dot and the body.
    package init(url: String, secret: String, environment: ServerEnvironment) {
        self.url = url
        self.secret = secret
        self.environment = environment
    }

    /// Makes a post. It has the time, because receivers refuse old ones.
    func request(_ body: [UInt8]) -> OutboundHTTP.Request {
        let time = environment.now().seconds
        let signature = hexadecimal(hmacSHA256(Array("\(time).".utf8) + body, key: secret.utf8))
        return OutboundHTTP.Request(
            method: "POST",
            url: url,
            headers: [("Content-Type", "application/json"), ("Postern-Signature", "t=\(time),v1=\(signature)")],
            body: body
        )
    }

    func answer(to body: [UInt8]) async throws -> OutboundHTTP.Response {
        try await environment.http(request(body), limits: .init(maximumBodyBytes: 1 << 16))
    }

    // No refusal is permanent, because the receiver may be repaired.
    func post(_ body: [UInt8]) async throws {
        let response: OutboundHTTP.Response
        do { response = try await answer(to: body) } catch let error as OutboundError {
            throw DeliveryError.temporary("web hook: \(error)")
        }
        guard (200..<300).contains(response.status) else { throw DeliveryError.temporary("web hook: \(response.status)") }
    }
}
