import Project

/// `apns.*`: the silent push that verifies an iOS app (`verifyIosClient`).
package struct APNsSettings: Sendable {
    /// A token signing key from Apple.
    package struct Key: Sendable {
        package let id: String
        package let teamID: String
        /// Path of the `.p8` file.
        package let privateKeyFile: String
    }

    /// `nil` when no pushes can be sent.
    package let key: Key?
    /// Base URL of the push service; `http` means HTTP/2 with prior knowledge (ruling 2).
    package let baseURL: WebURL

    init(_ reader: SettingsReader, outbound: OutboundSettings) {
        let id = reader.optional("keyId", .text, "id of the APNs signing key")
        let teamID = reader.optional("teamId", .text, "Apple developer team id")
        let file = reader.optional("privateKeyFile", .path, "the key's `.p8` file")
        baseURL = reader.value(
            "baseURL",
            .baseURL,
            default: WebURL(https: "api.push.apple.com"),
            "base URL of Apple's push service"
        )
        outbound.check(baseURL, "baseURL", reader)
        reader.warnOfReaders("privateKeyFile", file)
        reader.requireTogether("keyId", "teamId", "privateKeyFile")
        if let id, let teamID, let file {
            key = Key(id: id, teamID: teamID, privateKeyFile: file)
        } else {
            key = nil
        }
    }
}

/// `recaptcha.*`: the fallback that checks whether a person uses the browser.
package struct RecaptchaSettings: Sendable {
    /// A reCAPTCHA site.
    package struct Site: Sendable {
        /// Public site key.
        package let key: String
        /// Secret that verifies answers.
        package let secret: Secret<String>
    }

    /// `nil` when reCAPTCHA is not used.
    package let site: Site?
    package let verifyURL: WebURL

    init(_ reader: SettingsReader, outbound: OutboundSettings) {
        let key = reader.optional("siteKey", .text, "reCAPTCHA site key")
        let secret = reader.secret("secret", .text, "reCAPTCHA secret")
        verifyURL = reader.value(
            "verifyURL",
            .webURL,
            default: WebURL(https: "www.google.com/recaptcha/api/siteverify"),
            "where reCAPTCHA answers are verified"
        )
        outbound.check(verifyURL, "verifyURL", reader)
        reader.requireTogether("siteKey", "secret")
        site = key.flatMap { key in secret.map { Site(key: key, secret: $0) } }
    }
}
