import Accounts
import HTTPTypes
import Hummingbird
import NIOCore
import Project

/// The files around the handler: its scripts, and the web configuration (`Docs/Contract/web-handler.md` §1 and §9).
struct HelperFiles: Sendable {
    let signIn: BrowserSignIn
    let auth: CallerAuth
    let forwardedHost: ForwardedHost
    /// The API key that web apps receive.
    let apiKey: String?

    func add(to table: inout RouteTable) {
        let scripts = [
            "handler": String(decoding: PackageResources.handler_js, as: UTF8.self),
            "iframe": String(decoding: PackageResources.iframe_js, as: UTF8.self),
            // Sites that host the helper themselves also copy these files; they are empty.
            "experiments": "'use strict';\n", "links": "'use strict';\n",
        ]
        for (name, script) in scripts {
            table.add(.get, "/__/auth/\(name).js", Self.file("HelperScript", "A script of the helper pages.")) { _, _ in
                Self.script(script, caching: "public, max-age=300")
            }
        }
        table.add(.get, "/__/firebase/init.json", Self.configuration) { request, context in
            let answer = JSONAnswer.self
            return try answer.response(
                try await configuration(request, context),
                headers: [.accessControlAllowOrigin: "*", .xContentTypeOptions: "nosniff", .cacheControl: "no-store"]
            )
        }
        table.add(.get, "/__/firebase/init.js", Self.file("InitScript", "Initializes the Firebase SDK of a page.")) {
            request,
            context in
            let data = ScriptData.text(try await configuration(request, context))
            return Self.script(
                "if (typeof firebase === 'undefined') throw new Error('The Firebase SDK has to be loaded first.');\n"
                    + "firebase.initializeApp(\(data));\n",
                caching: "no-store"
            )
        }
    }

    private static let configuration = Operation(
        name: "WebConfiguration",
        summary: "What a web app needs to know of the project.",
        answers: [200: .json(Schema(["type": "object"]))]
    )

    private static func file(_ name: String, _ summary: String) -> Operation {
        Operation(name: name, summary: summary, answers: [200: .text("text/javascript")])
    }

    private func configuration(_ request: Request, _ context: PosternContext) async throws -> JSONValue {
        let scope = auth.project
        let origin = try await signIn.origin(
            request.head.authority,
            forwarded: forwardedHost.named(in: request, context),
            scope: scope
        )
        let domain = origin.split(separator: "/").last.map(String.init) ?? ""
        var document: JSONValue = ["authDomain": .string(domain), "projectId": .string(scope.projectID)]
        if let apiKey, !apiKey.isEmpty { document["apiKey"] = .string(apiKey) }
        return document
    }

    private static func script(_ text: String, caching: String) -> Response {
        let headers: HTTPFields = [
            .contentType: "text/javascript; charset=utf-8", .cacheControl: caching, .xContentTypeOptions: "nosniff",
            .crossOriginResourcePolicy: "cross-origin",
        ]
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
