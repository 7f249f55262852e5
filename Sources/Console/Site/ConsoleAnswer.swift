import Accounts
import HTTPTypes
import Hummingbird

enum ConsoleAnswer: Sendable {
    case page(ConsolePage)
    /// A refusal that a screen shows on its own page. The site records it as any other.
    case refused(OperatorError, ConsolePage)
    /// Another page, by GET. What came of the action is a key of the texts below `done.`.
    case redirect(String, done: String? = nil)
    /// A session that begins or is renewed, and the page that follows.
    case signedIn(token: String, path: String)
    case signedOut(path: String)
    /// A file to save.
    case file(name: String, type: String, ResponseBody)
    /// A response that the screen made itself, such as a stream of events.
    case response(Response)
}
