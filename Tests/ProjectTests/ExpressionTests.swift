import Foundation
import Testing

/// A search with an expression that repeats something without a bound may take the square of the text's length, and an hour for a form's
/// field. Everything else that is done to texts goes over them once: they come in with bounded runs of marks (`StreamSafety`).
@Suite("Regular expressions over texts from outside")
struct ExpressionTests {
    /// The expressions that repeat without a bound, by file, and why each text is short.
    private static let allowed: [String: (count: Int, reason: String)] = [
        "Accounts/Flows/HandlerTarget.swift": (2, "255 and 200 bytes, which are counted before"),
        "Accounts/Operators/SenderDomain.swift": (1, "253 bytes, which are counted before"),
        "HTTPAPI/OpenAPI/Operation.swift": (1, "the server's own paths"),
        "HTTPAPI/Pages/Handler/IframePage.swift": (1, "96 bytes, which are counted before"),
        "Messaging/Templates/PlainText.swift": (1, "a tag of the operator's template; each byte is looked at once a quote"),
        "ObjectStore/S3Place.swift": (1, "a setting"),
        "Server/Emulator/EmulatorDirectory.swift": (1, "a file's name"),
        "Settings/AppLinkSettings.swift": (2, "a setting"),
        "Settings/PasskeySettings.swift": (1, "a setting"),
        "Settings/ProjectFile.swift": (1, "a setting"),
        "Settings/ProjectFile+Text.swift": (1, "a text of the operator's configuration"),
        "Settings/ValueForm.swift": (1, "a setting"),
        "Storage/Engines/PostgreSQLAddress.swift": (1, "a message of the operator's database"),
        "UserFiles/Formats/PasswordText.swift": (2, "4096 bytes, which are counted before"),
        "UserFiles/Records/RecordMembers.swift": (1, "64 bytes, which are counted before"),
    ]

    @Test("repeat without a bound only where the text is known to be short")
    func sources() throws {
        let root = URL(filePath: #filePath).appending(path: "../../../Sources").standardized
        let literal = /(?:^|[(:=] ?)\/(?![\/ *])((?:[^\/\\\n]|\\.)+)\//
        let unbounded = /[*+]|\{[0-9]+,\}/
        var found: [String: Int] = [:]
        let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
        for case let file as URL in files where file.pathExtension == "swift" {
            let name = file.path.replacing(root.path + "/", with: "")
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                let code = line.drop { $0 == " " }
                guard !code.hasPrefix("//") else { continue }
                #expect(!code.contains(/\bNSRegularExpression\b|\bRegex\b|[(= ]#+\//), "\(name): \(code)")
                for match in code.matches(of: literal) {
                    let bare = match.1.replacing(/\\./, with: "x").replacing(/\[[^\]]*\]/, with: "x")
                    if bare.contains(unbounded) { found[name, default: 0] += 1 }
                }
            }
        }
        for (name, count) in found { #expect(Self.allowed[name]?.count == count, "\(name): \(count)") }
        #expect(Set(found.keys) == Set(Self.allowed.keys))
    }
}
