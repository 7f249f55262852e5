import HTTPTypes
import Hummingbird
import NIOCore
import Project

/// Makes JSON responses.
enum JSONAnswer {
    /// The default headers of an answer.
    static let fields: HTTPFields = [
        .contentType: "application/json; charset=utf-8", .cacheControl: "no-cache, no-store, max-age=0, must-revalidate",
    ]

    /// Encodes a body.
    ///
    /// - Parameters:
    ///   - body: The body; absent members are left out.
    ///   - headers: Further headers; `Cache-Control` among them replaces the default, which forbids caching.
    static func response(
        _ body: some Encodable,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) throws -> Response {
        let bytes = try AnswerEncoder.encode(body)
        var fields = fields
        for field in headers { fields[field.name] = field.value }
        return Response(status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
