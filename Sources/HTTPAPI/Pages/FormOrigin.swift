import HTTPTypes
import Hummingbird
import Project

/// Accepts forms of this server's own pages only. These forms use no cookie, and the code in them is a secret. The check keeps
/// other sites from using codes that they know in a visitor's name.
struct FormOrigin: Sendable {
    /// `server.publicURL`
    let publicURL: @Sendable () -> String

    func check(_ request: Request) throws {
        // Browsers state the relation of the sites (W3C Fetch Metadata). This also covers the server's own pages, whose
        // `Referrer-Policy` makes `Origin` `null`.
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
