import Accounts
import HTTPAPI
import Logging
import Passwords
import Project
import Storage
import Tokens

/// The store of the settings, for commands that work beside a running server or without one. Nothing is served, and nothing from
/// outside is needed: a command that reached for the network would be at fault.
enum CommandStore {
    /// Opens the store while `body` runs.
    ///
    /// - Throws: ``CommandFailure``.
    static func withDatabase(
        _ config: ConfigOption,
        _ body: (any Database, ServerEnvironment, Settings) async throws -> Void
    ) async throws {
        let settings = try await config.settings()
        do {
            let environment = ServerEnvironment.live(http: OutboundHTTP { _, _ in throw OutboundError.forbiddenURL })
            let logger = config.logger(settings)
            let database = try await Store.openExisting(settings.database, at: environment.now(), logger: logger)
            do {
                try await body(database, environment, settings)
            } catch {
                try? await database.close()
                throw error
            }
            try await database.close()
        } catch let error as APIError {
            throw CommandFailure(error.message)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// What a command has at hand: the same use cases as the server's endpoints, so that it bypasses none of their rules.
    struct Workplace {
        let services: Services
        let context: CallContext

        /// The account that an operator names.
        ///
        /// - Parameter name: Its id, e-mail address, or phone number in E.164.
        /// - Returns: The account.
        /// - Throws: ``CommandFailure`` when there is none; `APIError`; `StorageError`.
        func account(_ name: String) async throws -> AccountView {
            let selectors: [AccountReader.Selector] = [.localID(name), .email(name.lowercased()), .phoneNumber(name)]
            guard let found = try await services.accountReader.accounts(selectors, context: context).first else {
                throw CommandFailure("there is no user \(name)")
            }
            return found
        }
    }

    /// Opens the store with its use cases while `body` runs.
    ///
    /// - Parameters:
    ///   - config: The settings.
    ///   - tenant: The tenant to work in; `nil` for the project itself.
    ///   - body: The work.
    /// - Throws: ``CommandFailure``.
    static func withServices(
        _ config: ConfigOption,
        tenant: String?,
        _ body: (Workplace) async throws -> Void
    ) async throws {
        try await withDatabase(config) { database, environment, settings in
            let logger = config.logger(settings)
            let sealer = TokenSealer(masterKey: try Core.masterKey(settings, environment), environment: environment)
            let keyRing = Core.keyRing(settings, database, sealer, environment)
            try await keyRing.load()
            let publicURL: @Sendable () -> String = { settings.server.publicURL(boundTo: settings.server.port).text }
            let mail = try Mail(
                settings,
                database: database,
                sealer: sealer,
                environment: environment,
                publicURL: publicURL,
                logger: logger
            )
            let texting = Texting(
                settings,
                database: database,
                sealer: sealer,
                environment: environment,
                publicURL: publicURL,
                logger: logger
            )
            let webhooks = Webhooks(settings.webhooks, database: database, environment: environment, logger: logger)
            let hasher = Core.hasher(settings.passwords, environment)
            let services = Wiring(
                settings: settings,
                database: database,
                keyRing: keyRing,
                issuer: Core.tokenIssuer(settings, keyRing, environment),
                sealer: sealer,
                environment: environment,
                logger: logger,
                hasher: hasher,
                mailer: mail.mailer,
                messages: texting.messages,
                push: try Push.client(settings.apns, environment),
                events: webhooks.events,
                publicURL: publicURL
            ).services()
            let workplace = Workplace(
                services: services,
                context: CallContext(
                    scope: Scope(projectID: settings.project.id, tenantID: tenant),
                    isPrivileged: true,
                    actor: CommandLineActor.name,
                    adminScopes: .all
                )
            )
            do {
                try await body(workplace)
            } catch {
                await hasher.close()
                throw error
            }
            await hasher.close()
        }
    }
}
