import HTTPAPI
import HTTPTypes
import Hummingbird
import Messaging
import NIOCore
import Testing

@testable import Console

@Suite("Answers of the console")
struct ConsoleResponseTests {
    private static func request(_ headers: HTTPFields = [:]) -> Request {
        let head = HTTPRequest(method: .get, scheme: "https", authority: "localhost", path: "/", headerFields: headers)
        return Request(head: head, body: RequestBody(buffer: ByteBuffer()))
    }

    private static func response(_ headers: HTTPFields = [:]) throws -> Response {
        let context = PageContext(texts: try ConsoleTexts.of(.french))
        return ConsoleRenderer.response(ConsolePage(title: "x"), context, status: .forbidden, headers: headers)
    }

    @Test("a page is not kept, not framed, and runs nothing but the console's own files")
    func headers() throws {
        let response = try Self.response()
        let expected = [
            "Content-Type": "text/html; charset=utf-8", "Content-Language": "fr", "Cache-Control": "no-store",
            "Referrer-Policy": "same-origin", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
            "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
        ]
        #expect(response.status == .forbidden)
        for (name, value) in expected { #expect(response.headers[try #require(HTTPField.Name(name))] == value) }
        let policy = try #require(response.headers[.contentSecurityPolicy]).split(separator: "; ").map(String.init)
        #expect(
            policy.sorted() == [
                "base-uri 'none'", "connect-src 'self'", "default-src 'none'", "form-action 'self'", "frame-ancestors 'none'",
                "frame-src 'self'",
                "img-src 'self' data:", "script-src 'self'", "style-src 'self'",
            ]
        )
        let granted = try #require(response.headers[.permissionsPolicy]).split(separator: ", ").filter { !$0.hasSuffix("=()") }
        #expect(granted == ["publickey-credentials-get=(self)", "publickey-credentials-create=(self)"])
    }

    @Test("a screen's own headers are added, and each cookie is kept")
    func ownHeaders() throws {
        var own: HTTPFields = [.location: "/console"]
        own.append(HTTPField(name: .setCookie, value: "a=1"))
        own.append(HTTPField(name: .setCookie, value: "b=2"))
        let response = try Self.response(own)
        #expect(response.headers[.location] == "/console")
        #expect(response.headers[values: .setCookie] == ["a=1", "b=2"])
    }

    @Test("a page runs no script and has no style of its own, and its files are on this server")
    func files() throws {
        let all = EveryComponent()
        let tree = try HTMLTree(ConsoleLayout.html(all.page, try all.context()).document)
        #expect(tree["style"].isEmpty && tree["script"].allSatisfy { $0.text.isEmpty && $0.attributes["type"] == "module" })
        let scripts = ["enhance.js", "passkeys.js", "live.js", "upload.js", "continue.js"]
        #expect(tree["script"].map { $0.attributes["src"] } == scripts.map(ConsoleAssets.path))
        #expect(tree["link"].map { $0.attributes["href"] } == ["data:,", ConsoleAssets.path("console.css")])
    }

    @Test(
        "browsers keep the files under the path that holds their hash",
        arguments: ["console.css"] + ConsoleAssets.scripts
    )
    func caching(name: String) throws {
        let response = ConsoleAssets.response(name, version: ConsoleAssets.version, Self.request())
        #expect(response.status == .ok)
        #expect(response.headers[.cacheControl] == "public, max-age=31536000, immutable")
        #expect(response.headers[.contentType] == (name.hasSuffix("css") ? "text/css" : "text/javascript") + "; charset=utf-8")
        #expect(response.headers[.xContentTypeOptions] == "nosniff")
        #expect((response.body.contentLength ?? 0) > 100)

        let tag = try #require(response.headers[.eTag])
        for known in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
            let again = ConsoleAssets.response(name, version: ConsoleAssets.version, Self.request([.ifNoneMatch: known]))
            #expect(again.status == .notModified)
            #expect(again.body.contentLength == 0)
        }
        let changed = ConsoleAssets.response(name, version: ConsoleAssets.version, Self.request([.ifNoneMatch: "\"other\""]))
        #expect(changed.status == .ok)
    }

    @Test("files under a path of another release are not kept")
    func otherRelease() {
        let response = ConsoleAssets.response("console.css", version: "0000000000000000", Self.request())
        #expect(response.status == .ok)
        #expect(response.headers[.cacheControl] == "no-cache")
    }

    @Test("no other file is there", arguments: ["en.json", "", "../console.css", "ConsoleAssets.swift"])
    func otherFiles(name: String) {
        #expect(ConsoleAssets.response(name, version: ConsoleAssets.version, Self.request()).status == .notFound)
    }

    @Test("all files together are below 60 kB")
    func size() { #expect(ConsoleAssets.size < 60_000) }
}
