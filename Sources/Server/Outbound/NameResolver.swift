import Foundation
import NIOCore
import NIOPosix
import Project

/// Resolves host names on a few threads of its own, because `getaddrinfo` blocks and cannot be interrupted.
///
/// A caller can stop waiting at any time; a look-up that no caller waits for is not started. The number of waiting names is
/// bounded, so that a slow name server blocks nothing else.
struct NameResolver: Sendable {
    /// Resolves a name. It blocks its thread.
    typealias LookUp = @Sendable (_ host: String) throws -> [IPAddress]

    private static let threadCount = 8
    private static let maximumWaiting = 256
    private static let threads: NIOThreadPool = {
        let threads = NIOThreadPool(numberOfThreads: threadCount)
        threads.start()
        return threads
    }()
    private static let waiting = LockedState(0)

    private let lookUp: LookUp

    /// - Parameter lookUp: Resolves names; by default the system does.
    init(lookUp: @escaping LookUp = resolve) { self.lookUp = lookUp }

    /// The addresses of a host name or literal address, in the system's order of preference.
    ///
    /// - Parameter host: The name.
    /// - Returns: At least one address.
    /// - Throws: `OutboundError.unknownName` when there is no address, `OutboundError.unreachable` when too many names wait;
    ///   `OutboundError.timedOut` when the task is cancelled.
    func addresses(of host: String) async throws -> [IPAddress] {
        let isRoom = Self.waiting.withLock { waiting in
            guard waiting < Self.maximumWaiting else { return false }
            waiting += 1
            return true
        }
        guard isRoom else { throw OutboundError.unreachable }
        let (answers, answer) = AsyncStream.makeStream(of: Result<[IPAddress], any Error>.self)
        let isWanted = LockedState(true)
        answer.onTermination = { _ in isWanted.withLock { $0 = false } }
        Self.threads.submit { [lookUp] _ in
            if isWanted.withLock({ $0 }) { answer.yield(Result { try lookUp(host) }) }
            answer.finish()
            Self.waiting.withLock { $0 -= 1 }
        }
        for await result in answers {
            let addresses = try result.get()
            guard !addresses.isEmpty else { throw OutboundError.unknownName }
            return addresses
        }
        throw OutboundError.timedOut
    }

    private static let resolve: LookUp = { host in
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { throw OutboundError.unknownName }
        defer { freeaddrinfo(list) }
        var addresses: [IPAddress] = []
        var entry = list
        while let info = entry?.pointee {
            if let address = address(info) { addresses.append(address) }
            entry = info.ai_next
        }
        return addresses
    }

    private static func address(_ info: addrinfo) -> IPAddress? {
        guard let pointer = info.ai_addr else { return nil }
        let raw = UnsafeRawPointer(pointer)
        switch info.ai_family {
        case AF_INET: return withUnsafeBytes(of: raw.load(as: sockaddr_in.self).sin_addr) { IPAddress(bytes: Array($0)) }
        case AF_INET6: return withUnsafeBytes(of: raw.load(as: sockaddr_in6.self).sin6_addr) { IPAddress(bytes: Array($0)) }
        default: return nil
        }
    }
}

extension IPAddress {
    /// The address in the text form for sockets.
    var text: String {
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        inet_ntop(family, bytes, &buffer, socklen_t(buffer.count))
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
