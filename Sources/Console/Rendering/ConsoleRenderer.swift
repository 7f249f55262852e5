import HTTPAPI
import HTTPTypes
import Hummingbird
import Messaging

/// Makes responses of screens.
enum ConsoleRenderer {
    /// Makes the response for a screen.
    ///
    /// - Parameter headers: Further headers. They take the place of those of the same name, except `Set-Cookie`, which may
    ///   repeat.
    static func response(
        _ page: ConsolePage,
        _ context: PageContext,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) -> Response {
        var fields = Self.headers
        fields[.contentLanguage] = context.language.rawValue
        for field in headers where field.name != .setCookie { fields[field.name] = field.value }
        for cookie in headers[values: .setCookie] { fields.append(HTTPField(name: .setCookie, value: cookie)) }
        return ConsoleLayout.html(page, context).response(status, fields)
    }

    /// The headers of every page of the console, and of redirects between them (threat cases WEB-01, WEB-04).
    static let headers: HTTPFields = [
        .cacheControl: "no-store", .referrerPolicy: "same-origin", .xContentTypeOptions: "nosniff", .frameOptions: "DENY",
        .crossOriginOpenerPolicy: "same-origin", .crossOriginResourcePolicy: "same-origin",
        .permissionsPolicy: permissionsPolicy, .contentSecurityPolicy: contentSecurityPolicy,
    ]

    private static let contentSecurityPolicy = """
        default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; \
        frame-src 'self'; frame-ancestors 'none'; base-uri 'none'
        """

    private static let permissionsPolicy: String = {
        let refused = [
            "accelerometer", "autoplay", "camera", "display-capture", "encrypted-media", "fullscreen", "geolocation", "gyroscope",
            "hid", "idle-detection", "local-fonts", "magnetometer", "microphone", "midi", "payment", "picture-in-picture",
            "screen-wake-lock", "serial", "usb", "web-share", "xr-spatial-tracking",
        ]
        return (["publickey-credentials-get=(self)", "publickey-credentials-create=(self)"] + refused.map { "\($0)=()" })
            .joined(separator: ", ")
    }()
}

extension HTTPField.Name {
    static let referrerPolicy = constant("Referrer-Policy")
    static let secFetchSite = constant("Sec-Fetch-Site")
    static let frameOptions = constant("X-Frame-Options")
    static let crossOriginOpenerPolicy = constant("Cross-Origin-Opener-Policy")
    static let permissionsPolicy = constant("Permissions-Policy")

    static func constant(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("not a header name: \(text)") }
        return name
    }
}
