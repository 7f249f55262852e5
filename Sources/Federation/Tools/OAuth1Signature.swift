import Crypto
import Foundation
import Project

/// Signs requests as OAuth 1.0a requires, with HMAC-SHA1 (RFC 5849 §3.4).
package struct OAuth1Signature: Sendable {
    private let consumerKey: String
    private let consumerSecret: String
    private let token: String?
    private let tokenSecret: String?
    private let nonce: String
    private let timestamp: Int64

    /// - Parameter timestamp: The current time, in seconds.
    package init(
        consumerKey: String,
        consumerSecret: String,
        token: String?,
        tokenSecret: String?,
        nonce: String,
        timestamp: Int64
    ) {
        self.consumerKey = consumerKey
        self.consumerSecret = consumerSecret
        self.token = token
        self.tokenSecret = tokenSecret
        self.nonce = nonce
        self.timestamp = timestamp
    }

    /// The `Authorization` header of a request (§3.5.1).
    ///
    /// - Parameters:
    ///   - url: Its URL without query.
    ///   - parameters: Pairs of its query and of its form.
    ///   - extra: Protocol parameters beyond the usual ones, such as `oauth_callback`. They go into the header.
    package func authorizationHeader(
        method: String,
        url: String,
        parameters: [(name: String, value: String)] = [],
        extra: [(name: String, value: String)] = []
    ) -> String {
        var own: [(name: String, value: String)] = [
            ("oauth_consumer_key", consumerKey), ("oauth_nonce", nonce), ("oauth_signature_method", "HMAC-SHA1"),
            ("oauth_timestamp", String(timestamp)), ("oauth_version", "1.0"),
        ]
        if let token { own.append(("oauth_token", token)) }
        own += extra
        let base = Self.baseString(method: method, url: url, parameters: parameters + own)
        own.append(("oauth_signature", Self.signature(base, consumerSecret: consumerSecret, tokenSecret: tokenSecret)))
        let pairs = own.sorted { $0.name < $1.name }
        return "OAuth "
            + pairs.map { "\(PercentEncoding.encode($0.name))=\"\(PercentEncoding.encode($0.value))\"" }.joined(separator: ", ")
    }

    /// The text to sign (§3.4.1): method, URL, and all parameters except the signature itself.
    static func baseString(method: String, url: String, parameters: [(name: String, value: String)]) -> String {
        // Pairs are sorted in their encoded form, by name and then by value (§3.4.1.3.2).
        let pairs = parameters.map { (PercentEncoding.encode($0.name), PercentEncoding.encode($0.value)) }.sorted { $0 < $1 }
        let normalized = pairs.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
        return [method.uppercased(), baseURL(url), normalized].map(PercentEncoding.encode).joined(separator: "&")
    }

    /// Base64 of the HMAC-SHA1 over a base string (§3.4.2).
    static func signature(_ baseString: String, consumerSecret: String, tokenSecret: String?) -> String {
        let secrets = "\(PercentEncoding.encode(consumerSecret))&\(PercentEncoding.encode(tokenSecret ?? ""))"
        let key = SymmetricKey(data: Data(secrets.utf8))
        let code = HMAC<Insecure.SHA1>.authenticationCode(for: Data(baseString.utf8), using: key)
        return Data(code).base64EncodedString()
    }

    // Scheme and host in lower case, without the scheme's own port (§3.4.1.2).
    private static func baseURL(_ url: String) -> String {
        guard var parts = URLComponents(string: url) else { return url }
        parts.scheme = parts.scheme?.lowercased()
        parts.percentEncodedHost = parts.percentEncodedHost?.lowercased()
        if parts.port == (parts.scheme == "https" ? 443 : 80) { parts.port = nil }
        parts.query = nil
        parts.fragment = nil
        if parts.percentEncodedPath.isEmpty { parts.percentEncodedPath = "/" }
        return parts.string ?? url
    }
}
