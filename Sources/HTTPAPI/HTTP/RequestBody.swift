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
    static func json(_ request: Request, limit: Int, _ context: PosternContext) async throws -> JSONObject {
        try json(try await whole(request, limit: limit, context))
    }

    /// Collects a body that is announced as form pairs; one that begins as an object is JSON all the same, because `curl -d` announces
    /// everything so.
    ///
    /// - Throws: ``TransportError`` for a body that is too large, malformed, or has a name twice.
    static func formOrJSON(_ request: Request, limit: Int, _ context: PosternContext) async throws -> JSONObject {
        let bytes = try await whole(request, limit: limit, context)
        let first = bytes.readableBytesView.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return first == UInt8(ascii: "{") ? try json(bytes) : try form(bytes)
    }

    /// Collects a body of form pairs (`application/x-www-form-urlencoded`) as members with text values.
    ///
    /// - Throws: ``TransportError`` for a body that is too large, malformed, or has a name twice.
    static func form(_ request: Request, limit: Int, _ context: PosternContext) async throws -> JSONObject {
        try form(try await whole(request, limit: limit, context))
    }

    private static func json(_ bytes: ByteBuffer) throws -> JSONObject {
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

    private static func form(_ bytes: ByteBuffer) throws -> JSONObject {
        guard let pairs = FormEncoding.wholePairs(String(buffer: bytes)[...].utf8) else { throw TransportError.ambiguousForm }
        let members = JSONObject(naming: pairs.map { ($0.name, .string($0.value)) })
        guard members.count == pairs.count else { throw TransportError.ambiguousForm }
        return members
    }

    /// Collects a body as text.
    ///
    /// - Throws: ``TransportError`` for a body that is too large or compressed.
    static func text(_ request: Request, limit: Int) async throws -> String {
        String(buffer: try await collect(request, limit: limit))
    }

    /// The pairs of the query as members with text values; a GET has them in place of a body.
    static func query(_ request: Request) -> JSONObject {
        JSONObject(naming: queryPairs(request).map { ($0.name, .string($0.value)) })
    }

    /// The pairs of the query in their order, repeated names included.
    static func queryPairs(_ request: Request) -> [(name: String, value: String)] {
        FormEncoding.pairs((request.uri.query ?? "")[...].utf8)
    }

    /// Reads a body and ignores it.
    static func discard(_ request: Request, limit: Int) async throws { _ = try await raw(request, limit: limit) }

    /// Collects a body that nothing but browsers and providers send, and they compress none.
    ///
    /// - Throws: ``TransportError`` for a body that is announced as too large, that is compressed or that breaks off, and for a
    ///   refusal by the connection; `NIOTooManyBytesError` for one that turns out to be too large.
    package static func collect(_ request: Request, limit: Int) async throws -> ByteBuffer {
        guard (try? coding(of: request)) == .identity else { throw TransportError.compressedForm }
        return try await raw(request, limit: limit)
    }

    // Collects a body and inflates it if it is compressed. What it inflates to is bounded and charged while it is inflated.
    private static func whole(_ request: Request, limit: Int, _ context: PosternContext) async throws -> ByteBuffer {
        switch try coding(of: request) {
        case .identity: try await raw(request, limit: limit)
        case .gzip: try await inflated(try await raw(request, limit: limit), limit: limit, context)
        }
    }

    private enum Coding {
        case identity
        case gzip
    }

    // RFC 9110 §8.4. One coding only, because each further one could multiply the size again.
    private static func coding(of request: Request) throws -> Coding {
        switch request.headers[values: .contentEncoding].map({ $0.lowercased() }) {
        case [], [""], ["identity"]: .identity
        case ["gzip"], ["x-gzip"]: .gzip
        default: throw TransportError.unknownCoding
        }
    }

    // How much is inflated before it is charged.
    private static let pieceBytes = 16 * 1024

    private static func inflated(_ bytes: ByteBuffer, limit: Int, _ context: PosternContext) async throws -> ByteBuffer {
        var input = ArraySlice(bytes.readableBytesView)
        var whole = ByteBuffer()
        do {
            let inflater = try GzipInflater()
            while true {
                let piece = try inflater.inflate(&input, atMost: pieceBytes)
                guard whole.readableBytes + piece.count <= limit else { throw TransportError.bodyTooLarge }
                try await context.charge(inflated: piece.count)
                whole.writeBytes(piece)
                if piece.count < pieceBytes { break }
            }
            guard inflater.isComplete else { throw TransportError.malformedGzip }
        } catch is GzipInflater.Malformed {
            throw TransportError.malformedGzip
        }
        return whole
    }

    private static func raw(_ request: Request, limit: Int) async throws -> ByteBuffer {
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
