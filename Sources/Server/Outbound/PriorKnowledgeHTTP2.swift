import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import Project
import Settings

/// HTTP/2 over plain TCP, for a peer that is known to support it (RFC 9113 §3.3): one connection per request.
///
/// AsyncHTTPClient uses HTTP/2 only after TLS has negotiated it. This is for relays and tests in private networks.
enum PriorKnowledgeHTTP2 {
    private typealias Stream = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    private static let longestConnect = Duration.seconds(5)

    /// Sends a request and collects its answer.
    ///
    /// - Parameter timeout: Bounds the time to connect. The caller bounds the whole call.
    static func exchange(
        _ request: OutboundHTTP.Request,
        with url: WebURL,
        limits: OutboundHTTP.Limits,
        timeout: Duration
    ) async throws -> OutboundHTTP.Response {
        do {
            let (channel, multiplexer) = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(TimeAmount(min(timeout, longestConnect)))
                .connect(host: url.host, port: url.port ?? 80) { channel in
                    channel.configureAsyncHTTP2Pipeline(mode: .client) { $0.eventLoop.makeSucceededVoidFuture() }
                        .map { (channel, $0) }
                }
            defer { channel.close(promise: nil) }
            let stream = try await multiplexer.openStream { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(HTTP2FramePayloadToHTTP1ClientCodec(httpProtocol: .http))
                    return try Stream(wrappingChannelSynchronously: channel)
                }
            }
            return try await exchange(request, with: url, on: stream, limits: limits)
        } catch let error as OutboundError {
            throw error
        } catch is CancellationError {
            throw OutboundError.timedOut
        } catch {
            throw OutboundError.unreachable
        }
    }

    private static func exchange(
        _ request: OutboundHTTP.Request,
        with url: WebURL,
        on stream: Stream,
        limits: OutboundHTTP.Limits
    ) async throws -> OutboundHTTP.Response {
        try await stream.executeThenClose { inbound, outbound in
            try await outbound.write(.head(head(of: request, url)))
            if !request.body.isEmpty { try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: request.body)))) }
            try await outbound.write(.end(nil))
            var response = OutboundHTTP.Response(status: 0, headers: [], body: [])
            for try await part in inbound {
                switch part {
                case .head(let head):
                    response.status = Int(head.status.code)
                    response.headers = head.headers.map { ($0.name, $0.value) }
                case .body(let buffer):
                    response.body.append(contentsOf: buffer.readableBytesView)
                    guard response.body.count <= limits.maximumBodyBytes else { throw OutboundError.tooLarge }
                case .end: return response
                }
            }
            throw OutboundError.unreachable
        }
    }

    private static func head(of request: OutboundHTTP.Request, _ url: WebURL) -> HTTPRequestHead {
        let authority = url.origin.dropFirst("http://".count)
        let target = String(url.text.dropFirst("http://".count).drop { $0 != "/" && $0 != "?" })
        var headers = HTTPHeaders([("host", String(authority))])
        for (name, value) in request.headers { headers.add(name: name.lowercased(), value: value) }
        if !request.body.isEmpty { headers.add(name: "content-length", value: String(request.body.count)) }
        return HTTPRequestHead(
            version: .http1_1,
            method: .RAW(value: request.method),
            uri: target.isEmpty ? "/" : target,
            headers: headers
        )
    }
}
