import HTTPAPI
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import Project

/// Gives the answer to a request that the parser refuses a body: the server beneath sends an empty 400.
final class UnreadableRequestResponder: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The answers, made once for all connections.
    struct Answers: Sendable {
        let malformed: UnreadableRequest
        let headersTooLarge: UnreadableRequest
        let unknownCoding: UnreadableRequest

        init(mode: ServerMode) throws {
            malformed = try UnreadableRequest(.badRequest, mode: mode)
            headersTooLarge = try UnreadableRequest(.requestHeaderFieldsTooLarge, mode: mode)
            unknownCoding = try UnreadableRequest(.unknownTransferCoding, mode: mode)
        }
    }

    private let answers: Answers
    private var answer: UnreadableRequest?
    // The parser's errors do not say which method a request has.
    private var isToHead = false

    init(_ answers: Answers) { self.answers = answers }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The first error counts: what follows it comes of bytes behind the request.
        if let error = error as? HTTPParserError, answer == nil {
            answer = error == .headerOverflow ? answers.headersTooLarge : answers.malformed
        }
        guard let error = error as? RequestFraming.UnknownCoding else { return context.fireErrorCaught(error) }
        (answer, isToHead) = (answers.unknownCoding, error.method == .HEAD)
        // The server beneath answers the parser's errors alone.
        context.fireErrorCaught(HTTPParserError.unknown)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard let answer, case .head(let head) = Self.unwrapOutboundIn(data), head.status == .badRequest,
            head.headerFields[.contentLength] == "0"
        else { return context.write(data, promise: promise) }
        guard !isToHead else { return context.write(Self.wrapOutboundOut(.head(answer.head)), promise: promise) }
        context.write(Self.wrapOutboundOut(.head(answer.head)), promise: nil)
        context.write(Self.wrapOutboundOut(.body(answer.body)), promise: promise)
    }
}
