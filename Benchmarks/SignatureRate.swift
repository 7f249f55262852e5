import CryptoExtras
import Foundation

/// The first bare limit: RSA-2048 signatures of the crypto library, on all cores.
enum SignatureRate {
    /// Signs for a while on every core.
    ///
    /// - Parameter seconds: How long.
    /// - Returns: Signatures per second.
    /// - Throws: When the library cannot make a key or sign.
    static func measure(seconds: Int) async throws -> Double {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let input = Data(repeating: 7, count: 700)
        let clock = ContinuousClock()
        let start = clock.now
        let end = start + .seconds(seconds)
        let signatures = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
                group.addTask {
                    var count = 0
                    while clock.now < end {
                        _ = try key.signature(for: input, padding: .insecurePKCS1v1_5)
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        return Double(signatures) / ((clock.now - start) / .seconds(1))
    }
}
