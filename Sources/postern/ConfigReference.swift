import ArgumentParser
import Settings

/// `postern config reference`: prints every key of the settings, as tables in Markdown.
struct ConfigReference: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reference",
        abstract: "List every key of the settings, with its variable, default and meaning, in Markdown."
    )

    func run() async throws {
        print(DocumentedKey.reference(of: try Settings.documentedKeys))
    }
}
