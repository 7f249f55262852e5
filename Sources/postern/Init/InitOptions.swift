import ArgumentParser
import Foundation
import Project
import Server

/// What `postern init` wants to know, by options or by questions.
struct InitOptions: ParsableArguments {
    /// A way to sign in.
    enum Method: String, ExpressibleByArgument, CaseIterable {
        case password
        case emailLink = "email-link"
        case anonymous
        case phone
    }

    /// Everything that the files are made of.
    struct Answers {
        let project: String
        let url: String
        let apiKey: String
        let methods: Set<Method>
        let domains: [String]
        let smtp: String?
        let smtpUser: String?
        let from: String?
    }

    @Option(help: "The id of the project; of a Firebase project that moves here, its own.") var project: String?
    @Option(help: "The address that apps reach the server by, such as https://auth.example.com.") var url: String?
    @Option(help: "The API key that apps send. Default: a random one.") var apiKey: String?
    @Option(help: "A way to sign in: password, email-link, anonymous or phone; may be given more than once. Default: password.")
    var signIn: [Method] = []
    @Option(help: "A host of an app, for links in e-mails and sign-ins in a browser; may be given more than once.")
    var domain: [String] = []
    @Option(help: "The mail server, such as smtps://smtp.example.com. Without it no e-mail is sent.") var smtp: String?
    @Option(help: "The user name for it. POSTERN_EMAIL_SMTP_PASSWORD has the password.") var smtpUser: String?
    @Option(help: "The sender of e-mails.") var from: String?

    /// The answers.
    ///
    /// - Parameter ask: Returns the line that was typed; `nil` where nobody answers.
    func answers(asking ask: (String) -> String?) throws -> Answers {
        func answer(_ given: String?, _ option: String, _ question: String) throws -> String {
            let answer = given ?? ask(question)?.trimmingCharacters(in: .whitespaces)
            guard let answer, !answer.isEmpty else { throw ValidationError("Missing: \(option)") }
            return answer
        }
        let project = try answer(project, "--project", "Id of the project:")
        let url = try answer(url, "--url", "Address that apps reach the server by (https://…):")
        let smtp = smtp ?? ask("Mail server (smtps://…; empty for none):").flatMap { $0.isEmpty ? nil : $0 }
        guard smtp != nil || smtpUser == nil else { throw ValidationError("--smtp-user needs --smtp") }
        return Answers(
            project: project,
            url: url,
            apiKey: apiKey ?? Base64URL.encode(ServerEnvironment.systemRandomness(24)),
            methods: Set(signIn.isEmpty ? [.password] : signIn),
            domains: domain,
            smtp: smtp,
            smtpUser: smtpUser,
            from: try smtp.map { _ in try answer(from, "--from", "Sender of e-mails:") }
        )
    }
}
