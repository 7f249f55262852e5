package import Accounts
package import Logging
package import Project
package import Settings
package import Tenancy
package import Tokens

/// What the screens work with: the use cases, and facts of the server that pages show. Every screen refers to the same ones.
package final class ConsoleTools: Sendable {
    let useCases: UseCases
    let settings: Settings
    let keyRing: KeyRing
    let environment: ServerEnvironment
    let auditVerification: AuditVerification
    let backups: any ConsoleBackups
    /// Reads the project file; `nil` when the settings name none.
    let projectFile: @Sendable () async throws -> ProjectDeclaration?
    /// Looks up TXT records in the DNS.
    let textRecords: SenderDomain.LookUp
    /// What developers have; `nil` in production.
    let development: ConsoleDevelopment?
    let logger: Logger
    /// What takes long, and how much of it there may be at once.
    let load: ConsoleLoad
    /// Files that browsers send in pieces.
    let uploads: ConsoleUploads
    /// Where browsers reach the console.
    let url: @Sendable () -> String
    /// `server.publicURL`
    let publicURL: @Sendable () -> String

    package init(
        useCases: UseCases,
        settings: Settings,
        keyRing: KeyRing,
        environment: ServerEnvironment,
        auditVerification: AuditVerification,
        backups: any ConsoleBackups,
        projectFile: @escaping @Sendable () async throws -> ProjectDeclaration?,
        textRecords: @escaping SenderDomain.LookUp,
        development: ConsoleDevelopment?,
        logger: Logger,
        url: @escaping @Sendable () -> String,
        publicURL: @escaping @Sendable () -> String
    ) {
        self.useCases = useCases
        load = ConsoleLoad(isLive: useCases.console.sessions.isLive)
        self.settings = settings
        self.keyRing = keyRing
        self.environment = environment
        let sessions = useCases.console.sessions
        uploads = ConsoleUploads(environment: environment) { try await sessions.isLive($0) }
        self.auditVerification = auditVerification
        self.backups = backups
        self.projectFile = projectFile
        self.textRecords = textRecords
        self.development = development
        self.logger = logger
        self.url = url
        self.publicURL = publicURL
    }

    /// What operators do with their own access.
    var console: ConsoleUseCases { useCases.console }

    /// The project's id.
    var projectID: String { settings.project.id }
}
