/// The texts of the sign-in handler's pages in one language: plain text without markup.
struct HandlerTexts: TranslatedTexts, Sendable {
    /// A popup that is finished.
    let close: PageTexts.Message
    /// A page that opens an app.
    let open: PageTexts.Message
    let openButton: String
    /// The question before a text message is sent.
    let verify: PageTexts.Message
    let verifyButton: String
    let over: PageTexts.Message
    let incomplete: PageTexts.Message
    let foreignPage: PageTexts.Message
    let lost: String
    let needsScript: String
    let back: String
    /// For browsers without a page to go back to, or without scripts.
    let mayClose: String
}
