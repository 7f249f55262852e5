/// The text of a message with a code.
package struct SMSTexts: Sendable {
    /// Host whose pages a browser may fill the code into.
    private let domain: String?

    /// - Parameter domain: Host of the server; `nil` omits the line for browsers.
    package init(domain: String?) { self.domain = domain }

    /// Writes a message.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - appName: The name of the app.
    ///   - language: The language.
    ///   - appSignatureHash: The hash at the end that Android's SMS Retriever looks for. A text that is not such a hash is left
    ///     out.
    /// - Returns: The text. After the sentence comes `@domain #code`, which tells a browser whose code it is
    ///   (wicg.github.io/sms-one-time-codes), then the hash.
    package func text(code: String, appName: String, language: EmailLanguage, appSignatureHash: String?) -> String {
        var lines = [Self.sentence(language).replacing("{code}", with: code).replacing("{app}", with: appName)]
        if let domain { lines += ["", "@\(domain) #\(code)"] }
        if let hash = appSignatureHash, hash.wholeMatch(of: /[A-Za-z0-9+\/]{11}/) != nil { lines.append(hash) }
        return lines.joined(separator: "\n")
    }

    private static func sentence(_ language: EmailLanguage) -> String {
        switch language {
        case .english: "{code} is your verification code for {app}."
        case .french: "{code} est votre code de validation pour {app}."
        case .spanish: "{code} es tu código de verificación para {app}."
        case .german: "{code} ist dein Bestätigungscode für {app}."
        case .japanese: "{app} の確認コードは {code} です。"
        case .chinese: "{code} 是您的 {app} 验证码。"
        case .arabic: "{code} هو رمز التحقق الخاص بك لتطبيق {app}."
        case .bengali: "{app}-এর জন্য আপনার যাচাইকরণ কোড হল {code}।"
        }
    }
}
