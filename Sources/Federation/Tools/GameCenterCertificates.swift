import Crypto
import CryptoExtras
import Foundation
import Project
import SwiftASN1
import Tokens
import X509

/// Game Center's certificates. They are fetched only from Apple's own host, and cached.
final class GameCenterCertificates: Sendable {
    private struct Entry {
        let certificate: Certificate
        let expiresAt: Timestamp
    }

    // Apple has used about a dozen certificates in as many years.
    private static let maximumCertificates = 16
    private static let lifetime = Duration.seconds(3600)
    private static let maximumBytes = 1 << 16
    private static let zone = HostName("gc.apple.com")

    private let environment: ServerEnvironment
    private let endpoint: String?
    private let trust: GameCenterTrust
    private let entries = LockedState<[String: Entry]>([:])

    init(environment: ServerEnvironment, endpoint: String?, trust: GameCenterTrust) {
        self.environment = environment
        self.endpoint = endpoint
        self.trust = trust
    }

    /// The key of the certificate at a URL.
    ///
    /// - Parameter url: The URL that the app sent. It must be one of Apple's; nothing else about it is trusted.
    func key(at url: String) async throws -> _RSA.Signing.PublicKey {
        guard isOwn(url) else { throw ProviderError(.keys, "The public key is not at a host of Game Center (publicKeyUrl).") }
        let certificate = try await certificate(at: url)
        let now = Date(timeIntervalSince1970: Double(environment.now().milliseconds) / 1000)
        guard certificate.notValidBefore <= now, now <= certificate.notValidAfter else {
            throw ProviderError(.keys, "The public key's certificate is not in force.")
        }
        guard let key = _RSA.Signing.PublicKey(certificate.publicKey), let primitives = try? key.getKeyPrimitives(),
            !RSAModulus.isOfWeakGenerator(primitives.modulus)
        else {
            throw ProviderError(.keys, "The public key is not of the kind that Game Center has.")
        }
        return key
    }

    private func isOwn(_ url: String) -> Bool {
        guard url.utf8.count <= 512, let parts = URLComponents(string: url, encodingInvalidCharacters: false),
            parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil,
            let address = WebAddress(url), let zone = Self.zone
        else { return false }
        if let endpoint { return url.hasPrefix(endpoint + "/") }
        return address.isSecure && address.authority.port == nil && address.host.isBelow(zone)
    }

    private func certificate(at url: String) async throws -> Certificate {
        let now = environment.now()
        if let known = entries.withLock({ $0[url] }), now < known.expiresAt { return known.certificate }
        let certificate: Certificate
        do {
            certificate = try await fetch(url)
        } catch {
            throw ProviderError(.keys, "Game Center's public key could not be fetched.", cause: error)
        }
        guard await trust.covers(certificate, at: now, fetch: { try await self.fetchIssuer($0) }) else {
            throw ProviderError(.keys, "The public key's certificate is not one of Apple's.")
        }
        let entry = Entry(certificate: certificate, expiresAt: now.advanced(by: Self.lifetime))
        entries.withLock { entries in
            if entries.count >= Self.maximumCertificates { entries.removeAll() }
            entries[url] = entry
        }
        return certificate
    }

    private func fetch(_ url: String) async throws -> Certificate {
        let answer = try await environment.http(.init(url: url), limits: .init(maximumBodyBytes: Self.maximumBytes))
        guard answer.status == 200 else { throw ProviderAPI.Unexpected(status: answer.status) }
        return try Certificate(derEncoded: answer.body)
    }

    // Certificates give the URL of their issuer with http. The same hosts also answer over https, which may be the only scheme
    // allowed.
    private func fetchIssuer(_ url: String) async throws -> Certificate {
        do {
            return try await fetch(url)
        } catch OutboundError.forbiddenURL where url.hasPrefix("http://") {
            return try await fetch("https://" + url.dropFirst("http://".count))
        }
    }
}
