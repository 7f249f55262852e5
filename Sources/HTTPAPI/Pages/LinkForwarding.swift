import Accounts
import Foundation
import HTTPTypes
import Hummingbird
import Messaging
import Project

/// `/__/auth/links`: the target of links into apps for browsers without the app. It redirects to the action page inside the link,
/// and nowhere else (`Docs/Contract/web-handler.md` §1).
struct LinkForwarding: Sendable {
    let actions: EmailActions
    let auth: CallerAuth

    /// The path, which apps may claim.
    static let path = "/__/auth/links"

    func add(to table: inout RouteTable) {
        let operation = Operation(
            name: "LinkForwarding",
            summary: "Leads on to the page that a link into an app wraps.",
            query: ["link": .string, "lang": .string],
            answers: [303: .nothing],
            error: .html
        )
        table.add(.get, Self.path, operation) { request, _ in
            let parameters = ActionParameters(request.uri.query ?? "")
            if let link = parameters["link"], try await actions.isOwn(link, scope: auth.project) {
                var headers = Page.headers
                headers[.location] = link
                return Response(status: .seeOther, headers: headers)
            }
            let language = parameters.language(request)
            return try Page(language, try PageTexts.of(language).incompleteLink).response(status: .badRequest)
        }
    }
}
