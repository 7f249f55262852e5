import Accounts
import Logging
import Messaging
import Project
import ServiceLifecycle
import Settings
import Storage

/// The ways out for the audit trail.
enum AuditReceivers {
    /// Makes what forwards the trail to the receivers of the settings.
    static func all(
        _ settings: AuditSettings,
        database: any Database,
        environment: ServerEnvironment
    ) throws -> [AuditForwarding] {
        var all: [AuditForwarding] = []
        if let syslog = settings.syslog {
            let sender = try SyslogSender(syslog)
            all.append(
                AuditForwarding(to: "syslog", database: database, environment: environment) { try await sender.send($0) }
            )
        }
        if let receiver = settings.webhook {
            let hook = Webhook(url: receiver.url.text, secret: receiver.secret.reveal(), environment: environment)
            all.append(
                AuditForwarding(to: "webhook", database: database, environment: environment) {
                    try await hook.post($0.lines.map(\.json))
                }
            )
        }
        return all
    }
}

/// Forwards the audit trail to one receiver, from the start of the node to its end.
struct AuditForwarder: Service {
    let forwarding: AuditForwarding
    let logger: Logger

    private static let interval = Duration.seconds(2)
    private static let longestPause = Duration.seconds(120)

    private var metadata: Logger.Metadata { ["receiver": "\(forwarding.receiver)"] }

    func run() async throws {
        var pause = Self.interval
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            do {
                try await forwarding.forward { Task.isShuttingDownGracefully }
                if pause > Self.interval { logger.notice("audit trail forwarded again", metadata: metadata) }
                pause = Self.interval
            } catch {
                // One line for each row of failures, not one for each try.
                if pause == Self.interval { logger.failure("audit trail not forwarded", error, metadata: metadata) }
                pause = min(pause * 2, Self.longestPause)
            }
            let wait = pause
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: wait) }
        }
    }
}

// The service group logs services by this text. The default would print all members, including secrets (threat case OPS-04).
extension AuditForwarder: CustomStringConvertible {
    var description: String { "AuditForwarder" }
}
