import Foundation
import TestKit
import Testing

@Suite("Google's host names within a network", .teardown, .timeLimit(.minutes(5)))
struct HostsPageTests {
    /// What the page's table lists, beside the server's own name.
    private static let hosts =
        ["identitytoolkit", "securetoken", "www", "oauth2", "iamcredentials"].map { "\($0).googleapis.com" }
        + ["securetoken.google.com", "accounts.google.com", "auth.example.com"]

    private func run(_ script: String, in directory: String) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-eu", "-c", script]
        process.currentDirectoryURL = URL(filePath: directory)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    @Test("the page's certificate is good for every host of its table, and its authority for no other host of google.com")
    func certificate() async throws {
        let page = try String(contentsOf: packageDirectory.appending(path: "Docs/SDKs/Hosts.md"), encoding: .utf8)
        let block = try #require(page.firstMatch(of: /## Certificates\n[^`]*```sh\n([\s\S]*?)```/))
        for host in Self.hosts where host != "auth.example.com" { #expect(page.contains("| `\(host)` |"), "\(host)") }
        let directory = try await makeTemporaryDirectory()
        let made = try run(String(block.1), in: directory)
        #expect(made == 0)
        func verify(_ host: String) throws -> Int32 {
            try run("openssl verify -CAfile ca.pem -verify_hostname \(host) server.pem", in: directory)
        }
        for host in Self.hosts { #expect(try verify(host) == 0, "\(host)") }
        for host in ["google.com", "www.google.com", "mail.google.com", "oauth2.google.com", "googleapis.com.evil.example"] {
            #expect(try verify(host) != 0, "\(host)")
            // A certificate that whoever has stolen the authority's key signs.
            let forged = """
                openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout f.key -out f.csr -subj '/CN=forged'
                printf 'subjectAltName=DNS:\(host)\\nbasicConstraints=critical,CA:FALSE\\n' > f.ext
                openssl x509 -req -in f.csr -CA ca.pem -CAkey ca.key -days 1 -extfile f.ext -out f.pem
                """
            #expect(try run(forged, in: directory) == 0, "\(host)")
            #expect(try run("openssl verify -CAfile ca.pem f.pem", in: directory) != 0, "\(host)")
        }
    }
}
