import Foundation
import Project
import TestKit
import Testing

@testable import ObjectStore

/// What tests of object stores share.
protocol S3Suite {}

extension S3Suite {
    /// Random bytes; by default those of an object of three parts.
    func content(_ bytes: Int = 20_000_000) -> Data {
        var generator = SystemRandomNumberGenerator()
        var words = (0..<(bytes / 8)).map { _ in generator.next() as UInt64 }
        words.append(0)
        return words.withUnsafeBytes { Data($0.prefix(bytes)) }
    }

    /// The way to a server of the tests, with little patience.
    func configuration(
        _ server: S3Server,
        id: String? = nil,
        secret: String? = nil,
        token: String? = nil,
        caFile: String? = nil,
        tries: Int = 4,
        usesPathStyle: Bool = true
    ) -> S3Configuration {
        var patience = S3Configuration.Patience()
        (patience.tries, patience.pause, patience.stallSeconds) = (tries, .milliseconds(5), 2)
        return S3Configuration(
            // Each name below `localhost` is this machine.
            endpoint: usesPathStyle ? server.endpoint : server.endpoint.replacing("127.0.0.1", with: "localhost"),
            region: "eu-west-1",
            accessKeyID: id ?? server.credentials.id,
            secretAccessKey: secret ?? server.credentials.secret,
            sessionToken: token,
            usesPathStyle: usesPathStyle,
            caFile: caFile,
            patience: patience
        )
    }

    func using<T: Sendable>(
        _ configuration: S3Configuration,
        _ work: @escaping @Sendable (S3Store) throws -> T
    ) async throws -> T {
        try await Interruption.run { try work(S3Store(S3Server.bucket, configuration, interruption: $0)) }
    }

    /// Writes an object in pieces of an odd size.
    func write(_ content: Data, to key: String, _ configuration: S3Configuration) async throws -> Int64 {
        try await using(configuration) { store in
            try store.write(key, atMost: Int64(content.count)) { upload in
                for start in stride(from: 0, to: content.count, by: 65_553) {
                    try upload.write(content[start..<min(start + 65_553, content.count)])
                }
            }
        }
    }

    func read(_ key: String, _ configuration: S3Configuration) async throws -> Data {
        try await using(configuration) { store in
            var content = Data()
            try store.read(key) { content += $0 }
            return content
        }
    }

    func failure<T>(_ body: () async throws -> T) async -> String {
        do {
            _ = try await body()
            Issue.record("it succeeded")
            return ""
        } catch {
            return "\(error)"
        }
    }
}
