/// The text of a message with a code.
package struct SMSTexts: Sendable {
    /// The app's host, whose pages a browser may fill the code into.
    private let domain: String?

    /// - Parameter domain: The app's host; `nil` omits the line for browsers.
    package init(domain: String?) { self.domain = domain }

    /// Writes a message.
    ///
    /// - Parameter appSignatureHash: The hash at the end that Android's SMS Retriever looks for. A text that is not such a hash
    ///   is left out.
    /// - Returns: The text. After the sentence comes `@domain #code`, which tells a browser whose code it is
    ///   (wicg.github.io/sms-one-time-codes), then the hash.
    package func text(code: String, appName: String, language: EmailLanguage, appSignatureHash: String?) throws -> String {
        let sentence = try EmailTexts.all.get().of(language).codeMessage
        var lines = [sentence.render(["code": code, "appName": appName])]
        if let domain { lines += ["", "@\(domain) #\(code)"] }
        if let hash = appSignatureHash, hash.wholeMatch(of: /[A-Za-z0-9+\/]{11}/) != nil { lines.append(hash) }
        return lines.joined(separator: "\n")
    }
}
