import Foundation
import Testing

/// The tools that `./.ci/python` installs for tests. `make test` calls it.
enum PythonTools {
    private static let root = URL(fileURLWithPath: #filePath).appending(path: "../../../..").standardizedFileURL

    /// A file or folder in `Tests/Python`.
    static func source(_ name: String = "") -> String { root.appending(path: "Tests/Python/\(name)").path }

    /// A file of an installed package.
    static func file(_ name: String) throws -> String {
        let library = root.appending(path: ".build/python/lib")
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: library.path)) ?? []
        let path = versions.map { library.appending(path: "\($0)/site-packages/\(name)").path }
            .first(where: FileManager.default.fileExists)
        return try #require(path, "run ./.ci/python first; make test does")
    }

    static func program(_ name: String) throws -> String {
        let path = root.appending(path: ".build/python/bin/\(name)").path
        try #require(FileManager.default.isExecutableFile(atPath: path), "run ./.ci/python first; make test does")
        return path
    }
}
