import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Makes JSON responses.
enum JSONAnswer {
    /// The default headers of an answer.
    static let fields: HTTPFields = [
        .contentType: "application/json; charset=utf-8", .cacheControl: "no-cache, no-store, max-age=0, must-revalidate",
    ]

    /// Encodes a body. Absent members are left out.
    ///
    /// - Throws: When it cannot be encoded.
    static func encode(_ body: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return try encoder.encode(body)
    }

    /// Makes a response.
    ///
    /// - Parameters:
    ///   - body: The body; absent members are left out.
    ///   - status: The HTTP status.
    ///   - headers: Further headers; `Cache-Control` among them replaces the default, which forbids caching.
    /// - Returns: The response.
    /// - Throws: When the body cannot be encoded.
    static func response(
        _ body: some Encodable,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) throws -> Response {
        let data = try encode(body)
        var fields = fields
        for field in headers { fields[field.name] = field.value }
        return Response(status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
    }
}
