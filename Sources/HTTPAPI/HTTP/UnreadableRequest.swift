import Foundation
package import HTTPTypes
package import NIOCore
package import Project

/// The answer to bytes that the HTTP parser can make no request of: no route has seen them, and the envelope is that of every other
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
        let error = TransportError(status, "INVALID_ARGUMENT", status.reasonPhrase, reason: "badRequest")
        let data = try JSONAnswer.encode(ErrorEnvelope.render(error).envelope)
        var fields = JSONAnswer.fields
        fields[.contentLength] = String(data.count)
        fields[.connection] = "close"
        if mode == .development { fields[.posternMode] = mode.rawValue }
        head = HTTPResponse(status: status, headerFields: fields)
        body = ByteBuffer(bytes: data)
    }
}
