import Foundation
import Testing

@testable import Passwords

@Suite("The memory of Argon2")
struct HashMemoryTests {
    /// Runs a body on a thread of its own.
    private func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Result { try body() }) }.start()
        }
    }

    private func parameters(memoryKiB: Int) throws -> Argon2Parameters {
        try #require(Argon2Parameters(memoryKiB: memoryKiB, iterations: 1, parallelism: 1))
    }

    @Test("is kept from one hash to the next, fits the last one, and is given back when asked")
    func life() async throws {
        let (large, small) = (try parameters(memoryKiB: 1024), try parameters(memoryKiB: 64))
        let salt = [UInt8](repeating: 7, count: 16)
        let counts = try await onThread {
            var counts = [HashMemory.ofThread.count]
            _ = try large.derive([1], salt: salt)
            counts.append(HashMemory.ofThread.count)
            _ = try small.derive([1], salt: salt)
            counts.append(HashMemory.ofThread.count)
            HashMemory.release()
            counts.append(HashMemory.ofThread.count)
            return counts
        }
        #expect(counts == [0, 1024 * 1024, 64 * 1024, 0])
    }

    @Test("changes no hash, whether it is fresh or was used before")
    func equal() async throws {
        let parameters = try parameters(memoryKiB: 256)
        let salt = [UInt8](repeating: 7, count: 16)
        let hashes = try await onThread {
            let fresh = try parameters.derive([1, 2, 3], salt: salt)
            let other = try parameters.derive([4], salt: salt)
            return [fresh, other, try parameters.derive([1, 2, 3], salt: salt)]
        }
        let elsewhere = try await onThread { try parameters.derive([1, 2, 3], salt: salt) }
        #expect(hashes[0] == hashes[2])
        #expect(hashes[0] == elsewhere)
        #expect(hashes[0] != hashes[1])
    }
}
