import ArgumentParser
import Foundation
import Hummingbird
import Logging
import NIOCore
import TestKit

/// The second bare limit: a Hummingbird route that reads JSON, answers JSON and does no other work.
struct Bare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Serve the bare route.", shouldDisplay: false)
    /// Its path.
    static let path = "/bare"

    func run() async throws {
        let router = Router()
        router.get("/readyz") { _, _ in HTTPResponse.Status.ok }
        router.post("\(Self.path)") { request, _ in
            _ = try await request.body.collect(upTo: 1 << 20)
            return Response(
                status: .ok,
                headers: [.contentType: "application/json; charset=UTF-8"],
                body: .init(byteBuffer: ByteBuffer(string: #"{"kind":"bare"}"#))
            )
        }
        var logger = Logger(label: "bare")
        logger.logLevel = .error
        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                Report.line("http://127.0.0.1:\(channel.localAddress?.port ?? 0)")
            },
            logger: logger
        )
        try await application.runService()
    }
}

/// The bare route in its own process.
struct BareServer {
    private let process: ServerProcess
    let base: String

    /// Starts it.
    static func start(directory: String) async throws -> BareServer {
        let process = try ServerProcess(["bare"], executable: "postern-bench", directory: directory)
        return BareServer(process: process, base: try await process.waitUntilReady())
    }

    /// Stops it.
    func stop() async { _ = await process.terminate() }
}
