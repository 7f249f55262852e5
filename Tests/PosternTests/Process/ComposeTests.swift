import Foundation
import Project
import TestKit
import Testing

/// No container engine runs here, so that the compose file is read as one would read it.
@Suite("docker-compose.yml", .timeLimit(.minutes(5)))
struct ComposeTests {
    // The place of the private listener is published, and the password is the database's own.
    private static let ownVariables: Set<String> = ["POSTERN_SERVER_ADMIN_HOST", "POSTERN_SERVER_ADMIN_PORT", "PGPASSWORD"]

    private let reader = """
        import json, sys, yaml
        print(json.dumps(yaml.safe_load(open(sys.argv[1]))))
        """

    private func services() async throws -> JSONValue {
        let path = packageDirectory.appending(path: "docker-compose.yml").path
        let (code, text) = try await RepositoryProgram.run(PythonTools.program("python"), ["-c", reader, path])
        #expect(code == 0, "\(text)")
        return try #require(try JSONValue.parse(text.utf8)["services"])
    }

    @Test("lets every variable of .env reach every node, and mounts a project file")
    func nodes() async throws {
        let services = try await services()
        for name in ["postern", "node-1", "node-2"] {
            let node = try #require(services[name])
            #expect(node["env_file"] == [["path": ".env", "required": false]], "\(name)")
            let mounts = node["volumes"]?.array?.compactMap(\.string) ?? []
            #expect(mounts.contains { $0.hasSuffix(":/etc/postern/project.yaml:ro") }, "\(name)")
            // What stands here goes before .env, so that it must come from there, too.
            for (key, value) in node["environment"]?.object ?? [:] {
                let isTaken = value.string?.hasPrefix("${\(key)") == true
                #expect(isTaken || Self.ownVariables.contains(key.text), "\(name): \(key)")
            }
        }
    }

    @Test("publishes the private listener of each node on this machine's loopback only")
    func privateListeners() async throws {
        let services = try await services()
        var hostPorts: [String] = []
        for name in ["postern", "node-1", "node-2"] {
            let node = try #require(services[name])
            let port = try #require(node["environment"]?["POSTERN_SERVER_ADMIN_PORT"]?.string, "\(name)")
            #expect(node["environment"]?["POSTERN_SERVER_ADMIN_HOST"] == "0.0.0.0", "\(name)")
            let published = (node["ports"]?.array ?? []).compactMap(\.string).filter { $0.hasSuffix(":\(port)") }
            #expect(published.count == 1 && published[0].hasPrefix("127.0.0.1:"), "\(name): \(published)")
            hostPorts += published
        }
        #expect(Set(hostPorts).count == 3, "\(hostPorts)")
        for (name, service) in services.object ?? [:] {
            for port in (service["ports"]?.array ?? []).compactMap(\.string) where !port.hasPrefix("127.0.0.1:") {
                #expect(port == "9099:9099", "\(name)")
            }
        }
    }
}
