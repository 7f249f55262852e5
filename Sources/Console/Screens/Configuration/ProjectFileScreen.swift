import Accounts
import Hummingbird
import NIOCore
import Project
import Settings
import Tenancy

/// What runs, as a project file. It names environment variables in place of secrets.
struct ProjectFileScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/configuration/project.yaml"
    // Fictional numbers and their codes are among the values.
    var needs: AdminScopes? { .config }

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let person = try visit.person
        // The file has the project and every tenant.
        let context = try person.call(in: nil)
        let comparison = tools.useCases.operators.configuration.comparison
        let document = try await tools.load.holding(.download, for: person) { try await comparison.export(context) }
        let text = try ProjectFile.text(of: document)
        return .file(name: "project.yaml", type: "application/yaml", ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
