import Foundation
import NIOCore
import NIOPosix
import Project

/// Resolves host names off the event loops and the cooperative pool, for `getaddrinfo` blocks.
enum NameResolver {
    /// The addresses of a host name or literal address, in the system's order of preference.
    ///
    /// - Throws: `OutboundError.unreachable` when there are none.
    static func addresses(of host: String) async throws -> [IPAddress] {
        try await NIOThreadPool.singleton.runIfActive { try resolve(host) }
    }

    private static func resolve(_ host: String) throws -> [IPAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { throw OutboundError.unreachable }
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
    /// The address in the text form that sockets take.
    var text: String {
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        inet_ntop(family, bytes, &buffer, socklen_t(buffer.count))
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
