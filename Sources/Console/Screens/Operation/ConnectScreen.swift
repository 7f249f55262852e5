import Accounts
import Project
import Settings

/// The lines that connect an app's SDK with this server, filled in.
struct ConnectScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/connect"
    var needs: AdminScopes? { .read }

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let texts = visit.texts
        let (url, project, key) = (tools.publicURL(), tools.projectID, tools.settings.project.linkKey)
        let facts = [
            Fact(label: texts["connect.project"], value: .code(project)), Fact(label: texts["connect.key"], value: .code(key)),
            Fact(label: texts["connect.url"], value: .code(url)),
        ]
        let snippets: [(name: String, text: String)]
        var introduction: [Block] = [.paragraph(texts["connect.text"])]
        if tools.settings.mode.rules.isReachedAsEmulator {
            snippets = EmulatorSnippets(url: url, projectID: project, apiKey: key).all
        } else {
            snippets = SDKStep.all.map { (name: $0.name, text: $0.lines(url: url, projectID: project, apiKey: key)) }
            introduction += [
                .paragraph(texts["connect.packages"]), .notice(Notice(kind: .warning, text: texts["connect.noEmulator"])),
            ]
        }
        let lines = snippets.map { Block.code(label: $0.name, text: $0.text) }
        return .page(ConsolePage(.connect, texts, introduction + [.facts(facts)] + lines))
    }
}

/// The lines for each SDK in development: the SDKs' own settings for the Firebase Auth emulator. With them an SDK verifies no token, so
/// production never shows them.
struct EmulatorSnippets {
    let url: String
    let projectID: String
    let apiKey: String

    /// `host:port`, for SDKs that take no URL.
    private var authority: String { WebAddress(url).map { "\($0.authority)" } ?? url }
    private var host: String { WebAddress(url)?.host.text ?? "localhost" }
    private var port: Int { WebAddress(url).map { $0.authority.port ?? ($0.isSecure ? 443 : 80) } ?? 9099 }

    var all: [(name: String, text: String)] {
        [
            (
                "Web",
                """
                import { initializeApp } from "firebase/app";
                import { connectAuthEmulator, getAuth } from "firebase/auth";

                const app = initializeApp({ apiKey: "\(apiKey)", projectId: "\(projectID)", authDomain: "\(authority)" });
                const auth = getAuth(app);
                connectAuthEmulator(auth, "\(url)", { disableWarnings: true });
                """
            ),
            ("iOS", "Auth.auth().useEmulator(withHost: \"\(host)\", port: \(port))"),
            ("Android", "Firebase.auth.useEmulator(\"\(host)\", \(port))"),
            ("Flutter", "await FirebaseAuth.instance.useAuthEmulator('\(host)', \(port));"),
            ("Admin Node, Python, Go, Java", "export FIREBASE_AUTH_EMULATOR_HOST=\(authority) GCLOUD_PROJECT=\(projectID)"),
            (
                "curl",
                """
                curl -s '\(url)/v1/accounts:signUp?key=\(apiKey)' -H 'Content-Type: application/json' \\
                  -d '{"email":"someone@example.com","password":"a long password","returnSecureToken":true}'
                """
            ),
        ]
    }
}
