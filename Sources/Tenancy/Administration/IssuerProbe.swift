import Federation
import Logging
import Project

/// Asks an OpenID provider for its keys before it is configured, so that a mistyped issuer is found at once.
struct IssuerProbe: Sendable {
    let http: OutboundHTTP
    let logger: Logger

    /// Whether an enabled provider's issuer is new, or the provider newly enabled.
    static func isNeeded(_ next: JSONValue, stored: JSONValue?) -> Bool {
        next["enabled"] == true && (stored?["issuer"] != next["issuer"] || stored?["enabled"] != true)
    }

    /// Discovers an issuer. One that cannot be reached now is taken as Firebase takes it, with a warning in the log: providers are
    /// configured before their networks are open, and the Admin SDKs' suites name issuers that do not exist.
    ///
    /// - Throws: `APIError` `INVALID_CONFIG`, the same for every cause, so that the answer does not reveal hosts of an internal
    ///   network (threat case SSR-04). Such hosts are refused without being asked.
    func check(_ issuer: String) async throws {
        do {
            _ = try await KeySetFetcher(http: http).fetch(.discovery(issuer: issuer))
        } catch let error as OutboundError where error.isAbsence {
            logger.warning(
                "an issuer cannot be reached; nobody signs in by it until it is",
                metadata: ["issuer": "\(issuer)", "error": "\(error.plainText)"]
            )
        } catch {
            throw APIError(.invalidConfig, "The issuer's configuration and keys could not be discovered.", cause: error)
        }
    }
}

extension OutboundError {
    // Nobody was there to say anything of the issuer.
    fileprivate var isAbsence: Bool {
        switch self {
        case .unknownName, .connectionRefused, .unreachable, .timedOut: true
        case .forbiddenURL, .forbiddenAddress, .certificate, .tooLarge: false
        }
    }
}
