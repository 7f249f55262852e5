import Foundation
import HTTPTypes
package import Hummingbird
package import NIOCore
import Project

/// Reads request bodies up to a size limit.
package enum RequestBody {
    private static let formType = "application/x-www-form-urlencoded"

    /// Whether a `Content-Type` says that a body has form pairs.
    static func isForm(_ type: String) -> Bool {
        let type = type.utf8.prefix(formType.utf8.count)
        return type.elementsEqual(formType.utf8) || String(decoding: type, as: UTF8.self).lowercased() == formType
    }

    /// Collects a JSON body; an empty one is an empty object.
    ///
    /// - Throws: ``TransportError`` for a body that is too large, malformed, or no object.
    static func json(_ request: Request, limit: Int) async throws -> JSONObject {
        let bytes = try await collect(request, limit: limit)
        guard bytes.readableBytes > 0 else { return [:] }
        let value: JSONValue
        do { value = try JSONValue.parse(bytes.readableBytesView) } catch JSONValue.ParseError.excessive {
            throw TransportError.excessiveJSON
        } catch {
            throw TransportError.malformedJSON
        }
        guard let members = value.object else { throw TransportError.wrongShape("", "must be object") }
        return members
    }

    /// Collects a body of form pairs (`application/x-www-form-urlencoded`) as members with text values.
    ///
    /// - Throws: ``TransportError`` for a body that is too large.
    static func form(_ request: Request, limit: Int) async throws -> JSONObject {
        members(try await text(request, limit: limit))
    }

    /// Collects a body as text.
    ///
    /// - Throws: ``TransportError`` for a body that is too large.
    static func text(_ request: Request, limit: Int) async throws -> String {
        String(buffer: try await collect(request, limit: limit))
    }

    /// The pairs of the query as members with text values; a GET has them in place of a body.
    static func query(_ request: Request) -> JSONObject { members(request.uri.query ?? "") }

    /// The pairs of the query in their order, repeated names included.
    static func queryPairs(_ request: Request) -> [(name: String, value: String)] {
        FormEncoding.pairs((request.uri.query ?? "")[...].utf8)
    }

    /// Reads a body and ignores it.
    ///
    /// - Throws: ``TransportError`` for a body that is too large.
    static func discard(_ request: Request, limit: Int) async throws { _ = try await collect(request, limit: limit) }

    private static func members(_ form: String) -> JSONObject {
        JSONObject(naming: FormEncoding.pairs(form[...].utf8).map { ($0.name, .string($0.value)) })
    }

    /// Collects a body.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - limit: How many bytes it may have.
    /// - Returns: The body.
    /// - Throws: ``TransportError`` for a body that is announced as too large or that breaks off, and for a refusal by the connection;
    ///   `NIOTooManyBytesError` for one that turns out to be too large.
    package static func collect(_ request: Request, limit: Int) async throws -> ByteBuffer {
        // A body with too large an announced length is refused before a byte is read.
        if let length = request.headers[.contentLength], (Int(length) ?? .max) > limit { throw TransportError.bodyTooLarge }
        do {
            return try await request.body.collect(upTo: limit)
        } catch let error as NIOTooManyBytesError {
            throw error
        } catch let error as TransportError {
            // This is a refusal by the connection.
            throw error
        } catch {
            // The framing is broken or the client has gone; neither is a failure of the server.
            throw TransportError.brokenBody
        }
    }
}
