import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Makes JSON responses.
enum JSONAnswer {
    private static let noStore = "no-cache, no-store, max-age=0, must-revalidate"

    /// Encodes a body.
    ///
    /// - Parameters:
    ///   - body: What to answer; absent members are left out.
    ///   - status: The HTTP status.
    ///   - headers: Further headers; `Cache-Control` among them replaces the default, which forbids caching.
    /// - Returns: The response.
    /// - Throws: When the body cannot be encoded.
    static func response(
        _ body: some Encodable,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let data = try encoder.encode(body)
        var fields: HTTPFields = [.contentType: "application/json; charset=utf-8", .cacheControl: noStore]
        for field in headers { fields[field.name] = field.value }
        return Response(status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
    }
}
