import Foundation
import Project
import Server

/// The texts of the files that `postern init` writes.
struct InitFiles {
    struct File {
        let path: String
        let text: String
    }

    let settings: File
    /// Who may sign in, and how.
    let project: File
    /// The key that seals secrets in the database.
    let masterKey: File

    /// Makes the texts.
    ///
    /// - Parameters:
    ///   - folder: Where the files will be, as a full path.
    ///   - database: The file of the database, as a full path; `nil` for one in that folder.
    init(_ answers: InitOptions.Answers, in folder: String, database: String?) {
        masterKey = File(
            path: folder + "/master.key",
            text: Data(ServerEnvironment.systemRandomness(32)).base64EncodedString() + "\n"
        )
        project = File(path: folder + "/project.yaml", text: Self.project(answers))
        settings = File(
            path: folder + "/postern.yaml",
            text: Self.settings(
                answers,
                database: database ?? folder + "/postern.sqlite",
                project: project.path,
                masterKey: masterKey.path
            )
        )
    }

    private static func settings(_ answers: InitOptions.Answers, database: String, project: String, masterKey: String) -> String {
        var lines = [
            "# Settings of a server in production, made by postern init. Every key: Docs/Configuration.md.",
            "mode: production",
            "server:",
            "  # A proxy with a certificate stands in front, or server.tls names one.",
            "  host: 127.0.0.1",
            "  port: 9099",
            "  publicURL: \(quoted(answers.url))",
            "  # The proxy's address. Only its X-Forwarded-For is believed.",
            "  trustedProxies: [127.0.0.1]",
            "project:",
            "  id: \(quoted(answers.project))",
            "  apiKeys: [\(quoted(answers.apiKey))]",
            "  file: \(quoted(project))",
            "database:",
            "  url: \(quoted("sqlite:\(database)"))",
            "secrets:",
            "  masterKeyFile: \(quoted(masterKey))",
        ]
        if let smtp = answers.smtp, let from = answers.from {
            lines += ["email:", "  transport: smtp", "  from: \(quoted(from))", "  smtp:", "    url: \(quoted(smtp))"]
            if let user = answers.smtpUser {
                lines += ["    username: \(quoted(user))", "    # POSTERN_EMAIL_SMTP_PASSWORD has the password."]
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func project(_ answers: InitOptions.Answers) -> String {
        let methods = answers.methods
        let needsPassword = !methods.contains(.emailLink)
        let domains = answers.domains.map(quoted).joined(separator: ", ")
        return """
            # Who may sign in, and how, made by postern init. Identity providers: Docs/Providers.
            config:
              signIn:
                email: {enabled: \(!methods.isDisjoint(with: [.password, .emailLink])), passwordRequired: \(needsPassword)}
                anonymous: {enabled: \(methods.contains(.anonymous))}
                phoneNumber: {enabled: \(methods.contains(.phone))}
              authorizedDomains: [\(domains)]

            """
    }

    // A JSON text is a YAML scalar, whatever it holds.
    private static func quoted(_ text: String) -> String { JSONValue.string(text).text }
}
