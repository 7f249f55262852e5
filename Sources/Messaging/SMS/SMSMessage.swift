package import Project

/// A text message to one number.
package struct SMSMessage: Sendable, Hashable, Codable {
    /// In E.164.
    package let to: String
    package let text: String
    /// The language of the text (BCP 47).
    package let locale: String
    /// What it is for: `signIn`, `mfaEnrollment` or `mfaSignIn`.
    package let purpose: String

    package init(to: String, text: String, locale: String, purpose: String) {
        self.to = to
        self.text = text
        self.locale = locale
        self.purpose = purpose
    }
}

/// A way for text messages to leave the server.
package protocol SMSTransport: Sendable {
    /// Hands a message over, and returns once somebody else has taken responsibility for it.
    ///
    /// - Parameters:
    ///   - message: What to send.
    ///   - scope: Whose message it is.
    /// - Throws: ``DeliveryError``; nothing else.
    func send(_ message: SMSMessage, scope: Scope) async throws
}

extension OutboundHTTP {
    /// Sends a request and reads the answer of an SMS service.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - service: The service's name, for operators.
    ///   - refusal: What more an answer says of its refusal, for operators.
    /// - Throws: ``DeliveryError``: 4xx is a refusal for good, but for those that speak of credentials or of too much at once.
    func deliver(
        _ request: Request,
        to service: String,
        refusal: (Response) -> String = { _ in "" }
    ) async throws {
        let response: Response
        do {
            response = try await self(request, limits: Limits(maximumBodyBytes: 1 << 16))
        } catch let error as OutboundError {
            throw DeliveryError.temporary("\(service): \(error)")
        } catch {
            throw DeliveryError.temporary("\(service): no answer")
        }
        switch response.status {
        case 200..<300: return
        case 401, 403, 404, 408, 425, 429: throw DeliveryError.temporary("\(service): \(response.status)\(refusal(response))")
        case 400..<500: throw DeliveryError.permanent("\(service): \(response.status)\(refusal(response))")
        default: throw DeliveryError.temporary("\(service): \(response.status)")
        }
    }
}
