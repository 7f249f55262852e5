import Foundation
package import HTTPTypes
package import NIOCore
package import Project

/// The answer to what no route sees, bytes that the HTTP parser can make no request of for one: the envelope is that of every other
/// error (`contract/conventions.md` §4).
package struct UnreadableRequest: Sendable {
    package let head: HTTPResponse
    package let body: ByteBuffer

    /// Makes the answer.
    ///
    /// - Parameters:
    ///   - status: What it is refused with.
    ///   - mode: Development marks its answers.
    /// - Throws: When the envelope cannot be encoded.
    package init(_ status: HTTPResponse.Status, mode: ServerMode) throws {
        try self.init(TransportError(status, "INVALID_ARGUMENT", status.reasonPhrase, reason: "badRequest"), mode: mode)
    }

    /// Makes the answer to a request that no route is to see.
    ///
    /// - Parameters:
    ///   - error: What it is refused with.
    ///   - mode: Development marks its answers.
    /// - Throws: When the envelope cannot be encoded.
    package init(_ error: TransportError, mode: ServerMode) throws {
        let data = try AnswerEncoder.encode(ErrorEnvelope.render(error).envelope)
        var fields = JSONAnswer.fields
        for field in error.headers { fields[field.name] = field.value }
        fields[.contentLength] = String(data.count)
        fields[.connection] = "close"
        if mode == .development { fields[.posternMode] = mode.rawValue }
        head = HTTPResponse(status: error.status, headerFields: fields)
        body = ByteBuffer(bytes: data)
    }
}
