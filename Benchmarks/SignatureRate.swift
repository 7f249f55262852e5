import CryptoExtras
import Foundation
import Tokens

/// The first bare limit: RSA-2048 signatures of the crypto library that signs tokens, on all cores.
enum SignatureRate {
    /// Signs for a while on every core.
    ///
    /// - Parameter seconds: How long to sign.
    /// - Returns: Signatures per second.
    /// - Throws: When the library cannot make a key or sign.
    static func measure(seconds: Int) async throws -> Double {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let signer = try RSATokenSigner(privateKey: key.pkcs8DERRepresentation)
        let input = [UInt8](repeating: 7, count: 700)
        let clock = ContinuousClock()
        let start = clock.now
        let end = start + .seconds(seconds)
        let signatures = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
                group.addTask {
                    var count = 0
                    while clock.now < end {
                        _ = try signer.sign(input)
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
