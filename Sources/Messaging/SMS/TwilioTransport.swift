import Foundation
package import Project

/// Twilio's Messages API (twilio.com/docs/messaging/api/message-resource, "Create a Message").
package struct TwilioTransport: SMSTransport {
    private let url: String
    private let authorization: String
    private let sender: (name: String, value: String)
    private let http: OutboundHTTP

    /// - Parameters:
    ///   - from: A number, a sender id, or the SID of a messaging service.
    ///   - baseURL: `sms.twilio.baseURL`, without trailing slash.
    package init(accountSID: String, authToken: String, from: String, baseURL: String, http: OutboundHTTP) {
        url = "\(baseURL)/2010-04-01/Accounts/\(PercentEncoding.encode(accountSID))/Messages.json"
        authorization = "Basic \(Data("\(accountSID):\(authToken)".utf8).base64EncodedString())"
        sender = (from.hasPrefix("MG") ? "MessagingServiceSid" : "From", from)
        self.http = http
    }

    package func send(_ message: SMSMessage, scope: Scope) async throws {
        let form = PercentEncoding.form([("To", message.to), sender, ("Body", message.text)])
        let request = OutboundHTTP.Request(
            method: "POST",
            url: url,
            headers: [
                ("Authorization", authorization), ("Content-Type", "application/x-www-form-urlencoded"),
                ("Accept", "application/json"),
            ],
            body: Array(form.utf8)
        )
        try await http.deliver(request, to: "Twilio") { response in
            // Twilio's own number of the error. Its text is left out, because it may repeat the recipient's number.
            let code = (try? JSONValue.parse(response.body))?["code"]?.integer
            return code.map { ", error \($0)" } ?? ""
        }
    }
}
