import AsyncHTTPClient
import NIOCore
import NIOSSL
import Project

/// HTTP clients whose names are pinned to checked addresses, kept so that connections can be used again.
actor PinnedClients {
    private struct Pin {
        let address: IPAddress
        let client: HTTPClient
        var lastUse: UInt64
    }

    // Providers are few; whoever configures more pays with new connections.
    private static let maximumPins = 64

    private let tls: TLSConfiguration
    private var shared: HTTPClient?
    private var pins: [String: Pin] = [:]
    private var uses: UInt64 = 0

    init(tls: TLSConfiguration) { self.tls = tls }

    /// The client for installations that may reach any address.
    func unpinned() -> HTTPClient {
        if let shared { return shared }
        let client = makeClient([:])
        shared = client
        return client
    }

    /// The client that connects to `host` at one of the given addresses.
    ///
    /// - Parameters:
    ///   - host: The name in the URL, for `Host` and TLS.
    ///   - address: Where to connect when there is no client yet.
    ///   - addresses: Every address that the name has now; a client pinned to one of them serves on.
    /// - Returns: The client.
    func pinned(host: String, to address: IPAddress, among addresses: [IPAddress]) -> HTTPClient {
        uses += 1
        if var pin = pins[host], addresses.contains(pin.address) {
            pin.lastUse = uses
            pins[host] = pin
            return pin.client
        }
        if let old = pins.removeValue(forKey: host) { retire(old) }
        if pins.count >= Self.maximumPins, let idlest = pins.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            pins[idlest.key] = nil
            retire(idlest.value)
        }
        let client = makeClient([host: address.text])
        pins[host] = Pin(address: address, client: client, lastUse: uses)
        return client
    }

    /// Closes every client.
    func shutdown() async {
        let clients = pins.values.map(\.client) + [shared].compactMap { $0 }
        pins = [:]
        shared = nil
        for client in clients { try? await client.shutdown() }
    }

    private func retire(_ pin: Pin) {
        Task { try? await pin.client.shutdown() }
    }

    private func makeClient(_ dnsOverride: [String: String]) -> HTTPClient {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls,
            redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(5)),
            decompression: .disabled
        )
        configuration.dnsOverride = dnsOverride
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }
}
