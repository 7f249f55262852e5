import ArgumentParser
import Foundation
import Hummingbird
import Logging
import NIOCore
import TestKit

/// A Hummingbird route that reads a body, answers as many bytes as asked and does no other work.
struct Bare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Serve the bare route.", shouldDisplay: false)
    /// Its path.
    static let path = "/bare"

    @Option(help: "Bytes of an answer.") var bytes: Int

    func run() async throws {
        let answer = ByteBuffer(string: "{" + String(repeating: " ", count: max(0, bytes - 2)) + "}")
        let router = Router()
        router.get("/readyz") { _, _ in HTTPResponse.Status.ok }
        router.post("\(Self.path)") { request, _ in
            _ = try await request.body.collect(upTo: 1 << 20)
            return Response(
                status: .ok,
                headers: [.contentType: "application/json; charset=UTF-8"],
                body: .init(byteBuffer: answer)
            )
        }
        var logger = Logger(label: "bare")
        logger.logLevel = .error
        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                print("http://127.0.0.1:\(channel.localAddress?.port ?? 0)")
                fflush(nil)
            },
            logger: logger
        )
        try await application.runService()
    }

    /// Starts the route in its own process, with answers as long as those of a server to the same requests.
    static func start(
        like server: RunningServer,
        _ requests: Load.Requests,
        directory: String
    ) async throws -> (server: RunningServer, requests: Load.Requests) {
        let bytes = try await requests.answerBytes(of: server.base)
        let own = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path
        let process = try ServerProcess(["bare", "--bytes", String(bytes)], executable: own, directory: directory)
        let bare = RunningServer(process: process, base: try await process.waitUntilReady(), startTime: .zero)
        return (bare, Load.Requests(path: path, contentType: requests.contentType, bodies: requests.bodies))
    }
}
