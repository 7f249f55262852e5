/// The parameters of an identity provider's answer as SDKs hand them on: the query of `requestUri`, overridden by the pairs
/// of `postBody`, overridden by the fragment of `requestUri` (`contract/client-accounts.md` §5.2).
package struct CredentialForm: Sendable {
    private let parameters: [String: String]

    // Where a raw body may be split: iOS sends values undecoded, in which `&` and `=` may stand (`contract/conventions.md` §10).
    private static let knownNames: Set<String> = [
        "providerId", "id_token", "access_token", "oauth_token_secret", "nonce", "code", "redirect_uri", "identifier", "user",
        "state", "SAMLResponse", "RelayState", "error", "error_description", "oauth_token", "oauth_verifier", "accessToken",
        "token_type", "expires_in", "scope", "session_state", "authuser", "prompt", "iss",
    ]

    /// Reads the parameters.
    ///
    /// - Parameters:
    ///   - requestURI: The absolute URL that the provider answered to.
    ///   - postBody: The form-encoded credential, percent-encoded or not.
    package init(requestURI: String, postBody: String?) {
        let (beforeFragment, fragment) = Self.cut(requestURI, at: "#")
        let (_, query) = Self.cut(beforeFragment, at: "?")
        var parameters: [String: String] = [:]
        for pairs in [Self.encodedPairs(query), postBody.map(Self.pairs) ?? [], Self.encodedPairs(fragment)] {
            for (name, value) in pairs { parameters[name] = value }
        }
        self.parameters = parameters
    }

    /// The value of a parameter; absent and empty are the same, and so is a text that no store keeps (U+0000).
    package subscript(name: String) -> String? {
        guard let value = parameters[name], !value.isEmpty, !value.utf8.contains(0) else { return nil }
        return value
    }

    /// The credential in the form, or `nil` when it names no provider.
    package var credential: IdPCredential? {
        guard let providerID = self["providerId"]?.lowercased() else { return nil }
        return IdPCredential(
            providerID: providerID,
            idToken: self["id_token"],
            accessToken: self["access_token"],
            nonce: self["nonce"],
            authorizationCode: self["code"],
            user: self["user"]
        )
    }

    private static func pairs(_ body: String) -> [(String, String)] {
        hasPercentEncoding(body) ? encodedPairs(body) : rawPairs(body)
    }

    // Some `%XX` anywhere: then the whole body is form-encoded.
    private static func hasPercentEncoding(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.indices.contains { index in
            bytes[index] == UInt8(ascii: "%") && index + 2 < bytes.count && isHexadecimal(bytes[index + 1])
                && isHexadecimal(bytes[index + 2])
        }
    }

    private static func encodedPairs(_ text: String) -> [(String, String)] {
        text.split(separator: "&").map { pair in
            let (name, value) = cut(String(pair), at: "=")
            return (decode(name), decode(value))
        }
    }

    private static func rawPairs(_ text: String) -> [(String, String)] {
        var pairs: [(name: String, value: String)] = []
        for piece in text.split(separator: "&", omittingEmptySubsequences: false) {
            let (name, value) = cut(String(piece), at: "=")
            if knownNames.contains(name) || pairs.isEmpty {
                pairs.append((name, value))
            } else {
                pairs[pairs.count - 1].value += "&" + piece
            }
        }
        return pairs
    }

    private static func cut(_ text: String, at separator: Character) -> (before: String, after: String) {
        guard let index = text.firstIndex(of: separator) else { return (text, "") }
        return (String(text[..<index]), String(text[text.index(after: index)...]))
    }

    // A stray `%` stands for itself.
    private static func decode(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "+") {
                bytes.append(UInt8(ascii: " "))
            } else if byte == UInt8(ascii: "%"), let high = rest.first, let low = rest.dropFirst().first,
                isHexadecimal(high), isHexadecimal(low),
                let value = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
