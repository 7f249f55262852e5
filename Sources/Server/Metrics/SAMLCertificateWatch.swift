import Project
import Storage
import Tokens

/// Looks at the ends of the certificates that SAML sign-ins depend on. It looks once in ten minutes, however often a monitor asks.
final class SAMLCertificateWatch: Sendable {
    /// The first ends, in seconds since the epoch; 0 where there is no certificate.
    struct Ends: Sendable {
        var provider = 0
        var service = 0
    }

    private let database: any Database
    private let keys: ServiceProviderKeys
    private let last = LockedState<(at: ContinuousClock.Instant, ends: Ends)?>(nil)

    private static let interval = Duration.seconds(600)

    init(database: any Database, keys: ServiceProviderKeys) {
        self.database = database
        self.keys = keys
    }

    /// The ends as they were when they were last looked at.
    func ends() async throws -> Ends {
        let now = ContinuousClock.now
        if let known = last.withLock({ $0 }), now < known.at + Self.interval { return known.ends }
        let documents = try await database.read { try $0.resources(kind: .inboundSamlConfig) }.map(\.document)
        let certificates = documents.filter { $0["enabled"] == true }.compactMap(SAMLConfig.init).map { config in
            // While a provider changes its certificate, the newer one is what counts.
            config.certificates.compactMap { CertificateText(pem: $0)?.expiresAt.seconds }.max() ?? 0
        }
        let own = try await keys.certificates(makesKeys: false).first.flatMap { CertificateText(pem: $0)?.expiresAt.seconds }
        let ends = Ends(provider: Int(certificates.filter { $0 > 0 }.min() ?? 0), service: Int(own ?? 0))
        last.withLock { $0 = (now, ends) }
        return ends
    }
}
