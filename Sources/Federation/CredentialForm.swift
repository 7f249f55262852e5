import Project

/// The parameters of an identity provider's answer as SDKs pass them on: the query of `requestUri`, overridden by the pairs of
/// `postBody`, overridden by the fragment of `requestUri` (`Docs/Contract/client-accounts.md` §5.2).
package struct CredentialForm: Sendable {
    private let parameters: [String: String]

    // A known name ends a free text in a raw body. iOS sends values unencoded, with `&` and `=` in them
    // (`Docs/Contract/conventions.md` §10).
    private static let knownNames: Set<String> = [
        "providerId", "id_token", "access_token", "oauth_token_secret", "nonce", "code", "redirect_uri", "identifier", "user",
        "state", "SAMLResponse", "RelayState", "error", "error_description", "oauth_token", "oauth_verifier", "accessToken",
        "token_type", "expires_in", "scope", "session_state", "authuser", "prompt", "iss", "denied",
    ]
    // Values that may contain an `&`. After any other value, an unknown name is a parameter and is ignored.
    private static let freeTexts: Set<String> = [
        "user", "nonce", "identifier", "redirect_uri", "state", "RelayState", "error_description",
    ]

    /// Reads the parameters.
    ///
    /// - Parameters:
    ///   - requestURI: The absolute URL that the provider answered to.
    ///   - postBody: The form-encoded credential, percent-encoded or not.
    package init(requestURI: String, postBody: String?) {
        let (beforeFragment, fragment) = FormEncoding.cut(requestURI[...].utf8, at: UInt8(ascii: "#"))
        let (_, query) = FormEncoding.cut(beforeFragment, at: UInt8(ascii: "?"))
        var parameters: [String: String] = [:]
        for pairs in [FormEncoding.pairs(query), postBody.map(Self.pairs) ?? [], FormEncoding.pairs(fragment)] {
            for (name, value) in pairs { parameters[name] = value }
        }
        self.parameters = parameters
    }

    /// The value of a parameter; `nil` when it is absent, empty, or contains U+0000, which no store keeps.
    package subscript(name: String) -> String? {
        guard let value = parameters[name], !value.isEmpty, !value.utf8.contains(0) else { return nil }
        return value
    }

    /// The credential in the form; `nil` when it names no provider.
    package var credential: IdPCredential? {
        guard let providerID = self["providerId"]?.lowercased() else { return nil }
        var credential = IdPCredential(
            providerID: providerID,
            idToken: self["id_token"],
            accessToken: self["access_token"],
            tokenSecret: self["oauth_token_secret"],
            nonce: self["nonce"],
            authorizationCode: self["code"],
            user: self["user"]
        )
        credential.samlResponse = self["SAMLResponse"]
        return credential
    }

    // A single `%XX` shows that the whole body is form-encoded.
    private static func pairs(_ body: String) -> [(name: String, value: String)] {
        FormEncoding.hasEscape(body) ? FormEncoding.pairs(body[...].utf8) : rawPairs(body)
    }

    private static func rawPairs(_ text: String) -> [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        var separator = "&"
        for piece in text[...].utf8.pieces(separatedBy: UInt8(ascii: "&")) {
            // Empty pieces count only if a free text continues after them.
            if piece.isEmpty {
                separator += "&"
                continue
            }
            let (before, after) = FormEncoding.cut(piece, at: UInt8(ascii: "="))
            let name = String(Substring(before))
            // A piece without "=" is not a parameter, because secrets of old protocols may contain an ampersand.
            let isParameter = piece.contains(UInt8(ascii: "="))
            // Only the name is copied. Copying the value here would cost a full copy for each piece that is added to it.
            if let last = pairs.last?.name, !knownNames.contains(name),
                freeTexts.contains(last) || !isParameter && last != "providerId"
            {
                pairs[pairs.count - 1].value += separator + Substring(piece)
            } else {
                pairs.append((name, String(Substring(after))))
            }
            separator = "&"
        }
        return pairs
    }
}
