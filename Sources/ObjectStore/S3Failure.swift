import Project

/// What a store refused, or why it gave no answer. No text of it is a secret.
package struct S3Failure: Error, CustomStringConvertible {
    /// What was asked, and what came of it.
    package let description: String
    /// The HTTP status; 0 without an answer.
    package let status: Int
    /// `Code` of the answer, such as `AccessDenied`; empty without one.
    package let code: String
    /// Whether another try makes sense.
    let isTemporary: Bool
    /// How often the request was sent.
    var tries = 1

    init(_ what: String, _ reason: String, isTemporary: Bool = false) {
        description = "\(what): \(reason)"
        status = 0
        code = ""
        self.isTemporary = isTemporary
    }

    // docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html: what passes by itself.
    private static let passing: Set<String> = [
        "SlowDown", "InternalError", "RequestTimeout", "ServiceUnavailable", "OperationAborted",
    ]
    private static let maximumTextBytes = 300

    /// Reads a refusal.
    init(_ what: String, status: Int, body: [UInt8]) {
        let answer = Markup(body).first("Error")
        func text(_ name: String) -> String {
            let text = answer?.first(name)?.text ?? ""
            return TerminalText.printable(String(decoding: text.utf8.prefix(Self.maximumTextBytes), as: UTF8.self))
        }
        code = text("Code")
        self.status = status
        isTemporary = [429, 500, 502, 503, 504].contains(status) || Self.passing.contains(code)
        let words = [code, text("Message")].filter { !$0.isEmpty }.joined(separator: ": ")
        description = "\(what): the store answered \(status)\(words.isEmpty ? "" : " \(words)")"
    }
}
