import Foundation
import Project
import TestKit
import Testing

/// No cluster runs here, so that the manifests are checked against Kubernetes' schemas, and their settings by the server.
@Suite("Kubernetes manifests", .teardown, .timeLimit(.minutes(5)))
struct KubernetesTests {
    private static let folder = packageDirectory.appending(path: "Config/kubernetes").path

    private let reader = """
        import json, sys, yaml
        print(json.dumps([d for f in sys.argv[1:] for d in yaml.safe_load_all(open(f))]))
        """

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: Self.folder).sorted().map { "\(Self.folder)/\($0)" }
    }

    private func documents() async throws -> [JSONValue] {
        let (code, text) = try await RepositoryProgram.run(PythonTools.program("python"), ["-c", reader] + files())
        #expect(code == 0, "\(text)")
        return try #require(try JSONValue.parse(text.utf8).array)
    }

    private func pods() async throws -> [JSONValue] {
        let pods = try await documents().compactMap { $0["spec"]?["template"]?["spec"] }
        try #require(pods.count == 2)
        return pods
    }

    @Test("hold to the schemas of old and new versions", arguments: ["1.30.0", "1.37.0"])
    func schemas(version: String) async throws {
        let program = try PythonTools.program("kubernetes-validate")
        let (code, text) = try await RepositoryProgram.run(program, ["--strict", "-k", version] + files())
        #expect(code == 0, "\(text)")
        #expect(text.matches(of: /passed for resource/).count == 5, "\(text)")
    }

    @Test("give settings that the server takes, with the project file of the config map")
    func settings() async throws {
        let documents = try await documents()
        let projects = documents.compactMap { $0["data"]?["project.yaml"]?.string }
        let project = try #require(projects.first)
        let production = packageDirectory.appending(path: "Config/production.yaml").path
        for pod in try await pods() {
            let container = try #require(pod["containers"]?[0])
            let mounts = container["volumeMounts"]?.array?.compactMap { $0["mountPath"]?.string } ?? []
            let directory = try await makeTemporaryDirectory()
            let key = Data(repeating: 7, count: 32).base64EncodedString()
            try key.write(toFile: directory + "/master-key", atomically: true, encoding: .utf8)
            try project.write(toFile: directory + "/project.yaml", atomically: true, encoding: .utf8)
            var variables = ["POSTERN_PROJECT_FILE": directory + "/project.yaml"]
            for entry in container["env"]?.array ?? [] {
                let name = try #require(entry["name"]?.string)
                switch (entry["value"]?.string, entry["valueFrom"]?["secretKeyRef"]?["key"]?.string) {
                case (let path?, _) where path.hasPrefix("/"):
                    #expect(mounts.contains { path.hasPrefix($0 + "/") }, "\(name) is not mounted")
                    variables[name] = directory + "/" + (path as NSString).lastPathComponent
                case (let value?, _): variables[name] = value
                case (nil, "api-keys"): variables[name] = "k"
                case (nil, "database-url"): variables[name] = "postgresql://postern@127.0.0.1/postern"
                case (nil, let key): Issue.record("\(name): \(key ?? "no value")")
                }
            }
            let arguments = ["config", "check", "--config", production]
            let check = try ServerProcess(arguments, environment: variables, directory: directory)
            let (code, text) = await check.waitForOutput()
            #expect(code == 0, "\(text)")
        }
    }

    @Test("run without rights, on a file system that is read-only, with no token of the cluster")
    func rights() async throws {
        for pod in try await pods() {
            #expect(pod["automountServiceAccountToken"] == false)
            #expect(pod["securityContext"]?["runAsNonRoot"] == true)
            let container = try #require(pod["containers"]?[0]?["securityContext"])
            #expect(container["allowPrivilegeEscalation"] == false)
            #expect(container["readOnlyRootFilesystem"] == true)
            #expect(container["capabilities"]?["drop"] == ["ALL"])
        }
    }
}
