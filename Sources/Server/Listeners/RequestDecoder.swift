import NIOCore
import NIOHTTP1

/// Reads the requests of an HTTP/1.1 connection in place of NIO's decoder, and goes on behind one that asks for another protocol: a
/// server may ignore that (RFC 9110 §7.8), and curl and Java ask for HTTP/2 in their first request. NIO's decoder reads nothing behind
/// such a request, so a new one takes over from it.
///
/// NIO's decoder in the pipeline cannot be replaced at once. It stays, is given no byte, and its place is where parts of requests appear.
final class RequestDecoder: ByteToMessageDecoder {
    typealias InboundOut = HTTPServerRequestPart

    // The usual limits of other servers. An incomplete head stays in memory.
    private static let maximumHeadBytes = 32 * 1024
    private static let maximumFieldBytes = maximumHeadBytes / 2
    private static let maximumFields = 200

    /// What has been read last, as far as it decides who reads on.
    enum Place {
        /// Within a request, or behind one that asks for nothing else.
        case request
        /// Within a request that asks for another protocol.
        case upgrade
        /// Behind such a request.
        case behindUpgrade
    }

    private var place = Place.request
    private var decoder = RequestDecoder.fresh()
    private var outlet: ChannelHandlerContext?

    private init(outlet: ChannelHandlerContext) { self.outlet = outlet }

    /// Takes the place of the decoder of a connection.
    ///
    /// - Parameter former: NIO's decoder, which has read nothing yet.
    static func install(before former: ByteToMessageHandler<HTTPRequestDecoder>, in pipeline: ChannelPipeline) throws {
        let operations = pipeline.syncOperations
        let decoder = RequestDecoder(outlet: try operations.context(handler: former))
        try operations.addHandler(ByteToMessageHandler(decoder), position: .before(former))
        try operations.addHandler(RequestFraming(decoder), position: .after(former))
    }

    /// A part of a request has been read.
    func wasRead(_ part: HTTPServerRequestPart) {
        switch part {
        // What follows CONNECT is never a request.
        case .head(let head): place = head.method != .CONNECT && head.headers.contains(name: "Upgrade") ? .upgrade : .request
        case .body: break
        case .end: if place == .upgrade { place = .behindUpgrade }
        }
    }

    func decoderAdded(context: ChannelHandlerContext) { decoder.decoderAdded(context: context) }

    func decoderRemoved(context: ChannelHandlerContext) {
        decoder.decoderRemoved(context: context)
        outlet = nil
    }

    func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        guard let outlet else { return .needMoreData }
        let state = try decoder.decode(context: outlet, buffer: &buffer)
        guard place == .behindUpgrade, isBetweenRequests(outlet) else { return state }
        place = .request
        decoder.decoderRemoved(context: context)
        decoder = Self.fresh()
        decoder.decoderAdded(context: context)
        return buffer.readableBytes > 0 ? .continue : .needMoreData
    }

    func decodeLast(context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool) throws -> DecodingState {
        while buffer.readableBytes > 0, try decode(context: context, buffer: &buffer) == .continue {}
        guard let outlet else { return .needMoreData }
        return try decoder.decodeLast(context: outlet, buffer: &buffer, seenEOF: seenEOF)
    }

    // Not every field named `Upgrade` stops NIO's decoder. One that has gone on may have begun the next request, and only within one is
    // an end of all bytes an error. Asking changes nothing.
    private func isBetweenRequests(_ outlet: ChannelHandlerContext) -> Bool {
        var nothing = ByteBuffer()
        do {
            _ = try decoder.decodeLast(context: outlet, buffer: &nothing, seenEOF: true)
            return true
        } catch {
            return false
        }
    }

    private static func fresh() -> HTTPRequestDecoder {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = maximumFieldBytes
        limits.maxHeaderListSize = maximumHeadBytes
        limits.maxHeaderFieldCount = maximumFields
        return HTTPRequestDecoder(limitConfiguration: limits)
    }
}
