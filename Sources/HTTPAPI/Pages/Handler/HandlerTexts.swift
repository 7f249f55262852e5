import Messaging

/// The texts of the sign-in handler's pages in one language, the part of that name of ``PageTexts``: plain text without markup.
struct HandlerTexts: Decodable, Sendable {
    /// A popup that has done its work.
    let close: PageTexts.Message
    /// A page that opens an app.
    let open: PageTexts.Message
    let openButton: String
    /// The question before a text message is sent.
    let verify: PageTexts.Message
    let verifyButton: String
    let over: PageTexts.Message
    /// For the one who signs in, and for those who run the app: what a proxy in front of the handler has to keep.
    let lostCookie: PageTexts.Message
    let incomplete: PageTexts.Message
    let foreignPage: PageTexts.Message
    let lost: String
    let needsScript: String
    let back: String
    /// For browsers without a page to go back to, or without scripts.
    let mayClose: String

    /// As ``PageTexts/of(_:)``.
    static func of(_ language: EmailLanguage) throws -> HandlerTexts { try PageTexts.of(language).handler }
}
