/// The text of a message with a code.
package struct SMSTexts: Sendable {
    /// Host that a page must be on for a browser to fill the code in.
    private let domain: String?

    /// - Parameter domain: Host of the server; `nil` leaves the line for browsers out.
    package init(domain: String?) { self.domain = domain }

    /// Writes a message.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - appName: Names the app.
    ///   - language: The language.
    ///   - appSignatureHash: What Android's SMS Retriever looks for at the end; what is no such hash is left out.
    /// - Returns: The text. Behind the sentence stands `@domain #code`, by which a browser knows whose code it is
    ///   (wicg.github.io/sms-one-time-codes), then the hash.
    /// - Throws: ``EmailTemplateError/texts(_:)`` when a built-in text is damaged, which a test rules out.
    package func text(code: String, appName: String, language: EmailLanguage, appSignatureHash: String?) throws -> String {
        let sentence = try EmailTexts.all.get().of(language).codeMessage
        var lines = [sentence.render(["code": code, "appName": appName])]
        if let domain { lines += ["", "@\(domain) #\(code)"] }
        if let hash = appSignatureHash, hash.wholeMatch(of: /[A-Za-z0-9+\/]{11}/) != nil { lines.append(hash) }
        return lines.joined(separator: "\n")
    }
}
