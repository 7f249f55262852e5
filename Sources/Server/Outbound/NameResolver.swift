import Foundation
import Project

/// Resolves host names, on the threads of ``NameLookUps``, because `getaddrinfo` blocks and cannot be interrupted.
///
/// Answers are kept for half a minute, and for five minutes where no name server answers any more. They must be checked each
/// time: nothing here knows which addresses are allowed.
struct NameResolver: Sendable {
    /// Resolves a name. It blocks its thread, and throws ``NoAnswer`` when it is not known whether there is such a name.
    typealias LookUp = @Sendable (_ host: String) throws -> [IPAddress]

    /// No name server has answered.
    struct NoAnswer: Error {}

    /// Resolves names as the system does. It is the only one, so that all callers share its answers and its threads.
    static let system = NameResolver(lookUp: resolve)

    private let lookUps: NameLookUps
    private let patience: Duration
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameter patience: How long a look-up may take before an older answer is used.
    init(
        patience: Duration = .seconds(1),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now },
        lookUp: @escaping LookUp
    ) {
        lookUps = NameLookUps(now: now, lookUp: lookUp)
        self.patience = patience
        self.now = now
    }

    /// The addresses of a host name or literal address, in the system's order of preference.
    ///
    /// - Throws: `OutboundError.unknownName` when there is no address, `OutboundError.unreachable` when too many names wait;
    ///   `OutboundError.timedOut` when the task is cancelled.
    func addresses(of host: String) async throws -> [IPAddress] {
        if let address = IPAddress(host) { return [address] }
        let name = host.lowercased()
        switch lookUps.ask(name) {
        case .known(let addresses): return addresses
        case .refused:
            guard let kept = lookUps.kept(name) else { throw OutboundError.unreachable }
            return kept
        case .waits(let seat):
            defer { lookUps.leave(seat) }
            return try await wait(in: seat)
        }
    }

    private func wait(in seat: NameLookUps.Seat) async throws -> [IPAddress] {
        // The callers of a look-up that has taken too long already need not wait again.
        let rest = lookUps.kept(seat.name).map { _ in max(patience - seat.since.duration(to: now()), .zero) }
        let answer = await Self.first(of: seat.answers, within: rest)
        if let answer {
            switch answer {
            case .success(let addresses): return addresses
            case .failure(let error): guard error is NoAnswer else { throw error }
            }
        }
        if Task.isCancelled { throw OutboundError.timedOut }
        if let kept = lookUps.kept(seat.name) { return kept }
        throw answer == nil ? OutboundError.timedOut : OutboundError.unknownName
    }

    private static func first(
        of answers: AsyncStream<NameLookUps.Answer>,
        within time: Duration?
    ) async -> NameLookUps.Answer? {
        guard let time else {
            for await answer in answers { return answer }
            return nil
        }
        return await withTaskGroup(of: NameLookUps.Answer?.self) { group in
            group.addTask { await Self.first(of: answers, within: nil) }
            group.addTask {
                try? await Task.sleep(for: time)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    private static let resolve: LookUp = { host in
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        if [EAI_AGAIN, EAI_SYSTEM].contains(code) { throw NoAnswer() }
        guard code == 0 else { throw OutboundError.unknownName }
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
