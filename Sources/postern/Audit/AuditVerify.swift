import Accounts
import ArgumentParser
import Foundation
import Project
import Server
import Storage
import Tokens

extension Audit {
    /// `postern audit verify`.
    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Find records of the audit trail that were altered, removed, inserted or moved.",
            discussion: """
                Ends with code 2 when anything is wrong. --checkpoint names a file with an earlier export, or with lines of one: what its
                signed statements say must still be there. Without it, nobody can tell a trail whose end was cut off from a younger one.
                """
        )

        @OptionGroup var config: ConfigOption
        @Option(help: "A file with signed statements that were kept outside.") var checkpoint: String?
        @Option(help: "A file with what `audit key` printed under a former master key.") var formerKey: [String] = []
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let statements = try checkpoint.map(Self.statements) ?? []
            let keys = try formerKey.map(Self.publicKey)
            try await CommandStore.withUseCases(config, tenant: nil, onlyReads: true) { workplace in
                let verification = AuditVerification(
                    database: workplace.database,
                    signer: workplace.auditSigner,
                    former: keys
                )
                let projectID = workplace.context.scope.projectID
                let findings = try await verification.verify(projectID: projectID, checkpoints: statements)
                show(findings)
                if findings.contains(where: { !$0.faults.isEmpty }) { throw ExitCode(2) }
            }
        }

        // Each statement is the member `checkpoint` of a line of an export, or a line of its own.
        private static func statements(_ path: String) throws -> [String] {
            let text: String
            do { text = try String(contentsOfFile: path, encoding: .utf8) } catch {
                throw CommandFailure("cannot read \(TerminalText.path(path))")
            }
            let found = text.split(whereSeparator: \.isNewline).compactMap { line -> String? in
                if !line.hasPrefix("{") { return String(line) }
                return (try? JSONValue.parse(line.utf8))?["checkpoint"]?.string
            }
            if found.isEmpty { throw CommandFailure("\(TerminalText.path(path)) has no checkpoint") }
            return found
        }

        private static func publicKey(_ path: String) throws -> [UInt8] {
            let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            guard let key = AuditSigner.publicKey(pem: text) else {
                throw CommandFailure("\(TerminalText.path(path)) has no public key as `audit key` prints it")
            }
            return key
        }

        private func show(_ findings: [AuditVerification.Finding]) {
            if json { return print(JSONValue.object(["chains": .array(findings.map(Self.describe))]).text) }
            var table = TextTable(["TENANT", "CLASS", "RECORDS", "FROM", "TO", "FAULTS"])
            for finding in findings {
                table.add([
                    finding.key.scope.tenantID ?? "-", finding.key.recordClass, "\(finding.records)", "\(finding.cutSeq + 1)",
                    "\(finding.headSeq)", "\(finding.faults.count + finding.moreFaults)",
                ])
            }
            table.show()
            for finding in findings {
                let chain = [finding.key.scope.tenantID, finding.key.recordClass].compactMap(\.self).joined(separator: "/")
                for fault in finding.faults { print(TerminalText.printable("\(chain): \(fault)")) }
                if finding.moreFaults > 0 { print(TerminalText.printable("\(chain): \(finding.moreFaults) more")) }
            }
        }

        private static func describe(_ finding: AuditVerification.Finding) -> JSONValue {
            var members: JSONObject = [
                "class": .string(finding.key.recordClass), "records": .integer(Int64(finding.records)),
                "cutSeq": .integer(finding.cutSeq), "headSeq": .integer(finding.headSeq),
                "faults": .array(finding.faults.map(JSONValue.string)), "moreFaults": .integer(Int64(finding.moreFaults)),
            ]
            members["tenant"] = finding.key.scope.tenantID.map(JSONValue.string)
            return .object(members)
        }
    }
}
