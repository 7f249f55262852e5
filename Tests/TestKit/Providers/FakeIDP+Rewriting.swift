import HTTPTypes
import Hummingbird
import NIOCore
import Project

extension FakeIDP {
    /// An answer as the rewriting of its path makes it.
    func rewritten(_ response: Response, of path: String) async throws -> Response {
        guard let rewriting = rewriting(of: path) else { return response }
        let body = CollectedBody()
        try await response.body.write(body)
        let headers = response.headers.filter { $0.name != .contentLength }.map { (name: $0.name.rawName, value: $0.value) }
        let answer = try rewriting(.init(status: Int(response.status.code), headers: headers, body: body.bytes))
        var fields = HTTPFields()
        for (name, value) in answer.headers {
            if let name = HTTPField.Name(name) { fields.append(.init(name: name, value: value)) }
        }
        return Response(
            status: .init(code: answer.status),
            headers: fields,
            body: .init(byteBuffer: ByteBuffer(bytes: answer.body))
        )
    }
}

private struct CollectedBody: ResponseBodyWriter {
    private let buffer = LockedState(ByteBuffer())

    var bytes: [UInt8] { buffer.withLock { Array($0.readableBytesView) } }

    func write(_ part: ByteBuffer) async throws {
        buffer.withLock { _ = $0.writeImmutableBuffer(part) }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
