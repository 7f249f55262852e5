import ArgumentParser
import Foundation
import Project
import Server
import Settings

/// `postern init`: writes what a server in production needs, and checks it.
struct Init: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write settings, project file and master key of a server in production, and check them.",
        discussion: """
            On a terminal it asks for what no option says. Nothing that exists is replaced, and a master key in the folder is used. \
            Passwords are not asked for: the settings name the variables that have them.
            """
    )

    @Option(help: "The folder for the files. It must exist.") var directory = "."
    @Option(help: "The file of the database, or where it will be. Default: postern.sqlite in that folder.") var database: String?
    @OptionGroup var options: InitOptions

    func run() async throws {
        let isOnTerminal = isatty(STDIN_FILENO) == 1
        let answers = try options.answers { isOnTerminal ? Self.ask($0) : nil }
        let folder = URL(filePath: directory).standardizedFileURL.path
        let files = InitFiles(answers, in: folder, database: database.map { URL(filePath: $0).standardizedFileURL.path })
        // A package has made the key, and databases may be sealed with it. It is checked with the settings.
        let isKeyThere = FileManager.default.fileExists(atPath: files.masterKey.path)
        let new = isKeyThere ? [files.project, files.settings] : [files.masterKey, files.project, files.settings]
        let paths = new.map(\.path)
        var made: [String] = []
        do {
            if let taken = paths.first(where: { FileManager.default.fileExists(atPath: $0) }) {
                throw CommandFailure("\(taken) is there already")
            }
            for file in new {
                let handle = try PrivateFile.create(file.path)
                made.append(file.path)
                try handle.write(contentsOf: Data(file.text.utf8))
                try handle.close()
            }
            // Its value is not known yet, and stands in no file.
            let password = answers.smtpUser.map { _ in ["POSTERN_EMAIL_SMTP_PASSWORD": "unknown"] }
            let settings = try SettingsLoader.load(file: files.settings.path, environment: password ?? [:])
            _ = try DeclaredProject.read(files.project.path, variables: [:])
            try NamedFiles.check(settings)
            for warning in settings.warnings + settings.gaps { print("warning: \(warning)") }
        } catch {
            // What is wrong can be asked for again.
            for path in made { unlink(path) }
            throw CommandFailure(error)
        }
        print(paths.joined(separator: "\n"))
        print(
            """

            Keep a copy of \(files.masterKey.path) elsewhere: without it a backup of the database does not open.
            The API key for apps is \(answers.apiKey). Start with:

                postern serve --config \(files.settings.path)
            """
        )
    }

    private static func ask(_ question: String) -> String? {
        // `print` would keep a line without its end.
        StandardStream.output.write(question + " ")
        return readLine()
    }
}
