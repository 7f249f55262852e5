import Project

/// What leads an SDK to a server in production: the step that its page of `Docs/SDKs` shows. The pages are built into the binary, so the
/// console and the documentation cannot say different things.
struct SDKStep: Sendable {
    /// The page's title.
    let name: String
    /// The step's lines, with the values of the documentation's example.
    let example: String

    private struct Page {
        let text: [UInt8]
        /// The language of the block that has the step: the first block of it that names the example's server.
        let language: String
    }

    /// The step of each page.
    static var all: [SDKStep] { pages.compactMap(SDKStep.init) }

    private init?(_ page: Page) {
        let lines = String(decoding: page.text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard let title = lines.first(where: { $0.hasPrefix(Self.titleMark) }) else { return nil }
        var rest = lines[...]
        while let start = rest.firstIndex(of: "\(Self.fence)\(page.language)") {
            let block = rest[start...].dropFirst().prefix { $0 != Self.fence }
            if let place = block.lastIndex(where: { $0.contains(Self.exampleHost) }) {
                // What follows after an empty line is no part of the step: it shows what one does next.
                let end = block[place...].firstIndex(where: \.isEmpty) ?? block.endIndex
                name = String(title.dropFirst(Self.titleMark.count))
                example = block[..<end].joined(separator: "\n")
                return
            }
            rest = rest[block.endIndex...]
        }
        return nil
    }

    private static let exampleHost = "auth.example.com"
    private static let titleMark = "# "
    private static let fence: Substring = "```"

    private static var pages: [Page] {
        [
            Page(text: PackageResources.Web_md, language: "js"), Page(text: PackageResources.iOS_md, language: "swift"),
            Page(text: PackageResources.Android_md, language: "kotlin"),
            Page(text: PackageResources.Flutter_md, language: "swift"),
            Page(text: PackageResources.AdminNode_md, language: "js"),
            Page(text: PackageResources.AdminPython_md, language: "python"),
            Page(text: PackageResources.AdminGo_md, language: "go"), Page(text: PackageResources.AdminJava_md, language: "java"),
            Page(text: PackageResources.Curl_md, language: "sh"),
        ]
    }

    /// The lines with the values of a server. Each value of the example is replaced once, so that none is looked for in another.
    func lines(url: String, projectID: String, apiKey: String) -> String {
        let authority = WebAddress(url).map { "\($0.authority)" } ?? url
        return example.replacing(/https:\/\/auth\.example\.com|auth\.example\.com|my-api-key|my-project/) { match in
            switch match.output {
            case "my-api-key": apiKey
            case "my-project": projectID
            case "auth.example.com": authority
            default: url
            }
        }
    }
}
