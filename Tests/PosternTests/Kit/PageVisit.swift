import Foundation
import Project
import TestKit
import Testing

/// A page as a browser without scripts sees it: its text, and its form with the hidden fields.
struct PageVisit {
    let answer: TestClient.Answer

    var status: Int { answer.status }
    var html: String { String(decoding: answer.bytes, as: UTF8.self) }

    /// The hidden fields of the form, in order.
    var fields: [(String, String)] {
        html.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/).map { (String($0.1), unescaped($0.2)) }
    }

    /// The text of the button of the form.
    var button: String? { html.firstMatch(of: /<button type="submit">([^<]*)</).map { String($0.1) } }

    /// The address of the page's link.
    var next: String? { html.firstMatch(of: /<a class="button" href="([^"]*)"/).map { unescaped($0.1) } }

    /// The page's heading.
    var title: String? { html.firstMatch(of: /<h1>([^<]*)<\/h1>/).map { unescaped($0.1) } }

    private func unescaped(_ text: Substring) -> String {
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
            .reduce(String(text)) { $0.replacing($1.0, with: $1.1) }
    }
}

extension TestServer {
    /// Opens a page, as a click in a mail program does.
    func visit(_ link: String, headers: [(String, String)] = []) async throws -> PageVisit {
        PageVisit(answer: try await client.get(link, headers: headers))
    }

    func visit(action parameters: [(String, String)], headers: [(String, String)] = []) async throws -> PageVisit {
        try await visit("/__/auth/action?" + TestClient.encode(parameters), headers: headers)
    }

    /// Sends the form of a page with the user's input.
    func submit(
        _ page: PageVisit,
        _ filled: [(String, String)] = [],
        headers: [(String, String)] = []
    ) async throws -> PageVisit {
        let type = [("Content-Type", "application/x-www-form-urlencoded")]
        let body = Data(TestClient.encode(page.fields + filled).utf8)
        return PageVisit(answer: try await client.send("POST", "/__/auth/action", headers: type + headers, body: body))
    }

    /// A link, as an administrator gets it.
    func link(_ type: String, _ body: JSONValue) async throws -> String {
        let request = body.merging(["requestType": .string(type), "returnOobLink": true])
        let answer = try await callAsAdmin("sendOobCode", request)
        return try #require(answer["oobLink"]?.string, "\(answer.errorMessage ?? "")")
    }

    /// The unused codes, as development lists them.
    func waitingCodes(_ path: String = "projects/demo-test") async throws -> [JSONValue] {
        let answer = try await client.get("/emulator/v1/\(path)/oobCodes")
        #expect(answer.status == 200)
        return try #require(answer["oobCodes"]?.array)
    }
}
