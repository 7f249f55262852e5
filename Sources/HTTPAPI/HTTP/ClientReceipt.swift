import NIOCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Finds out whether a client of HTTP/1.1 has received what was written to it: whether its system has acknowledged all of it. The system of a
/// client that has hung up refuses it, which ends the connection. One that has only ended its sending side acknowledges it.
enum ClientReceipt {
    /// What a connection says of what was written to it.
    private enum Standing {
        case acknowledged
        case underWay
        case broken
    }

    // A second in all. Systems put an acknowledgement off by a fifth of one at most.
    private static let pauses = [0, 5, 10, 20, 40, 80, 160, 320, 365].map { Duration.milliseconds($0) }

    /// Waits for the acknowledgement, a second at most.
    ///
    /// - Parameter connection: A connection without TCP, as in tests, tells only whether it has ended.
    /// - Returns: Whether it came.
    static func comes(from connection: any Channel) async -> Bool {
        guard let socket = connection as? any SocketOptionProvider else { return connection.isActive }
        for pause in pauses {
            // The task of a connection that has ended is cancelled.
            guard (try? await Task.sleep(for: pause)) != nil else { return false }
            switch await standing(of: socket) {
            case .acknowledged: return true
            case .underWay: continue
            case .broken: return false
            }
        }
        return false
    }

    // The question is answered behind everything that was written before it.
    private static func standing(of socket: any SocketOptionProvider) async -> Standing {
        #if canImport(Darwin)
            guard let info = try? await socket.getTCPConnectionInfo().get(), info.tcpi_state != TCPS_CLOSED else {
                return .broken
            }
            return info.tcpi_snd_sbbytes == 0 ? .acknowledged : .underWay
        #else
            guard let info = try? await socket.getTCPInfo().get(), info.tcpi_state != UInt8(TCP_CLOSE) else { return .broken }
            return info.tcpi_unacked == 0 ? .acknowledged : .underWay
        #endif
    }
}
