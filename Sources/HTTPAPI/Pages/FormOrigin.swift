import HTTPTypes
import Hummingbird
import Project

/// Takes forms of our own pages only. There is no cookie that another site's form could make use of, and the code in the form is
/// a secret of its own; this keeps other sites from acting with codes that they know, in somebody else's name.
struct FormOrigin: Sendable {
    /// `server.publicURL`
    let publicURL: @Sendable () -> String

    /// Checks a request that posts a form.
    ///
    /// - Throws: ``PageError/foreignForm``.
    func check(_ request: Request) throws {
        // Browsers tell it themselves (W3C Fetch Metadata), also of our pages, whose `Referrer-Policy` makes their origin `null`.
        if let site = request.headers[.secFetchSite] {
            guard site == "same-origin" || site == "none" else { throw PageError.foreignForm }
            return
        }
        guard let origin = request.headers[.origin], origin != "null" else { return }
        guard let sender = WebAddress(origin), sender.rest.isEmpty,
            sender.authority == request.head.authority.flatMap(Authority.init)
                || sender.origin == WebAddress(publicURL())?.origin
        else { throw PageError.foreignForm }
    }
}
