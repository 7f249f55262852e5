package import Project

/// A text message to one number.
package struct SMSMessage: Sendable, Hashable, Codable {
    /// In E.164.
    package let to: String
    package let text: String
    /// The language of the text (BCP 47).
    package let locale: String
    /// The purpose: `signIn`, `mfaEnrollment` or `mfaSignIn`, or `test` without a code.
    package let purpose: String

    package init(to: String, text: String, locale: String, purpose: String) {
        self.to = to
        self.text = text
        self.locale = locale
        self.purpose = purpose
    }

    /// The purpose of a message without a code.
    package static let testPurpose = "test"

    /// Whether it has a code that its recipient may bring back.
    var bearsCode: Bool { purpose != Self.testPurpose }
}

/// Sends text messages out of the server.
package protocol SMSTransport: Sendable {
    /// Hands a message over, and returns once the receiving service has taken responsibility for it.
    ///
    /// - Throws: ``DeliveryError``; nothing else.
    func send(_ message: SMSMessage, scope: Scope) async throws
}

extension OutboundHTTP {
    /// Sends a request and reads the answer of an SMS service.
    ///
    /// - Throws: ``DeliveryError``. A 4xx is permanent, unless it is about credentials or about too many requests.
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
