import HTTPTypes

extension HTTPField.Name {
    static let googleAPIKey = constant("x-goog-api-key")
    static let firebaseLocale = constant("x-firebase-locale")
    static let iosBundleIdentifier = constant("x-ios-bundle-identifier")
    static let host = constant("Host")
    static let forwardedFor = constant("x-forwarded-for")
    static let forwardedHost = constant("x-forwarded-host")
    static let traceparent = constant("traceparent")
    static let methodOverride = constant("X-HTTP-Method-Override")
    static let requestID = constant("X-Request-Id")
    static let secFetchSite = constant("Sec-Fetch-Site")
    static let referrerPolicy = constant("Referrer-Policy")
    static let frameOptions = constant("X-Frame-Options")
    static let crossOriginResourcePolicy = constant("Cross-Origin-Resource-Policy")
    static let pragma = constant("Pragma")
    static let posternMode = constant("Postern-Mode")
    static let accessControlRequestPrivateNetwork = constant("Access-Control-Request-Private-Network")
    static let accessControlAllowPrivateNetwork = constant("Access-Control-Allow-Private-Network")

    private static func constant(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("not a header name: \(text)") }
        return name
    }
}
