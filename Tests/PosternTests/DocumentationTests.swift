import Foundation
import Project
import TestKit
import Testing

@Suite("Documentation")
struct DocumentationTests {
    /// A place that names a document, and the text that names it.
    private struct Citation {
        let place: String
        let text: String
        let document: String
        var anchor: String?
        var section: String?
    }

    @Test("every document and section that source, tests and settings cite is in the repository")
    func citations() throws {
        var count = 0
        for file in try Self.files(under: [
            "Sources", "Tests", "Benchmarks", "Config", "Migrations", "Tools", "Package.swift", "Makefile",
        ]) {
            // This file writes patterns, not citations. The site writes pages of its own, whose links its build checks.
            guard file.lastPathComponent != "DocumentationTests.swift", !file.path.contains("/Tools/site/"),
                let text = try? String(contentsOf: file, encoding: .utf8)
            else { continue }
            let pattern = /([A-Za-z0-9_.\/\-]*[A-Za-z0-9_\-]\.md)(#[a-z0-9\-]+)?\b`?(?: §([0-9][0-9.]*))?/
            for match in text.matches(of: pattern) {
                count += 1
                try check(
                    Citation(
                        place: file.lastPathComponent,
                        text: String(match.0),
                        document: String(match.1),
                        anchor: match.2.map { String($0.dropFirst()) },
                        section: match.3.map(String.init)
                    )
                )
            }
        }
        #expect(count > 300)
    }

    @Test("every link of a page leads to a page and a heading of the repository")
    func links() throws {
        for file in try Self.files(under: ["README.md", "CHANGELOG.md", "Docs", "Clients", "Examples"])
        where file.pathExtension == "md" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /\]\(([^)\s]+)\)/) where match.1.firstMatch(of: /^[a-z]+:/) == nil {
                let parts = match.1.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                let target =
                    parts[0].isEmpty
                    ? file : file.deletingLastPathComponent().appending(path: String(parts[0])).standardizedFileURL
                try check(
                    Citation(
                        place: file.lastPathComponent,
                        text: String(match.1),
                        document: String(target.path.dropFirst(packageDirectory.standardizedFileURL.path.count + 1)),
                        anchor: parts.count > 1 ? String(parts[1]) : nil
                    )
                )
            }
        }
    }

    @Test("every file of tests that the list of threats names is there, and every threat that a comment cites is listed")
    func threats() throws {
        let page = try String(contentsOf: packageDirectory.appending(path: "Docs/Threats.md"), encoding: .utf8)
        let listed = Set(page.matches(of: /(?m)^\| ([A-Z]{3}-[0-9]{2}) \|/).map { String($0.1) })
        #expect(listed.count > 200)
        var names = Set<String>()
        for file in try Self.files(under: ["Sources", "Tests"]) where file.pathExtension == "swift" {
            names.insert(file.deletingPathExtension().lastPathComponent)
            let text = try String(contentsOf: file, encoding: .utf8)
            let areas =
                /\b(?:JWT|KEY|OID|APL|OAU|LNK|PWD|ENU|THR|OTP|MFA|PKY|SES|OOB|TEN|SSR|SAM|HOK|IMP|WEB|RES|EMU|OPS)-[0-9]{2}\b/
            for match in text.matches(of: areas) {
                #expect(listed.contains(String(match.0)), "\(file.lastPathComponent): \(match.0)")
            }
        }
        for match in page.matches(of: /`([A-Za-z0-9]+Tests(?:\+[A-Za-z0-9]+)?)`/) {
            #expect(names.contains(String(match.1)), "\(match.1)")
        }
    }

    @Test("every error code has a row on the page of errors")
    func errorCodes() throws {
        let page = try String(contentsOf: packageDirectory.appending(path: "Docs/Errors.md"), encoding: .utf8)
        for code in ErrorCode.allCases {
            #expect(page.contains("\n| `\(code.rawValue)` | "), "\(code.rawValue)")
        }
    }

    @Test("the page of errors shows for the iOS SDK what the contract says")
    func iosNames() throws {
        let page = try String(contentsOf: packageDirectory.appending(path: "Docs/Errors.md"), encoding: .utf8)
        let whole = try String(contentsOf: packageDirectory.appending(path: "Docs/Contract/errors.md"), encoding: .utf8)
        // Its section 9 and the rest have no codes of their own.
        let contract = try #require(whole.components(separatedBy: "\n## 9").first)
        var named: [String: String] = [:]
        for row in contract.matches(of: /(?m)^\| (`[A-Z_]+.*) \| ([^|]*) \| [^|]* \|$/) {
            // The message that a client sees, or several in a row of the table. Texts behind a colon are details.
            let codes = row.1.prefix { $0 != "|" }.matches(of: /`([A-Z_]+)[`\ ]/)
            for code in codes.map({ String($0.1) }) where named[code] == nil {
                let text = String(row.2)
                if let name = text.firstMatch(of: /^([a-zA-Z]+) (17[0-9]{3})/) {
                    named[code] = "`\(name.1)` \(name.2)"
                } else {
                    named[code] = text.hasPrefix("17999") ? "`internalError` 17999" : "—"
                }
            }
        }
        var count = 0
        for row in page.matches(of: /(?m)^\| `([A-Z_]+)` \| [^|]* \| [^|]* \| ([^|]*) \| [^|]* \|$/) {
            count += 1
            #expect(String(row.2) == named[String(row.1)] ?? "—", "\(row.1)")
        }
        #expect(count > 100)
    }

    private func check(_ citation: Citation) throws {
        let url = packageDirectory.appending(path: citation.document)
        let isThere = FileManager.default.fileExists(atPath: url.path)
        #expect(isThere && !citation.document.hasPrefix("."), "\(citation.place): \(citation.text)")
        guard isThere, citation.anchor != nil || citation.section != nil else { return }
        let text = try String(contentsOf: url, encoding: .utf8)
        let headings = text.matches(of: /(?m)^#+ (.*)$/).map { String($0.1) }
        if let anchor = citation.anchor {
            #expect(headings.contains { Self.anchor(of: $0) == anchor }, "\(citation.place): \(citation.text)")
        }
        if let section = citation.section {
            let number = section.hasSuffix(".") ? String(section.dropLast()) : section
            let isHeaded = headings.contains { $0.hasPrefix(number + " ") || $0.hasPrefix(number + ". ") }
            #expect(isHeaded, "\(citation.place): \(citation.text)")
        }
    }

    // As forges name headings: small letters, digits and hyphens, spaces as hyphens.
    private static func anchor(of heading: String) -> String {
        String(
            heading.lowercased().compactMap { character in
                if character == " " { return "-" }
                return character.isLetter || character.isNumber || character == "-" || character == "_" ? character : nil
            }
        )
    }

    private static func files(under places: [String]) throws -> [URL] {
        var files: [URL] = []
        for place in places {
            let url = packageDirectory.appending(path: place)
            var isDirectory: ObjCBool = false
            try #require(FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory), "\(place)")
            guard isDirectory.boolValue else {
                files.append(url)
                continue
            }
            let walk = try #require(
                FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
            )
            for case let file as URL in walk where !file.hasDirectoryPath {
                // What a link leads to is read at its own place, by which its citations go.
                let isLink = try file.resourceValues(forKeys: [.isSymbolicLinkKey]).isSymbolicLink == true
                if !isLink { files.append(file) }
            }
        }
        return files
    }
}
