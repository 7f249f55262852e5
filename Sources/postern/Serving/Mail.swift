import Accounts
import Logging
import Messaging
import Project
import Storage
import Tokens

/// The way out for e-mail: the outbox's service, and what makes messages.
struct Mail: Sendable {
    let service: OutboxService
    let mailer: OOBMailer

    /// Puts the parts together.
    ///
    /// - Parameters:
    ///   - settings: `email.*` and `outbound.caFile`.
    ///   - database: Where the outbox is.
    ///   - sealer: Seals messages, and opens the passwords of projects' own servers.
    ///   - environment: Clock and randomness.
    ///   - publicURL: `server.publicURL`.
    ///   - patience: How long handing over a message may take; the transport's usual times unless told otherwise.
    ///   - logger: Told of failures; in development of the messages themselves.
    /// - Throws: When the sender is no address.
    init(
        _ settings: Settings,
        database: any Database,
        sealer: TokenSealer,
        environment: ServerEnvironment,
        publicURL: @escaping @Sendable () -> String,
        patience: Duration? = nil,
        logger: Logger
    ) throws {
        let seal = PayloadSeal.outbox(sealer)
        let ways = MailTransports(settings, database: database, sealer: sealer, patience: patience, logger: logger)
        let service = OutboxService(
            database: database,
            payloadSeal: seal,
            environment: environment,
            logger: logger,
            transport: { try await ways.transport(for: $0) }
        )
        self.service = service
        mailer = OOBMailer(
            templates: try EmailTemplates(),
            outbox: EmailOutbox(payloadSeal: seal, environment: environment),
            sender: try Self.sender(settings.email),
            publicURL: publicURL,
            wakeUp: { service.wake() }
        )
    }

    private static func sender(_ settings: EmailSettings) throws -> Mailbox? {
        switch settings.transport {
        case .none: nil
        case .log: try Mailbox(address: "noreply@localhost.localdomain")
        case .smtp(let server): try Mailbox(parsing: server.from)
        }
    }
}

/// Which server the mail of a scope leaves by: the project's own, or this one's.
private final class MailTransports: Sendable {
    private let own: (any EmailTransport)?
    private let database: any Database
    private let sealer: TokenSealer
    private let caFile: String?
    private let timeouts: SMTPTransport.Timeouts
    private let custom = LockedState<[Scope: (document: JSONValue, transport: SMTPTransport)]>([:])

    private static let maximumCustom = 64

    /// There is no way to send mail.
    struct NoTransport: Error {}

    init(_ settings: Settings, database: any Database, sealer: TokenSealer, patience: Duration?, logger: Logger) {
        self.database = database
        self.sealer = sealer
        caFile = settings.outbound.caFile
        timeouts = patience.map { .init(connect: $0, total: $0) } ?? .init()
        own =
            switch settings.email.transport {
            case .none: nil
            case .log: LogTransport(logger: logger)
            case .smtp(let server):
                SMTPTransport(
                    server: SMTPServerConfiguration(
                        host: server.host,
                        port: server.port,
                        security: server.isImplicitTLS ? .implicitTLS : .startTLS,
                        credentials: server.credentials.map { .init(username: $0.username, password: $0.password.reveal()) }
                    ),
                    timeouts: timeouts,
                    caFile: settings.outbound.caFile
                )
            }
    }

    func transport(for scope: Scope) async throws -> any EmailTransport {
        let project = scope.project
        let config = try await database.read { try $0.resource(project, kind: .config, resourceID: "") }
        let settings = config?["notification"]?["sendEmail"]
        guard settings?["method"] == "CUSTOM_SMTP", var document = settings?["smtp"] else {
            guard let own else { throw NoTransport() }
            return own
        }
        if let known = custom.withLock({ $0[project] }), known.document == document { return known.transport }
        let stored = document
        document = ConfigurationSecrets(sealer: sealer, scope: project).opened(document, path: ["password"])
        guard let server = SMTPServerConfiguration(document: document) else { throw NoTransport() }
        let transport = SMTPTransport(server: server, timeouts: timeouts, caFile: caFile)
        custom.withLock { custom in
            if custom.count >= Self.maximumCustom { custom.removeAll() }
            custom[project] = (stored, transport)
        }
        return transport
    }
}
