import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
package import Project
package import Settings

/// Outgoing HTTP through AsyncHTTPClient: no redirects, bounded time and size, and only addresses that the guard allows.
package final class LiveHTTP: Sendable {
    private let names: CheckedNames
    private let clients: PinnedClients
    private let defaultTimeout: Duration
    private let explains: Bool

    /// Prepares calls. No connection is opened.
    ///
    /// - Parameter explains: Whether a failed call is to say why, for an operator who waits: it connects once only, and a
    ///   certificate that is not accepted is looked at by a second connection.
    package convenience init(_ settings: OutboundSettings, explains: Bool = false) throws {
        try self.init(settings, resolver: .system, explains: explains)
    }

    /// Prepares calls to names that are resolved in another way than the system's.
    init(_ settings: OutboundSettings, resolver: NameResolver, explains: Bool = false) throws {
        self.explains = explains
        names = CheckedNames(settings, resolver: resolver)
        defaultTimeout = .seconds(settings.timeoutSeconds)
        var tls = TLSConfiguration.makeClientConfiguration()
        if let file = settings.caFile {
            tls.additionalTrustRoots = [.certificates(try Self.roots(file))]
        }
        clients = PinnedClients(tls: tls, connectsAgain: !explains)
    }

    /// Reads `outbound.caFile`.
    static func roots(_ file: String) throws -> [NIOSSLCertificate] {
        try UnusableSetting.reading("outbound.caFile", file, as: "PEM certificates") { try NIOSSLCertificate.fromPEMFile(file) }
    }

    /// This client as the closure that the other modules use.
    package var outbound: OutboundHTTP { OutboundHTTP { try await self.send($0, $1) } }

    /// Closes every connection.
    package func shutdown() async { await clients.shutdown() }

    private func send(
        _ request: OutboundHTTP.Request,
        _ limits: OutboundHTTP.Limits
    ) async throws -> OutboundHTTP.Response {
        guard let url = WebURL(request.url), names.networkGuard.allows(scheme: url.isSecure ? "https" : "http"),
            let address = url.plainText
        else {
            throw OutboundError.forbiddenURL
        }
        var request = request
        request.url = address
        let timeout = limits.timeout ?? defaultTimeout
        // One deadline for the whole call, so that a peer that sends its body byte by byte is cut off too.
        return try await withDeadline(timeout) { [request] in
            try await self.exchange(request, host: url.host, limits: limits, timeout: timeout)
        }
    }

    private func exchange(
        _ request: OutboundHTTP.Request,
        host: String,
        limits: OutboundHTTP.Limits,
        timeout: Duration
    ) async throws -> OutboundHTTP.Response {
        if request.needsHTTP2, let url = WebURL(request.url), !url.isSecure {
            return try await PriorKnowledgeHTTP2.exchange(request, with: url, limits: limits, timeout: timeout)
        }
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = .RAW(value: request.method)
        for (name, value) in request.headers { outgoing.headers.add(name: name, value: value) }
        // Answers are small. What is compressed all the same is inflated, within the bound of ``PinnedClients``.
        outgoing.headers.replaceOrAdd(name: "Accept-Encoding", value: "identity")
        if !request.body.isEmpty { outgoing.body = .bytes(ByteBuffer(bytes: request.body)) }
        let addresses = try await names.addresses(of: host)
        do {
            return try await exchange(outgoing, host: host, at: addresses, limits: limits, timeout: timeout)
        } catch OutboundError.certificate(.untrusted) where explains {
            let port = WebURL(request.url)?.port ?? 443
            let fault = await RefusedCertificate.fault(of: host, port: port, at: addresses?[0].text ?? host)
            throw OutboundError.certificate(fault)
        }
    }

    private func exchange(
        _ request: HTTPClientRequest,
        host: String,
        at addresses: [IPAddress]?,
        limits: OutboundHTTP.Limits,
        timeout: Duration
    ) async throws -> OutboundHTTP.Response {
        let call: @Sendable (HTTPClient) async throws -> OutboundHTTP.Response = {
            try await Self.exchange(request, on: $0, limits: limits, timeout: timeout)
        }
        guard let addresses else { return try await clients.unpinned(call) }
        return try await clients.pinned(host: host, to: addresses[0], among: addresses, call)
    }

    private static func exchange(
        _ request: HTTPClientRequest,
        on client: HTTPClient,
        limits: OutboundHTTP.Limits,
        timeout: Duration
    ) async throws -> OutboundHTTP.Response {
        do {
            let response = try await client.execute(request, timeout: TimeAmount(timeout))
            let body = try await response.body.collect(upTo: limits.maximumBodyBytes)
            return OutboundHTTP.Response(
                status: Int(response.status.code),
                headers: response.headers.map { ($0.name, $0.value) },
                body: Array(body.readableBytesView)
            )
        } catch {
            throw OutboundError(of: error)
        }
    }
}
