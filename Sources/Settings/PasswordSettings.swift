import Project

/// `passwords.*`: how new passwords are hashed, and how many at once.
package struct PasswordSettings: Sendable {
    /// Memory of one Argon2id hash, in KiB.
    package let argon2MemoryKiB: Int
    /// Passes over the memory.
    package let argon2Iterations: Int
    /// Lanes.
    package let argon2Parallelism: Int
    /// Hashes computed at once.
    package let workers: Int
    /// Hashes that may wait besides those.
    package let queueLimit: Int

    // Ruling 33: test suites sign in thousands of times, so development hashes cheaply.
    private static let developmentCost = (memoryKiB: 64, iterations: 1)
    private static let usualCost = (memoryKiB: 19_456, iterations: 2)

    init(_ reader: SettingsReader) {
        let isSet = ["argon2MemoryKib", "argon2Iterations", "argon2Parallelism"].contains(where: reader.isSet)
        let isCheap = reader.rules?.hashesCheaplyByDefault == true && !isSet
        let (cost, cheap, usual) = (isCheap ? Self.developmentCost : Self.usualCost, Self.developmentCost, Self.usualCost)
        func otherwise(_ usual: Int, _ cheap: Int) -> String {
            "`\(usual)`; `\(cheap)` in development where no cost of Argon2id is set"
        }
        argon2MemoryKiB = reader.value(
            "argon2MemoryKib",
            .integer(in: 8192...262_144),
            default: cost.memoryKiB,
            otherwise: otherwise(usual.memoryKiB, cheap.memoryKiB),
            "memory of one Argon2id hash, in KiB"
        )
        argon2Iterations = reader.value(
            "argon2Iterations",
            .integer(in: 1...16),
            default: cost.iterations,
            otherwise: otherwise(usual.iterations, cheap.iterations),
            "passes of Argon2id over it"
        )
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
            """
            passwords that may wait to be hashed, a quarter of them from one client address, three quarters from administrators; beyond it \
            sign-ins are refused for a moment
            """
        )
    }
}
