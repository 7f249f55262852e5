import CResolv
import Foundation
import NIOPosix
import Project

/// Looks up TXT records in the DNS with the system's resolver, on threads of its own, because it blocks.
///
/// A look-up takes eight seconds for each of the system's name servers at most; few are under way at once.
struct TextRecords: Sendable {
    private static let threadCount = 2
    private static let maximumWaiting = 8
    private static let answerBytes = 16 * 1024
    private static let mostRecords = 64
    private static let threads: NIOThreadPool = {
        let threads = NIOThreadPool(numberOfThreads: threadCount)
        threads.start()
        return threads
    }()
    private static let waiting = LockedState(0)

    /// A name server in place of the system's own: an IPv4 address and a port.
    var server: (address: String, port: Int)?

    /// The texts of the records of a name; none when there are none.
    ///
    /// - Throws: `OutboundError.unreachable` when no name server answers or too many look-ups wait.
    func callAsFunction(_ name: String) async throws -> [String] {
        let isRoom = Self.waiting.withLock { waiting in
            guard waiting < Self.maximumWaiting else { return false }
            waiting += 1
            return true
        }
        guard isRoom else { throw OutboundError.unreachable }
        defer { Self.waiting.withLock { $0 -= 1 } }
        let server = server
        return try await Self.threads.runIfActive { try Self.lookUp(name, server) }
    }

    private static func lookUp(_ name: String, _ server: (address: String, port: Int)?) throws -> [String] {
        var answer = [UInt8](repeating: 0, count: answerBytes)
        let port = UInt16(truncatingIfNeeded: server?.port ?? 53)
        let length = postern_resolv_txt(name, server?.address, port, &answer, Int32(answer.count))
        guard length >= 0 else {
            // The name, or a record of the type, does not exist (netdb.h).
            if [-1 - HOST_NOT_FOUND, -1 - NO_DATA].contains(length) { return [] }
            throw OutboundError.unreachable
        }
        var texts: [String] = []
        var text = [UInt8](repeating: 0, count: answerBytes)
        for index in 0..<mostRecords {
            let count = postern_resolv_text(answer, length, Int32(index), &text, Int32(text.count))
            if count == -1 { break }
            if count >= 0 { texts.append(String(decoding: text.prefix(Int(count)), as: UTF8.self)) }
        }
        return texts
    }
}
