import HTTPTypes
import Hummingbird

/// Cross-origin rules (`Docs/Contract/conventions.md` §6.2): any origin may call, and no answer allows credentials such as
/// cookies.
enum CORS {
    // Scheme, host of 253 bytes and port. What no browser sends is not sent back either.
    private static let longestOrigin = 300
    // The names of more headers than any script sets.
    private static let longestList = 2048

    /// Adds the headers, including those of errors and preflights.
    static func apply(to response: inout Response, for request: Request) {
        guard let origin = request.headers[.origin], origin.utf8.count <= longestOrigin else { return }
        // HTML pages are for people, so scripts of other origins may not read them.
        if response.headers[.contentType]?.hasPrefix("text/html") == true { return }
        if response.headers[.accessControlAllowOrigin] == "*" { return }
        response.headers[.accessControlAllowOrigin] = origin
        response.headers[.vary] = "Origin"
        if request.headers[.accessControlRequestPrivateNetwork] != nil {
            response.headers[.accessControlAllowPrivateNetwork] = "true"
        }
        guard request.method == .options else { return }
        response.headers[.accessControlAllowMethods] = "GET,HEAD,PUT,PATCH,POST,DELETE"
        if let requested = request.headers[.accessControlRequestHeaders], requested.utf8.count <= longestList {
            response.headers[.accessControlAllowHeaders] = requested
        }
        response.headers[.accessControlMaxAge] = "3600"
    }
}
