import Foundation
import ObjectStore
package import Project
package import Settings
package import Tokens

/// Backups of an SQLite database in an object store, at `s3://bucket/prefix` or `s3://bucket/prefix/name`.
package struct BackupBucket: Sendable {
    private let place: S3Place
    private let configuration: S3Configuration

    /// Whether a place is one of an object store, and not of the file system.
    package static func isMeant(by place: String) -> Bool { S3Place.isMeant(by: place) }

    package init(_ place: String, _ settings: Settings) throws {
        self.place = try S3Place(place)
        let backup = settings.backup
        guard let credentials = backup.credentials else {
            throw BackupFile.BackupError(
                description: "an object store needs credentials: set backup.s3.accessKeyId and backup.s3.secretAccessKey, "
                    + "or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
            )
        }
        // A variable may name the endpoint, which the settings' own check does not see.
        guard backup.endpoint?.isSecure != false || settings.outbound.allowPrivateNetworks else {
            throw BackupFile.BackupError(
                description: "the object store's endpoint is no https URL, and outbound.allowPrivateNetworks is false"
            )
        }
        configuration = S3Configuration(
            endpoint: backup.endpoint?.text ?? "https://s3.\(backup.region).amazonaws.com",
            region: backup.region,
            accessKeyID: credentials.accessKeyID,
            secretAccessKey: credentials.secretAccessKey.reveal(),
            sessionToken: credentials.sessionToken?.reveal(),
            usesPathStyle: backup.usesPathStyle,
            caFile: settings.outbound.caFile
        )
    }

    private init(_ place: S3Place, _ configuration: S3Configuration) {
        self.place = place
        self.configuration = configuration
    }

    /// The place.
    package var name: String { place.description }

    private func working<T: Sendable>(_ work: @escaping @Sendable (S3Store) throws -> T) async throws -> T {
        let (bucket, configuration) = (place.bucket, configuration)
        return try await Interruption.run { try work(S3Store(bucket, configuration, interruption: $0)) }
    }

    /// Copies a database that is in use to a new object below the place, named as in a directory.
    ///
    /// The copy stands beside the database meanwhile. The object appears when it is whole.
    package func make(
        of database: String,
        at time: Timestamp,
        for recipient: BackupSeal.Recipient?
    ) async throws -> (place: String, bytes: Int64) {
        let target = place.appending(BackupFile.name(at: time, isSealed: recipient != nil))
        return try await BackupFile.withCopy(of: database) { source, bytes in
            let size = try await working { store in
                let most = recipient == nil ? bytes : BackupSeal.sealedBytes(of: bytes)
                return try store.write(target.path, atMost: most) { upload in
                    if let recipient {
                        try BackupSeal.seal(source, for: recipient) { try upload.write($0) }
                    } else {
                        while let piece = try source.read(upToCount: 1 << 20), !piece.isEmpty { try upload.write(piece) }
                    }
                }
            }
            return (target.description, size)
        }
    }

    // The names of backups right below the place.
    private func names(in store: S3Store) throws -> [String] {
        let start = place.appending(BackupFile.namePrefix).path
        let folder = start.dropLast(BackupFile.namePrefix.count)
        return try store.list(start).map { $0.key.dropFirst(folder.count) }.filter { BackupFile.isName($0) }.map(String.init)
    }

    /// Removes older backups. Only objects right below the place whose names ``make(of:at:for:)`` gives count.
    ///
    /// None from the future counts or is removed, nor is the one that was just made.
    ///
    /// - Parameter count: How many of the newest stay, with the one that was just made.
    /// - Returns: Oldest first.
    package func keep(_ count: Int, with made: String, at now: Timestamp) async throws -> [String] {
        let made = String(made.split(separator: "/").last ?? "")
        return try await working { store in
            try BackupFile.outdated(names(in: store), keeping: count, with: made, at: now).map { name in
                let old = place.appending(name)
                try store.remove(old.path)
                return old.description
            }
        }
    }

    /// The newest backup below the place, none from the future.
    ///
    /// - Throws: `BackupFile.BackupError` when there is no backup.
    package func latest(at now: Timestamp) async throws -> BackupBucket {
        guard let name = try await working({ BackupFile.inTime(try names(in: $0), at: now).max() }) else {
            throw BackupFile.BackupError(description: "there is no backup in \(place)")
        }
        return BackupBucket(place.appending(name), configuration)
    }

    // What the volume of a file has free; where that is not known, the volume itself sets the bound.
    private static func room(beside path: String) -> Int64 {
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let free = try? FileManager.default.attributesOfFileSystem(forPath: directory)[.systemFreeSize] as? NSNumber
        return free?.int64Value ?? .max
    }

    /// Copies the object at the place to a new file, readable by its owner only. It is not larger than what the file's volume has free.
    package func fetch(to path: String) async throws {
        guard !place.path.isEmpty else {
            throw BackupFile.BackupError(description: "\(place) names no backup; --latest takes the newest")
        }
        let key = place.path
        try await working { store in
            let file = try PrivateFile.create(path)
            try store.read(key, atMost: Self.room(beside: path)) { try file.write(contentsOf: $0) }
            try file.close()
        }
    }
}
