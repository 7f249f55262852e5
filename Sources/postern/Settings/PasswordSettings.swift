import Project

/// `passwords.*`: how new passwords are hashed, and how many at once.
package struct PasswordSettings: Sendable {
    /// Memory of one Argon2id hash, in KiB.
    package let argon2MemoryKiB: Int
    /// Passes over it.
    package let argon2Iterations: Int
    /// Lanes.
    package let argon2Parallelism: Int
    /// Hashes computed at once.
    package let workers: Int
    /// Hashes that may wait beyond those.
    package let queueLimit: Int

    init(_ reader: SettingsReader) {
        argon2MemoryKiB = reader.value(
            "argon2MemoryKib",
            .integer(in: 8192...262_144),
            default: 19_456,
            "memory of one Argon2id hash, in KiB"
        )
        argon2Iterations = reader.value("argon2Iterations", .integer(in: 1...16), default: 2, "passes of Argon2id over it")
        argon2Parallelism = reader.value("argon2Parallelism", .integer(in: 1...16), default: 1, "lanes of Argon2id")
        workers = reader.value(
            "workers",
            .integer(in: 1...256),
            default: min(reader.surroundings.processors, 256),
            otherwise: "processors",
            "passwords hashed at once"
        )
        queueLimit = reader.value(
            "queueLimit",
            .integer(in: 0...10_000),
            default: 256,
            "passwords that may wait to be hashed; beyond it sign-ins are refused for a moment"
        )
    }
}
