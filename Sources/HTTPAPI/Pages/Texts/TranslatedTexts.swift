import Messaging

/// Texts in every language of the mails.
protocol TranslatedTexts {
    static var english: Self { get }
    static var french: Self { get }
    static var spanish: Self { get }
    static var german: Self { get }
    static var japanese: Self { get }
    static var chinese: Self { get }
    static var arabic: Self { get }
    static var bengali: Self { get }
}

extension TranslatedTexts {
    /// The texts of a language.
    static func of(_ language: EmailLanguage) -> Self {
        switch language {
        case .english: english
        case .french: french
        case .spanish: spanish
        case .german: german
        case .japanese: japanese
        case .chinese: chinese
        case .arabic: arabic
        case .bengali: bengali
        }
    }
}
