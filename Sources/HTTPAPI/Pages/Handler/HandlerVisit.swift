import Accounts
import HTTPTypes
import Hummingbird
import Messaging
import Project

/// A visit to ``HandlerPage``.
struct HandlerVisit {
    let request: Request
    let context: PosternContext
    let form: String
    let parameters: HandlerParameters
    let language: EmailLanguage

    init(_ request: Request, _ context: PosternContext, _ form: String) {
        self.request = request
        self.context = context
        self.form = form
        parameters = HandlerParameters(form)
        language = .negotiate(firebaseLocale: parameters.language, acceptLanguage: request.headers[.acceptLanguage])
    }

    /// The visit as a call, which the log of the request shows from now on.
    func call(in scope: Scope) -> CallContext {
        let call = CallContext(
            scope: scope,
            address: context.facts.address,
            requestID: context.requestID,
            userAgent: request.headers[.userAgent]
        )
        context.facts.call = call
        return call
    }
}
