import Foundation
import Project
package import Settings

/// Where an SQLite database is or is to be, looked at before anything is opened: SQLite would make a database of an empty file, and
/// a mistyped path would become an empty store.
package enum StorePlace {
    /// There is no database to work on.
    struct NoDatabase: Error, CustomStringConvertible {
        let path: String
        /// What is at the path, for example "is a directory"; `nil` when nothing is there.
        var reason: String?

        var description: String {
            "there is no database at \(path)\(reason.map { ", which \($0)" } ?? ""); `postern migrate` makes one"
        }
    }

    /// The directory in which a file is to be made is not there.
    struct NoDirectory: Error, CustomStringConvertible {
        let path: String
        let directory: String
        var description: String { "\(path) cannot be made: there is no directory \(directory)" }
    }

    /// A file is to be made, and has no name.
    struct NoName: Error, CustomStringConvertible {
        let description = "cannot make \(TerminalText.path(""))"
    }

    /// Makes sure that a location has a database.
    ///
    /// - Throws: ``NoDatabase`` for a file that is missing, empty or a directory.
    package static func requireDatabase(at location: DatabaseSettings.Location) throws {
        guard case .sqlite(let path) = location else { return }
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else { throw NoDatabase(path: path) }
        if isDirectory.boolValue { throw NoDatabase(path: path, reason: "is a directory") }
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
        if size?.intValue == 0 { throw NoDatabase(path: path, reason: "is an empty file") }
    }

    /// Makes sure that a database may be made at a location. Only the directory of the default location is made by Postern.
    package static func requireDirectory(of location: DatabaseSettings.Location) throws {
        guard case .sqlite(let path) = location, path != DatabaseSettings.defaultPath else { return }
        try requireDirectory(of: path)
    }

    /// Makes sure that a file may be made under a path.
    package static func requireDirectory(of path: String) throws {
        if path.isEmpty { throw NoName() }
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: directory, isDirectory: &isDirectory), isDirectory.boolValue
        else { throw NoDirectory(path: path, directory: directory) }
    }
}
