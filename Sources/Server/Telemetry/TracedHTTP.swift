import Project
import Settings
import Tracing

extension OutboundHTTP {
    /// This way out with `traceparent` on each call, and a span for each one of a recorded request.
    func traced(by tracer: any Tracer) -> OutboundHTTP {
        OutboundHTTP { request, limits in
            var request = request
            let context = ServiceContext.current ?? .topLevel
            guard context.recordedRequest != nil else {
                tracer.inject(context, into: &request.headers, using: HeaderPairs())
                return try await self(request, limits: limits)
            }
            let span = tracer.startSpan(request.method, context: context, ofKind: .client)
            defer { span.end() }
            tracer.inject(span.context, into: &request.headers, using: HeaderPairs())
            span.attributes["http.request.method"] = request.method
            // The path may hold a token, so only the host is written.
            if let url = WebURL(request.url) { span.attributes["server.address"] = url.host }
            do {
                let response = try await self(request, limits: limits)
                span.attributes["http.response.status_code"] = response.status
                if response.status >= 400 {
                    span.attributes["error.type"] = String(response.status)
                    span.setStatus(SpanStatus(code: .error))
                }
                return response
            } catch {
                span.fail(error)
                throw error
            }
        }
    }
}

/// Writes headers.
private struct HeaderPairs: Injector {
    func inject(_ value: String, forKey key: String, into headers: inout [(name: String, value: String)]) {
        headers.append((key, value))
    }
}
