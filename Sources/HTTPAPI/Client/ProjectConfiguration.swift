import Accounts
import Foundation
import HTTPTypes
import Project

/// `GET v1/projects`: what a client may know of the project (`contract/client-accounts.md` §14, `contract/admin-config.md` §9).
struct ProjectConfiguration: Endpoint {
    static let summary = "Says what a client may know of the project."
    static let route = Route(
        method: .get,
        host: .identityToolkit,
        path: "v1/projects",
        legacyName: "getProjectConfig"
    )

    let configurations: ConfigurationStore
    let projectNumber: ProjectNumber
    let mode: ServerMode
    /// `server.publicURL`
    let publicURL: @Sendable () -> String

    struct Body: ProtoDecodable {
        /// There is no registry of apps: whatever a client names itself is taken.
        init(_ body: ProtoObject) throws {
            try body.ignore(
                texts: [
                    "androidPackageName", "iosBundleId", "clientId", "firebaseAppId", "sha1Cert", "projectNumber",
                    "delegatedProjectNumber",
                ],
                booleans: ["returnDynamicLink"]
            )
        }
    }

    struct Answer: Encodable {
        /// The project's number, whatever the name says.
        let projectId: String
        let authorizedDomains: [String]
        /// For administrators only.
        let allowPasswordUser: Bool?
        /// For administrators only.
        let enableAnonymousUser: Bool?
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        if context.scope.tenantID != nil { throw APIError(.unsupportedTenantOperation) }
        let policy = try await configurations.configuration(of: context.scope).policy
        return Answer(
            projectId: projectNumber.text(projectID: context.scope.projectID),
            authorizedDomains: domains(policy),
            allowPasswordUser: context.isPrivileged ? policy.allowsPassword : nil,
            enableAnonymousUser: context.isPrivileged ? policy.allowsAnonymous : nil
        )
    }

    // iOS finds the host of the browser flows here. In development a loopback address is left out, as the emulator does it.
    private func domains(_ policy: SignInPolicy) -> [String] {
        let host = URLComponents(string: publicURL())?.host?.trimmingCharacters(in: ["[", "]"]).lowercased()
        guard let host, !policy.authorizedDomains.contains(host) else { return policy.authorizedDomains }
        if mode == .development, IPAddress(host)?.isLoopback == true { return policy.authorizedDomains }
        return policy.authorizedDomains + [host]
    }
}
