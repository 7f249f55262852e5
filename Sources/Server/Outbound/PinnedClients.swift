import AsyncHTTPClient
import NIOCore
import NIOHTTPCompression
import NIOSSL
import Project

/// HTTP clients whose names are pinned to checked addresses. They are kept so that connections can be reused.
///
/// A retired client is closed when its last call has ended.
actor PinnedClients {
    /// A client and the calls on it.
    private final class Pin {
        /// `nil` when any address is allowed.
        let address: IPAddress?
        let client: HTTPClient
        var lastUse: UInt64 = 0
        var calls = 0

        init(address: IPAddress?, client: HTTPClient) {
            self.address = address
            self.client = client
        }
    }

    // There are few providers. With more hosts than this, connections are opened again.
    private static let maximumPins = 64
    // The bound of a call's own body, which is checked as it arrives, is no larger.
    private static let maximumInflatedBytes = OutboundHTTP.Limits().maximumBodyBytes

    private let tls: TLSConfiguration
    private let connectsAgain: Bool
    private var shared: Pin?
    private var pins: [String: Pin] = [:]
    /// Clients that get no new calls while old ones still run.
    private var retired: [Pin] = []
    private var closings: [UInt64: Task<Void, Never>] = [:]
    private var uses: UInt64 = 0
    private var isClosed = false

    /// - Parameter connectsAgain: Whether a connection that fails is tried again until the call's time is up.
    init(tls: TLSConfiguration, connectsAgain: Bool = true) {
        self.tls = tls
        self.connectsAgain = connectsAgain
    }

    /// Runs a call on the client that may connect to any address.
    ///
    /// - Throws: `OutboundError.unreachable` after ``shutdown()``.
    func unpinned<T: Sendable>(_ call: @Sendable (HTTPClient) async throws -> T) async throws -> T {
        guard !isClosed else { throw OutboundError.unreachable }
        let pin = shared ?? Pin(address: nil, client: makeClient([:]))
        shared = pin
        return try await send(call, on: pin)
    }

    /// Runs a call on the client that connects to `host` at one of the given addresses.
    ///
    /// - Parameters:
    ///   - address: The address for a new client.
    ///   - addresses: All current addresses of the name. A client that is pinned to one of them is kept.
    func pinned<T: Sendable>(
        host: String,
        to address: IPAddress,
        among addresses: [IPAddress],
        _ call: @Sendable (HTTPClient) async throws -> T
    ) async throws -> T {
        guard !isClosed else { throw OutboundError.unreachable }
        if let pin = pins[host], let known = pin.address, addresses.contains(known) { return try await send(call, on: pin) }
        if let old = pins.removeValue(forKey: host) { retire(old) }
        if pins.count >= Self.maximumPins, let idlest = pins.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            pins[idlest.key] = nil
            retire(idlest.value)
        }
        let pin = Pin(address: address, client: makeClient([host: address.text]))
        pins[host] = pin
        return try await send(call, on: pin)
    }

    /// Ends all running calls and closes every client. No client can be made afterwards.
    func shutdown() async {
        isClosed = true
        let open = pins.values + retired + [shared].compactMap { $0 }
        pins = [:]
        retired = []
        shared = nil
        for pin in open { close(pin.client) }
        for closing in closings.values { await closing.value }
    }

    private func send<T: Sendable>(
        _ call: @Sendable (HTTPClient) async throws -> T,
        on pin: Pin
    ) async throws -> T {
        uses += 1
        pin.lastUse = uses
        pin.calls += 1
        defer {
            pin.calls -= 1
            if pin.calls == 0, let index = retired.firstIndex(where: { $0 === pin }) {
                retired.remove(at: index)
                close(pin.client)
            }
        }
        return try await call(pin.client)
    }

    private func retire(_ pin: Pin) {
        if pin.calls == 0 { close(pin.client) } else { retired.append(pin) }
    }

    private func close(_ client: HTTPClient) {
        uses += 1
        let number = uses
        closings[number] = Task {
            // It fails only when the client is already closed.
            try? await client.shutdown()
            closings[number] = nil
        }
    }

    private func makeClient(_ dnsOverride: [String: String]) -> HTTPClient {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls,
            redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(5)),
            decompression: .enabled(limit: .size(Self.maximumInflatedBytes))
        )
        configuration.dnsOverride = dnsOverride
        configuration.connectionPool.retryConnectionEstablishment = connectsAgain
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }
}
