import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Reads the requests of an HTTP/1.1 connection, and keeps what it holds of them within the budget of bytes (threat case RES-03).
///
/// It is NIO's decoder, which goes on behind a request that asks for another protocol: a server may ignore that (RFC 9110 §7.8), and curl
/// and Java ask for HTTP/2 in their first request. NIO's decoder reads nothing behind such a request, so a new one takes over from it.
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
    private var framing = RequestFraming()
    private var unread: UnreadHead
    /// Whether the connection has been ended in favour of another.
    private(set) var isEndedForOthers = false

    init(_ connection: ConnectionGuard) { unread = UnreadHead(connection) }

    /// Whether a request of the connection was of HTTP/1.0.
    var isOld: Bool { framing.isOld }

    /// Whether a request of the connection is being worked on: meanwhile nothing of it is ended for others.
    var isServersTurn: Bool {
        get { unread.isServersTurn }
        set { unread.isServersTurn = newValue }
    }

    /// A part that has been read, in the form that knows no protocol; `nil` where it is not to be heeded.
    func part(_ part: HTTPServerRequestPart) throws -> HTTPRequestPart? {
        if framing.isOver {
            // What is thrown away is not held.
            _ = unread.wasRead(part)
            return nil
        }
        switch part {
        // What follows CONNECT, or a request that is the last of its connection, is never a request.
        case .head(let head):
            let goesOn = head.method != .CONNECT && head.isKeepAlive
            place = goesOn && head.headers.contains(name: "Upgrade") ? .upgrade : .request
        case .body: break
        case .end: if place == .upgrade { place = .behindUpgrade }
        }
        if !unread.wasRead(part) { isEndedForOthers = true }
        return try framing.part(part)
    }

    func decoderAdded(context: ChannelHandlerContext) { decoder.decoderAdded(context: context) }

    func decoderRemoved(context: ChannelHandlerContext) {
        decoder.decoderRemoved(context: context)
        unread.giveBack()
    }

    func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        unread.arrives(buffer.readableBytes)
        let state = try decoder.decode(context: context, buffer: &buffer)
        unread.isLeft(buffer.readableBytes)
        guard place == .behindUpgrade, isBetweenRequests(context) else { return settle(state, context) }
        place = .request
        decoder.decoderRemoved(context: context)
        decoder = Self.fresh()
        decoder.decoderAdded(context: context)
        return settle(buffer.readableBytes > 0 ? .continue : .needMoreData, context)
    }

    func decodeLast(context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool) throws -> DecodingState {
        while buffer.readableBytes > 0, try decode(context: context, buffer: &buffer) == .continue {}
        return try decoder.decodeLast(context: context, buffer: &buffer, seenEOF: seenEOF)
    }

    // Without room for what is held, the connection ends.
    private func settle(_ state: DecodingState, _ context: ChannelHandlerContext) -> DecodingState {
        if state == .needMoreData, !unread.settle() { context.close(promise: nil) }
        return state
    }

    // Not every field named `Upgrade` stops NIO's decoder. One that has gone on may have begun the next request, and only within one is
    // an end of all bytes an error. Asking changes nothing.
    private func isBetweenRequests(_ context: ChannelHandlerContext) -> Bool {
        var nothing = ByteBuffer()
        do {
            _ = try decoder.decodeLast(context: context, buffer: &nothing, seenEOF: true)
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
