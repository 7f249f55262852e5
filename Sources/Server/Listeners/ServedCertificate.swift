import CoreMetrics
import Foundation
import NIOCertificateReloading
import NIOSSL
import Project
import Settings

/// Certificate and private key of the public listener. Connections begin with the pair that was taken up last; open ones keep theirs.
///
/// The library's own reloader is not used, because its reader refuses files that the listener takes at the start: a key after its
/// `EC PARAMETERS`, or certificate and key in one file.
final class ServedCertificate: CertificateReloader {
    /// The bytes of both files; `nil` for one that cannot be read.
    struct Files: Sendable, Equatable {
        let certificate: [UInt8]?
        let key: [UInt8]?

        /// Reads both files.
        init(_ tls: ServerSettings.TLS) {
            certificate = Self.bytes(tls.certificateFile)
            key = Self.bytes(tls.privateKeyFile)
        }

        private static func bytes(_ path: String) -> [UInt8]? { FileManager.default.contents(atPath: path).map { [UInt8]($0) } }
    }

    /// A certificate with its chain, and the key that belongs to it.
    struct Pair: Sendable {
        let chain: [NIOSSLCertificateSource]
        let key: NIOSSLPrivateKeySource
        /// The last second in which the certificate is good.
        let notAfter: Timestamp

        /// Reads a pair.
        init(_ files: Files, _ tls: ServerSettings.TLS) throws {
            let certificates = try Self.chain(files, tls)
            let key = try Self.key(files, tls)
            chain = certificates.map { .certificate($0) }
            self.key = .privateKey(key)
            notAfter = Timestamp(seconds: certificates.first.map { Int64($0.notValidAfter) } ?? 0)
            let configuration = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: self.key)
            _ = try UnusableSetting.reading("server.tls.privateKeyFile", tls.privateKeyFile, as: "the certificate's own key") {
                try NIOSSLContext(configuration: configuration)
            }
        }

        static func chain(_ files: Files, _ tls: ServerSettings.TLS) throws -> [NIOSSLCertificate] {
            try UnusableSetting.reading("server.tls.certificateFile", tls.certificateFile, as: "PEM certificates") {
                let certificates = try NIOSSLCertificate.fromPEMBytes(files.certificate ?? [])
                guard !certificates.isEmpty else { throw NIOSSLError.failedToLoadCertificate }
                return certificates
            }
        }

        static func key(_ files: Files, _ tls: ServerSettings.TLS) throws -> NIOSSLPrivateKey {
            try UnusableSetting.reading("server.tls.privateKeyFile", tls.privateKeyFile, as: "a PEM private key") {
                try NIOSSLPrivateKey(bytes: files.key ?? [], format: .pem)
            }
        }
    }

    private static let metric = "postern_certificate_expiration_timestamp_seconds"

    private let served: LockedState<Pair>
    private let metrics: any MetricsFactory

    init(_ pair: Pair, metrics: any MetricsFactory) {
        served = LockedState(pair)
        self.metrics = metrics
        serve(pair)
    }

    /// The last second in which the served certificate is good.
    var notAfter: Timestamp { served.withLock { $0.notAfter } }

    /// What new connections begin with.
    var sslContextConfigurationOverride: NIOSSLContextConfigurationOverride {
        let pair = served.withLock { $0 }
        var override = NIOSSLContextConfigurationOverride()
        override.certificateChain = pair.chain
        override.privateKey = pair.key
        return override
    }

    /// Lets new connections begin with another pair.
    func serve(_ pair: Pair) {
        served.withLock { $0 = pair }
        Meter(label: Self.metric, dimensions: [], factory: metrics).set(pair.notAfter.seconds)
    }
}

extension ServedCertificate {
    /// Reads both files as the listener will.
    static func faults(_ tls: ServerSettings.TLS) -> [any Error] {
        let files = Files(tls)
        var faults: [any Error] = []
        do { _ = try Pair.chain(files, tls) } catch { faults.append(error) }
        do { _ = try Pair.key(files, tls) } catch { faults.append(error) }
        guard faults.isEmpty else { return faults }
        do { _ = try Pair(files, tls) } catch { faults.append(error) }
        return faults
    }
}
