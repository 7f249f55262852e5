import Accounts
import HTTPTypes
import Hummingbird
import Project

/// Accepts forms of the console's own pages only (threat case WEB-05): by what browsers say of the sender, and by the token of the
/// session. A request that says nothing of its sender is refused.
struct ConsoleFormGuard: Sendable {
    /// Where browsers reach the console.
    let url: @Sendable () -> String

    /// Checks a posted form.
    ///
    /// - Parameter current: The operator; `nil` on pages before a sign-in, whose forms have no token.
    func check(_ request: Request, _ form: ConsoleForm, _ current: ConsoleOperator?) throws {
        guard isOwn(request) else { throw ConsoleFailure.foreignForm }
        guard let current else { return }
        guard constantTimeEqual(form[Form.csrfField], current.formToken) else { throw ConsoleFailure.foreignForm }
    }

    private func isOwn(_ request: Request) -> Bool {
        if let site = request.headers[.secFetchSite], site != "same-origin" { return false }
        guard let origin = request.headers[.origin].flatMap(WebAddress.init), origin.rest.isEmpty else { return false }
        let console = WebAddress(url())
        if origin.origin == console?.origin { return true }
        // A page without TLS is not the console's own where the console has it.
        let isAsSecure = origin.isSecure || console?.isSecure != true
        return isAsSecure && origin.authority == request.head.authority.flatMap(Authority.init)
    }
}
