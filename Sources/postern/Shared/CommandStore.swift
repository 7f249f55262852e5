import Accounts
import ArgumentParser
import HTTPAPI
import Logging
import Passwords
import Project
import Server
import Settings
import Storage
import Tokens

/// The store of the settings, for commands that work beside a running server or without one. Nothing is served. Only commands
/// about identity providers use the network.
enum CommandStore {
    /// Opens the store, runs `body` and closes the store.
    static func withDatabase(
        _ config: ConfigOption,
        reachesOut: Bool = false,
        _ body: (any Database, ServerEnvironment, Settings) async throws -> Void
    ) async throws {
        let settings = try await config.settings()
        let http: LiveHTTP?
        do { http = try reachesOut ? LiveHTTP(settings.outbound, explains: true) : nil } catch { throw CommandFailure(error) }
        do {
            try await withDatabase(config, settings, http, body)
        } catch {
            await http?.shutdown()
            throw error
        }
        await http?.shutdown()
    }

    private static func withDatabase(
        _ config: ConfigOption,
        _ settings: Settings,
        _ http: LiveHTTP?,
        _ body: (any Database, ServerEnvironment, Settings) async throws -> Void
    ) async throws {
        do {
            let outbound = http?.outbound ?? OutboundHTTP { _, _ in throw OutboundError.forbiddenURL }
            let logger = config.logger(settings)
            var environment = ServerEnvironment.live(http: outbound)
            environment.logger = logger
            let database = try await Store.openExisting(settings.database, at: environment.now(), logger: logger)
            do {
                try await body(database, environment, settings)
            } catch {
                try? await database.close()
                throw error
            }
            try await database.close()
        } catch let error as ExitCode {
            // The command has already printed everything.
            throw error
        } catch let error as APIError {
            throw CommandFailure(RefusalText.text(error))
        } catch let error as InvalidArgument {
            throw CommandFailure(error.message)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// The tools of a command. They are the use cases of the server's endpoints, so that no command bypasses their rules.
    struct Workplace {
        let useCases: UseCases
        let sessionEnding: SessionEnding
        let database: any Database
        let auditSigner: AuditSigner
        /// Our keys as a SAML service provider.
        let serviceKeys: ServiceProviderKeys
        let environment: ServerEnvironment
        let settings: Settings
        let context: CallContext

        /// Where browsers reach the console.
        var consoleURL: String {
            let server = settings.server
            return settings.console.url(server, publicPort: server.port, adminPort: server.admin?.port ?? 0).text
        }

        /// Finds the account that an operator names.
        ///
        /// - Parameter name: Its id, e-mail address, or phone number in E.164.
        func account(_ name: String) async throws -> AccountView {
            let selectors: [AccountReader.Selector] = [.localID(name), .email(name), .phoneNumber(name)]
            guard let found = try await useCases.accounts.reader.accounts(selectors, context: context).first else {
                throw CommandFailure("there is no user \(name)")
            }
            return found
        }
    }

    /// Opens the store with its use cases, runs `body` and closes the store.
    ///
    /// - Parameter onlyReads: A command that changes something gives an empty store the mode of the settings.
    static func withUseCases(
        _ config: ConfigOption,
        tenant: String?,
        reachesOut: Bool = false,
        onlyReads: Bool = false,
        _ body: (Workplace) async throws -> Void
    ) async throws {
        try await withDatabase(config, reachesOut: reachesOut) { database, environment, settings in
            let keys = try StoreKeys(settings, of: database, environment: environment)
            try await keys.ring.loadForCommand(makesKeys: !onlyReads)
            let assembly = try Assembly(
                settings,
                database: database,
                keys: keys,
                environment: environment,
                addresses: ServerAddresses(settings)
            )
            let workplace = Workplace(
                useCases: assembly.useCases,
                sessionEnding: SessionEnding(database: database, environment: environment),
                database: database,
                auditSigner: keys.auditSigner,
                serviceKeys: keys.serviceKeys,
                environment: environment,
                settings: settings,
                context: .commandLine(projectID: settings.project.id, tenant: tenant)
            )
            do {
                try await body(workplace)
            } catch {
                await assembly.close()
                throw error
            }
            await assembly.close()
        }
    }
}
