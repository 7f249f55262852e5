import Foundation
import Project
import Settings
import Tokens

/// Finds the master key where the settings say it is.
enum MasterKeySource {
    /// The key cannot be had.
    struct Unusable: Error, CustomStringConvertible {
        let description: String
    }

    /// Reads the key, or makes one in development.
    ///
    /// - Parameter database: Beside which file a generated key is kept; a database in memory gets a key that goes with it, and
    ///   one on a server a file in the directory that SQLite's would be in.
    static func load(
        _ source: SecretsSettings.MasterKey,
        database: DatabaseSettings.Location,
        random: (Int) -> [UInt8]
    ) throws -> MasterKey {
        switch source {
        case .bytes(let secret): return try MasterKey(bytes: secret.reveal())
        case .file(let path): return try read(path)
        case .generated:
            let keyPath: String
            switch database {
            case .sqlite(let path): keyPath = path + ".masterkey"
            case .sqliteMemory: return try MasterKey(bytes: random(32))
            case .postgresql: keyPath = "data/postern.masterkey"
            }
            if !FileManager.default.fileExists(atPath: keyPath) { try create(keyPath, random(32)) }
            return try read(keyPath)
        }
    }

    /// Reads the key whose values still open while the master key is replaced.
    static func previous(_ source: SecretsSettings.MasterKey?) throws -> MasterKey? {
        switch source {
        case .bytes(let secret)?: try MasterKey(bytes: secret.reveal())
        case .file(let path)?: try read(path, of: "secrets.previousMasterKeyFile")
        case .generated?, nil: nil
        }
    }

    /// Reads a key.
    static func read(_ path: String, of name: String = "secrets.masterKeyFile") throws -> MasterKey {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw Unusable(description: "\(name): cannot read \(path)")
        }
        guard let bytes = SecretsSettings.MasterKey.decode(text) else {
            throw Unusable(description: "\(name): expected base64 of 32 bytes in \(path)")
        }
        return try MasterKey(bytes: bytes)
    }

    // The key is first written to a separate file. Two servers that start together then get the same key, and neither reads a
    // half.
    private static func create(_ path: String, _ bytes: [UInt8]) throws {
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent()
        try? FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let draft = "\(path).\(UUID().uuidString)"
        let text = Data(bytes).base64EncodedString() + "\n"
        defer { unlink(draft) }
        guard (try? PrivateFile.create(draft).write(contentsOf: Data(text.utf8))) != nil,
            link(draft, path) == 0 || errno == EEXIST
        else {
            throw Unusable(description: "cannot write the generated master key to \(path)")
        }
    }
}
