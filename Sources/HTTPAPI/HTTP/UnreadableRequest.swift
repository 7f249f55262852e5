import Foundation
package import HTTPTypes
package import NIOCore
package import Project

/// The answer to requests that no route receives, such as bytes that the HTTP parser cannot read. Its envelope is that of all
/// other errors (`Docs/Contract/conventions.md` §4).
package struct UnreadableRequest: Sendable {
    package let head: HTTPResponse
    package let body: ByteBuffer

    /// Makes the answer with a status.
    package init(_ status: HTTPResponse.Status, mode: ServerMode) throws {
        try self.init(TransportError(status, "INVALID_ARGUMENT", status.reasonPhrase, reason: "badRequest"), mode: mode)
    }

    /// Makes the answer with an error.
    package init(_ error: TransportError, mode: ServerMode) throws {
        let data = try AnswerEncoder.encode(ErrorEnvelope.render(error).envelope)
        var fields = JSONAnswer.fields
        for field in error.headers { fields[field.name] = field.value }
        fields[.contentLength] = String(data.count)
        fields[.connection] = "close"
        fields[.posternMode] = mode.rules.nameInAnswers
        head = HTTPResponse(status: error.status, headerFields: fields)
        body = ByteBuffer(bytes: data)
    }
}
