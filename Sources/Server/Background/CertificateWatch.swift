import Logging
import Project
import ServiceLifecycle
import Settings
import UnixSignals

/// Takes up renewed files of the public listener's certificate: when their content changes, and when SIGHUP asks for it. Files that
/// are broken leave the certificate before in place.
actor CertificateWatch: Service {
    /// The listener's files and what is served of them.
    struct Watched: Sendable {
        let tls: ServerSettings.TLS
        let certificate: ServedCertificate
    }

    private static let interval = Duration.seconds(5)
    private static let warnsBefore = Duration.seconds(14 * 86_400)
    private static let warnsEvery = Duration.seconds(86_400)

    private let watched: Watched?
    private let hangUps: UnixSignalsSequence
    private let now: @Sendable () -> Timestamp
    private let logger: Logger
    private var taken: ServedCertificate.Files?
    /// Files that were not taken up, and whether the log says so.
    private var refused: (files: ServedCertificate.Files, isLogged: Bool)?
    private var warnedAt: Timestamp?

    init(_ watched: Watched?, hangUps: UnixSignalsSequence, now: @escaping @Sendable () -> Timestamp, logger: Logger) {
        self.watched = watched
        self.hangUps = hangUps
        self.now = now
        self.logger = logger
    }

    func run() async throws {
        await withDiscardingTaskGroup { group in
            group.addTask { [hangUps] in
                for await _ in hangUps.cancelOnGracefulShutdown() { await self.look(isAsked: true) }
            }
            guard watched != nil else { return }
            group.addTask {
                while !Task.isShuttingDownGracefully, !Task.isCancelled {
                    await self.look(isAsked: false)
                    try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.interval) }
                }
            }
        }
    }

    /// Looks at the files, and takes them up when they are new and good.
    ///
    /// - Parameter isAsked: Whether an operator asked, whom the log answers in any case.
    func look(isAsked: Bool) {
        guard let watched else {
            logger.notice("SIGHUP: the listener has no TLS files to read again")
            return
        }
        let files = ServedCertificate.Files(watched.tls)
        if files == taken {
            refused = nil
            if isAsked { logger.notice("SIGHUP: the TLS files were read again and are the same") }
        } else {
            take(files, of: watched, isAsked: isAsked)
        }
        warn(watched.certificate.notAfter)
    }

    private func take(_ files: ServedCertificate.Files, of watched: Watched, isAsked: Bool) {
        let isFirst = taken == nil
        do {
            let pair = try ServedCertificate.Pair(files, watched.tls)
            watched.certificate.serve(pair)
            (taken, refused) = (files, nil)
            if isFirst, !isAsked { return }
            warnedAt = nil
            logger.notice("the TLS files were read again and are in use", metadata: ["notAfter": "\(pair.notAfter.rfc3339)"])
        } catch {
            // A renewal writes one file after the other. What is still broken at the next look is a fault.
            let isKnown = refused?.files == files
            let isLogged = isKnown && refused?.isLogged == true
            if isAsked || (isKnown && !isLogged) {
                logger.error("the TLS files are not taken up, and the certificate before stays", metadata: ["reason": "\(error)"])
            }
            refused = (files, isLogged || isAsked || isKnown)
        }
    }

    // Once a day, and at once after a renewal.
    private func warn(_ notAfter: Timestamp) {
        let now = now()
        guard now.advanced(by: Self.warnsBefore) > notAfter else { return }
        if let warnedAt, now < warnedAt.advanced(by: Self.warnsEvery) { return }
        warnedAt = now
        let state = now > notAfter ? "has ended" : "ends soon"
        logger.warning("the TLS certificate \(state)", metadata: ["notAfter": "\(notAfter.rfc3339)"])
    }
}

// The service group logs services by this text. The default would print all members, including the key (threat case OPS-04).
extension CertificateWatch: CustomStringConvertible, CustomReflectable {
    nonisolated var description: String { "CertificateWatch" }

    /// No children, so that nothing around it shows the key.
    nonisolated var customMirror: Mirror { Mirror(self, children: []) }
}
