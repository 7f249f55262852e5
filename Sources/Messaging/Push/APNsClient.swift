package import Project

/// Sends background pushes through Apple's push service (developer.apple.com, "Sending notification requests to APNs").
package struct APNsClient: Sendable {
    private let baseURL: String
    private let sandboxURL: String
    private let providerToken: @Sendable () throws -> String
    private let refusedToken: @Sendable (String) -> Void
    private let http: OutboundHTTP

    private static let timeout = Duration.seconds(5)
    // The app waits for some seconds only. A later push is useless.
    private static let lifetime: Int64 = 60
    private static let refusalsOfToken: Set = ["ExpiredProviderToken", "InvalidProviderToken"]
    private static let service = "https://api.push.apple.com"
    private static let sandbox = "https://api.sandbox.push.apple.com"

    /// - Parameter baseURL: `apns.baseURL`. Apple's own address has a counterpart for development builds; any other address
    ///   serves both.
    package init(
        baseURL: String,
        providerToken: @escaping @Sendable () throws -> String,
        refusedToken: @escaping @Sendable (String) -> Void,
        http: OutboundHTTP
    ) {
        self.baseURL = baseURL
        sandboxURL = baseURL == Self.service ? Self.sandbox : baseURL
        self.providerToken = providerToken
        self.refusedToken = refusedToken
        self.http = http
    }

    /// Why a push was not accepted.
    package enum PushError: Error, Equatable, Sendable {
        /// This key may not push to the device or the app. Carries Apple's reason.
        case refused(String)
        /// The service cannot be reached, or refuses our key for now.
        case unavailable(String)
    }

    /// Sends a push that wakes the app without showing anything.
    ///
    /// - Parameter deviceToken: The token of the installation, in hexadecimal.
    /// - Throws: ``PushError``; the errors of making the provider token.
    package func sendBackground(
        _ payload: JSONValue,
        to deviceToken: String,
        topic: String,
        isSandbox: Bool,
        at now: Timestamp
    ) async throws {
        let token = try providerToken()
        var request = OutboundHTTP.Request(
            method: "POST",
            url: "\(isSandbox ? sandboxURL : baseURL)/3/device/\(deviceToken)",
            headers: [
                ("authorization", "bearer \(token)"), ("apns-push-type", "background"), ("apns-priority", "5"),
                ("apns-topic", topic), ("apns-expiration", String(now.seconds + Self.lifetime)),
                ("content-type", "application/json"),
            ],
            body: Array(payload.serialized())
        )
        request.needsHTTP2 = true
        let response: OutboundHTTP.Response
        do {
            response = try await http(request, limits: .init(timeout: Self.timeout, maximumBodyBytes: 1 << 14))
        } catch let error as OutboundError {
            throw PushError.unavailable("\(error)")
        }
        guard response.status != 200 else { return }
        let reason = (try? JSONValue.parse(response.body))?["reason"]?.string ?? "status \(response.status)"
        if response.status == 403, Self.refusalsOfToken.contains(reason) { refusedToken(token) }
        switch response.status {
        case 400, 410: throw PushError.refused(reason)
        default: throw PushError.unavailable(reason)
        }
    }
}
