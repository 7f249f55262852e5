import Federation
import Project

/// Asks an OpenID provider for its keys before it is configured, so that a mistyped issuer is found at once.
struct IssuerProbe: Sendable {
    let http: OutboundHTTP

    /// Whether an enabled provider's issuer is new, or the provider newly enabled.
    static func isNeeded(_ next: JSONValue, stored: JSONValue?) -> Bool {
        next["enabled"] == true && (stored?["issuer"] != next["issuer"] || stored?["enabled"] != true)
    }

    /// Discovers an issuer.
    ///
    /// - Throws: `APIError` `INVALID_CONFIG`, the same for every cause, so that the answer does not reveal hosts of an internal
    ///   network (threat case SSR-04).
    func check(_ issuer: String) async throws {
        do {
            _ = try await KeySetFetcher(http: http).fetch(.discovery(issuer: issuer))
        } catch {
            throw APIError(.invalidConfig, "The issuer's configuration and keys could not be discovered.", cause: error)
        }
    }
}
