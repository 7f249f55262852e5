import HTTPTypes
import Hummingbird

/// The cookie with the token of an operator's session (threat case SES-09). Browsers take it over https, and from `localhost`.
enum ConsoleCookie {
    // With this prefix, no other host of the domain can set the cookie (RFC 6265bis §4.1.3.2).
    private static let name = "__Host-postern-console"

    /// The token of a request; empty without one. Two cookies of the name are refused like a wrong one.
    static func token(in request: Request) -> String {
        var found: [Substring.UTF8View.SubSequence] = []
        for header in request.headers[values: .cookie] {
            for pair in header[...].utf8.split(separator: UInt8(ascii: ";")) {
                let pair = pair.drop { $0 == UInt8(ascii: " ") }
                guard pair.starts(with: "\(name)=".utf8) else { continue }
                found.append(pair.dropFirst(name.utf8.count + 1))
            }
        }
        return found.count == 1 ? String(decoding: found[0], as: UTF8.self) : ""
    }

    /// The header that sets the cookie. It has no age, so that it ends with the browser; the server's limits end it before.
    static func setting(_ token: String) -> String { "\(name)=\(token); Path=/; Secure; HttpOnly; SameSite=Strict" }

    /// The header that removes the cookie.
    static let removing = "\(name)=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Strict"
}
