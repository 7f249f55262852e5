import Foundation
import Project
import SAML
import TestKit
import Testing

@Suite("spid-sp-test judges Postern as a SAML service provider", .teardown, .timeLimit(.minutes(15)))
struct SPIDTests {
    /// One line of `Tests/Python/saml/spid.py`.
    private struct Verdict: Decodable {
        let `case`: String
        let about: String
        let wanted: [String]
        let status: Int
        let message: String?
        let user: String?

        var outcome: String { status == 200 ? "accepted" : "refused" }
        var isWanted: Bool { wanted.contains(outcome) }
        var description: String { "\(`case`), \(about): \(status) \(message ?? "")" }
    }

    private func run(_ arguments: [String], in directory: String) async throws -> [Substring] {
        let run = try ServerProcess(
            ["-W", "ignore", PythonTools.source("saml/spid.py")] + arguments,
            executable: try PythonTools.program("python"),
            environment: ["PYTHONIOENCODING": "utf-8", "PYTHONDONTWRITEBYTECODE": "1", "PATH": "/usr/bin:/bin"],
            directory: directory
        )
        let (code, output) = await run.waitForOutput()
        #expect(code == 0, "\(output.suffix(4000))")
        return output.split(separator: "\n").filter { $0.hasPrefix("{") }
    }

    private func verdicts(in directory: String) async throws -> [Verdict] {
        let line = try #require(try await run(["identity"], in: directory).first)
        let identity = try JSONValue.parse(line.utf8)
        let name = try #require(identity["entityId"]?.string)
        let certificate = try #require(identity["certificate"]?.string).replacing("\n", with: "\\n")
        let project = """
            config: {authorizedDomains: [localhost, app.example.com]}
            inboundSamlConfigs:
              saml.spid:
                enabled: true
                idpConfig:
                  idpEntityId: "\(name)"
                  ssoUrl: "\(name)/samlsso"
                  idpCertificates: [{x509Certificate: "\(certificate)"}]
                spConfig: {spEntityId: "https://sp.example.com/saml", callbackUri: "\(FlowServer.redirect)"}
            """
        return try await TestServer.running(project: { _ in project }) { server in
            let options = [
                "judge", "--server", "http://127.0.0.1:\(server.port)", "--api-key", TestServer.apiKey, "--provider", "saml.spid",
                "--continue-uri", FlowServer.redirect,
            ]
            return try await run(options, in: directory).map { try JSONDecoder().decode(Verdict.self, from: Data($0.utf8)) }
        }
    }

    @Test("every response is accepted or refused as the judge wants it, but for those that only SPID refuses")
    func cases() async throws {
        let directory = try await makeTemporaryDirectory()
        let verdicts = try await verdicts(in: directory)
        // The cases of version 1.2.18, and the wrapping attacks with their namespaces.
        #expect(verdicts.count == 120)
        for verdict in verdicts {
            let isOfSPIDOnly = SPIDCases.demandedBySPIDOnly[verdict.case] != nil
            // A case that is listed in vain must leave the list.
            #expect(verdict.isWanted != isOfSPIDOnly, "\(verdict.description)")
            let wanted = SPIDCases.refusal(of: verdict.case).map { "INVALID_IDP_RESPONSE : \($0.text)" }
            #expect(verdict.message == wanted, "\(verdict.description)")
            #expect((verdict.user == nil) == (wanted != nil), "\(verdict.description)")
        }
        let names = Set(verdicts.map(\.case))
        #expect(names.count == verdicts.count)
        #expect(names.isSuperset(of: SPIDCases.demandedBySPIDOnly.keys))
        #expect(names.isSuperset(of: SPIDCases.refusals.values.joined()))
        #expect(Set(verdicts.compactMap(\.user)).count == 1)
    }
}
