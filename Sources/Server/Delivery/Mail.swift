import Accounts
import Logging
import Messaging
import Project
import Settings
import Storage
import Tenancy
import Tokens

/// The way out for e-mail: the outbox's service, and what makes messages.
struct Mail: Sendable {
    let service: OutboxService
    let mailer: OOBMailer

    /// Puts the parts together.
    ///
    /// - Parameter environment: In development its log shows the messages themselves.
    init(
        _ settings: Settings,
        database: any Database,
        sealer: TokenSealer,
        environment: ServerEnvironment,
        publicURL: @escaping @Sendable () -> String,
        patience: Duration? = nil
    ) throws {
        let seal = PayloadSeal.outbox(sealer)
        let logger = environment.logger
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
            logger: logger,
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

/// Which server mail leaves by: the one of a scope's project, or this one's.
private final class MailTransports: Sendable {
    private let own: (any EmailTransport)?
    private let database: any Database
    private let sealer: TokenSealer
    private let names: CheckedNames
    private let caFile: String?
    private let timeouts: SMTPTransport.Timeouts
    private let custom = LockedState<[Scope: Custom]>([:])

    private static let maximumCustom = 64
    private static let lookUpTimeout = Duration.seconds(10)

    /// The way to a project's own server.
    private struct Custom: Sendable {
        let document: JSONValue
        /// The address that connections go to; `nil` where any will do.
        let address: IPAddress?
        let transport: SMTPTransport

        /// Whether connections go to one of the addresses; `nil` are all of them.
        func leads(to addresses: [IPAddress]?) -> Bool { addresses.map { $0.contains { $0 == address } } ?? true }
    }

    /// There is no way to send mail.
    struct NoTransport: Error, CustomStringConvertible {
        let description = "email.transport is not set"
    }

    init(_ settings: Settings, database: any Database, sealer: TokenSealer, patience: Duration?, logger: Logger) {
        self.database = database
        self.sealer = sealer
        caFile = settings.outbound.caFile
        names = CheckedNames(settings.outbound)
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

    func transport(for scope: Scope?) async throws -> any EmailTransport {
        guard let project = scope?.project else { return try ownTransport() }
        let config = try await database.read { try $0.resource(project, kind: .config, resourceID: "") }
        let settings = config?["notification"]?["sendEmail"]
        guard settings?["method"] == "CUSTOM_SMTP", let document = settings?["smtp"] else {
            return try ownTransport()
        }
        let opened = ConfigurationSecrets(sealer: sealer, scope: project).opened(document, path: ["password"])
        guard let server = SMTPServerConfiguration(document: opened) else { throw NoTransport() }
        let addresses = try await addresses(of: server)
        let known = custom.withLock { $0[project] }
        if let known, known.document == document, known.leads(to: addresses) { return known.transport }
        let address = addresses?.first
        let transport = SMTPTransport(
            server: server,
            timeouts: timeouts,
            caFile: caFile,
            connectTo: address.map { "\($0.bytes.count == 4 ? $0.text : "[\($0.text)]"):\(server.port)" }
        )
        custom.withLock { custom in
            if custom.count >= Self.maximumCustom { custom.removeAll() }
            custom[project] = Custom(document: document, address: address, transport: transport)
        }
        return transport
    }

    private func ownTransport() throws -> any EmailTransport {
        guard let own else { throw NoTransport() }
        return own
    }

    // Administrators of a project must not reach our network through its mail server (threat cases SSR-01 and SSR-02).
    private func addresses(of server: SMTPServerConfiguration) async throws -> [IPAddress]? {
        do {
            return try await withDeadline(Self.lookUpTimeout) { [names] in try await names.addresses(of: server.host) }
        } catch OutboundError.forbiddenAddress {
            throw DeliveryError.temporary("the server's address is one of a private network (outbound.allowPrivateNetworks)")
        } catch {
            throw DeliveryError.temporary("the server's name was not resolved")
        }
    }
}
