import HTTPTypes
import Project
import Tenancy

extension AdminMethod {
    /// The configuration of the project (`Docs/Contract/admin-config.md` §1 to §3).
    static func ofProject(_ project: ProjectConfigAdministration) -> [AdminMethod] {
        [
            AdminMethod(
                name: "GetProjectConfig",
                summary: "Reads the configuration of the project.",
                route: .admin(.get, .readConfiguration, "/config"),
                answer: Schema(.config)
            ) { try await project.get($0.context) },
            AdminMethod(
                name: "UpdateProjectConfig",
                summary: "Changes the configuration of the project.",
                route: .admin(.patch, .changeConfiguration, "/config"),
                request: Schema(.config),
                answer: Schema(.config),
                takesMask: true
            ) { try await project.update($0.body, mask: $0.mask, context: $0.context) },
            AdminMethod(
                name: "InitializeAuth",
                summary: "Does nothing: there is nothing to switch on.",
                route: .admin(.post, .changeConfiguration, "/identityPlatform:initializeAuth")
            ) { _ in [:] },
        ]
    }

    /// What the emulator lets tests configure, in development only (`Docs/Contract/emulator-endpoints.md` §2).
    static func ofEmulator(_ project: ProjectConfigAdministration) -> [AdminMethod] {
        let path = "projects/{project}/config"
        return [
            AdminMethod(
                name: "GetEmulatorConfig",
                summary: "Reads what the emulator lets tests configure.",
                route: .emulator(.get, path),
                answer: Schema(.config)
            ) { try await project.emulatorConfig($0.context) },
            AdminMethod(
                name: "UpdateEmulatorConfig",
                summary: "Changes what the emulator lets tests configure.",
                route: .emulator(.patch, path),
                request: Schema(.config),
                answer: Schema(.config)
            ) { try await project.updateEmulatorConfig($0.body, context: $0.context) },
        ]
    }
}
