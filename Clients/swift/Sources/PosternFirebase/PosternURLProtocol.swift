import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Takes the SDK's requests out of a session and has a `Load` carry them to Postern.
final class PosternURLProtocol: URLProtocol {
    private var load: Load?

    override class func canInit(with request: URLRequest) -> Bool {
        Route.current?.request(for: request) != nil
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest {
        request
    }

    override class func requestIsCacheEquivalent(_ a: URLRequest, to b: URLRequest) -> Bool {
        a == b
    }

    override func startLoading() {
        guard let request = Route.current?.request(for: request) else {
            client?.urlProtocol(self, didFailWithError: URLError(.unsupportedURL))
            return
        }
        // An upload task may keep its body to itself. The SDK makes none, and a request without its body would be another request.
        guard !(task is URLSessionUploadTask) || request.httpBody != nil || request.httpBodyStream != nil else {
            client?.urlProtocol(self, didFailWithError: URLError(.requestBodyStreamExhausted))
            return
        }
        let load = Load(for: self)
        self.load = load
        load.start(request)
    }

    override func stopLoading() {
        load?.stop()
        load = nil
    }
}
