import Foundation
import Project
import Testing

@Suite("What other servers spell in their own way")
struct OutsideSpellingTests {
    @Test("is read in plain base64 and with the padding of one group, and no text more than before in any other way")
    func base64() {
        let bytes: [[UInt8]] = [[], [0xFB], [0xFB, 0xFF], [0xFB, 0xFF, 0xFE], Array(0...255)]
        for bytes in bytes {
            let plain = Data(bytes).base64EncodedString()
            #expect(Base64URL.decode(Base64URL.respelled(plain).utf8) == bytes)
            #expect(Base64URL.decode(Base64URL.respelled(Base64URL.encode(bytes)).utf8) == bytes)
        }
        for text in ["AA===", "A===", "=", "====", "A=A=", "AB", "AA A"] {
            #expect(Base64URL.decode(Base64URL.respelled(text).utf8) == nil, "\(text)")
        }
    }

    @Test("is JSON with one byte order mark ahead of it, or without")
    func byteOrderMark() throws {
        func parsed(_ body: [UInt8]) -> JSONValue? { try? OutboundHTTP.Response(status: 200, headers: [], body: body).json() }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        #expect(parsed(Array("{}".utf8)) == [:])
        #expect(parsed(mark + Array("{}".utf8)) == [:])
        #expect(parsed(mark + mark + Array("{}".utf8)) == nil)
        #expect(parsed(mark) == nil)
        #expect(parsed([]) == nil)
    }

    @Test("is not told apart by a caller that has hung up: finished work is done, and knows that nobody waits")
    func finishedWork() async throws {
        let (started, begun) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await FinishedWork.run {
                begun.finish()
                while !FinishedWork.isAbandoned { try await Task.sleep(for: .milliseconds(1)) }
                return Task.isCancelled
            }
        }
        for await _ in started {}
        task.cancel()
        #expect(try await !task.value)
        #expect(try await !FinishedWork.run { FinishedWork.isAbandoned })
        #expect(!FinishedWork.isAbandoned)
    }
}
