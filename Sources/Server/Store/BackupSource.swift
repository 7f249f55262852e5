import Foundation
import Project
package import Settings

/// Where `postern restore` finds a backup.
package struct BackupSource: Sendable {
    private let place: String
    private let settings: Settings
    private let isLatest: Bool

    /// - Parameter isLatest: Whether `place` is a directory, or a prefix `s3://bucket/prefix`, whose newest backup is meant.
    package init(_ place: String, isLatest: Bool, _ settings: Settings) {
        self.place = place
        self.isLatest = isLatest
        self.settings = settings
    }

    /// Runs `body` with the backup as a file. One from an object store is a file beside the target for as long.
    package func withFile<T>(for target: String, _ body: (BackupFile, String) async throws -> T) async throws -> T {
        try BackupFile.requireFree(target)
        let now = ServerEnvironment.systemClock()
        guard BackupBucket.isMeant(by: place) else {
            let file = isLatest ? try BackupFile(latestIn: place, at: now) : BackupFile(place)
            return try await body(file, file.path)
        }
        let (place, settings, isLatest) = (place, settings, isLatest)
        let path = "\(target).download-\(UUID().uuidString)"
        defer { unlink(path) }
        let name = try await CommandSignals.cancelling {
            let bucket = try BackupBucket(place, settings)
            let object = isLatest ? try await bucket.latest(at: now) : bucket
            try await object.fetch(to: path)
            return object.name
        }
        return try await body(BackupFile(path), name)
    }
}
