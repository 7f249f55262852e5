import HTTPTypes
import Project
import Tenancy

/// `GET v1/projects`: the project's facts for clients (`Docs/Contract/client-accounts.md` §14,
/// `Docs/Contract/admin-config.md` §9).
struct ProjectConfiguration: Endpoint {
    static let summary = "Says what a client may know of the project."
    static let route = Route(
        method: .get,
        host: .identityToolkit,
        access: .apiKeyOrAdmin(.readConfiguration),
        path: "v1/projects",
        legacyName: "getProjectConfig"
    )

    let configurations: ConfigurationStore
    let projectNumber: ProjectNumber
    let mode: ModeRules
    /// The API key that administrators receive; `nil` when none is chosen.
    let apiKey: String?
    /// `server.publicURL`
    let publicURL: @Sendable () -> String

    struct Body: ProtoDecodable {
        /// There is no registry of apps, so the app that a client names is ignored.
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

    struct Answer: Codable {
        /// The project's number, despite the member's name.
        let projectId: String
        let authorizedDomains: [String]
        /// The further members for administrators.
        let details: Details?

        struct Details: Codable {
            let apiKey: String?
            let allowPasswordUser: Bool
            let enableAnonymousUser: Bool
            /// Whether e-mails are sent for the app. Postern always sends them.
            var useEmailSending = true
            let idpConfig: [Provider]?
        }

        /// A configured identity provider, without its secret.
        struct Provider: Codable {
            let provider: String
            let enabled: Bool
            let clientId: String?
        }

        private enum CodingKeys: CodingKey { case projectId, authorizedDomains, details }

        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(projectId, forKey: .projectId)
            try members.encode(authorizedDomains, forKey: .authorizedDomains)
            try details?.encode(to: encoder)
        }
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        if context.scope.tenantID != nil { throw APIError(.unsupportedTenantOperation) }
        let configuration = try await configurations.configuration(of: context.scope)
        let policy = configuration.policy
        return Answer(
            projectId: projectNumber.text(projectID: context.scope.projectID),
            authorizedDomains: domains(policy),
            details: context.isPrivileged ? details(configuration) : nil
        )
    }

    private func details(_ configuration: ScopeConfiguration) -> Answer.Details {
        let providers = configuration.identityProviders.values.sorted { $0.providerID < $1.providerID }.map {
            Answer.Provider(provider: $0.providerID, enabled: $0.isEnabled, clientId: $0.clientID)
        }
        return Answer.Details(
            apiKey: apiKey,
            allowPasswordUser: configuration.policy.allowsPassword,
            enableAnonymousUser: configuration.policy.allowsAnonymous,
            idpConfig: providers.isEmpty ? nil : providers
        )
    }

    // iOS finds the host of its browser flows here. In development a loopback address is left out, as in the emulator.
    private func domains(_ policy: SignInPolicy) -> [String] {
        guard let host = WebAddress(publicURL())?.host, !policy.authorizedDomains.contains(host.text) else {
            return policy.authorizedDomains
        }
        if mode.leavesOutLoopbackDomain, host.address?.isLoopback == true { return policy.authorizedDomains }
        return policy.authorizedDomains + [host.text]
    }
}
