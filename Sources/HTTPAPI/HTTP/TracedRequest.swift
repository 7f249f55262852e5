import HTTPTypes
import Hummingbird
import Project
import Tracing

extension RequestTracing {
    // `traceparent` has 55 characters (W3C Trace Context §3.2); those of later versions may have more.
    private static let maximumHeaderBytes = 512

    /// Answers a request, in a span of its own when the tracer records it.
    ///
    /// - Parameters:
    ///   - request: The request. Only its method and the trace that it belongs to are read.
    ///   - call: What else goes with the call.
    func trace(
        _ request: Request,
        in call: ServiceContext,
        from peer: String?,
        _ answer: ((any Span)?) async throws -> Response
    ) async throws -> Response {
        var caller = call
        if request.headers[.traceparent] != nil {
            caller.isFromStranger = !believes(peer)
            tracer.extract(request.headers, into: &caller, using: TraceHeaders(maximumBytes: Self.maximumHeaderBytes))
        }
        let span = tracer.startSpan(request.method.known, context: caller, ofKind: .server)
        var context = span.context
        guard span.isRecording else { return try await ServiceContext.withValue(context) { try await answer(nil) } }
        defer { span.end() }
        context.recordedRequest = RecordedRequest(tracer: tracer, span: span)
        do {
            return try await ServiceContext.withValue(context) { try await answer(span) }
        } catch {
            span.fail(error)
            throw error
        }
    }
}

/// Reads the headers of W3C Trace Context.
private struct TraceHeaders: Extractor {
    let maximumBytes: Int

    func extract(key: String, from headers: HTTPFields) -> String? {
        guard let name = HTTPField.Name(key), let value = headers[name], value.utf8.count <= maximumBytes else { return nil }
        return value
    }
}

extension Span {
    /// Writes what is known of a request once it is answered (OpenTelemetry's conventions for HTTP servers).
    func describe(_ method: HTTPRequest.Method, route: String?, status: HTTPResponse.Status) {
        if let route { operationName = "\(method.known) \(route)" }
        updateAttributes { attributes in
            attributes["http.request.method"] = method.known
            attributes["http.response.status_code"] = status.code
            attributes["http.route"] = route
        }
        guard status.kind == .serverError else { return }
        attributes["error.type"] = String(status.code)
        setStatus(SpanStatus(code: .error))
    }
}

extension HTTPRequest.Method {
    private static let names: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

    /// The method's name, or what OpenTelemetry's conventions have for every other word.
    var known: String { Self.names.contains(rawValue) ? rawValue : "_OTHER" }
}
