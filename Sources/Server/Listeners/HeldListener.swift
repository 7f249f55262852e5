import HTTPAPI
import HTTPTypes
import Hummingbird
import Logging
import Project
import ServiceLifecycle

/// A listener whose socket is bound before the server writes anything. Until it is opened, it answers 503: another server that cannot
/// have the socket ends without having touched the store.
final class HeldListener: Service {
    /// The port that was bound.
    let port: Int
    private let host: String
    private let logger: Logger
    private let gate: Gate
    private let group: ServiceGroup
    private let task: Task<Void, any Error>
    private let opening = LockedState<(@Sendable () -> Void)?>(nil)

    /// Answers 503 until there is a door behind it.
    private final class Gate: HTTPResponder {
        typealias Context = PosternContext

        private let door = LockedState<FrontDoor?>(nil)
        private let shut: UnreadableRequest

        init(shut: UnreadableRequest) { self.shut = shut }

        var isOpen: Bool { door.withLock { $0 != nil } }

        func open(_ door: FrontDoor) { self.door.withLock { $0 = door } }

        func respond(to request: Request, context: PosternContext) async throws -> Response {
            if let door = door.withLock({ $0 }) { return try await door.respond(to: request, context: context) }
            return Response(
                status: shut.head.status,
                headers: shut.head.headerFields,
                body: ResponseBody(byteBuffer: shut.body)
            ).matching(request.method)
        }
    }

    private init(host: String, port: Int, gate: Gate, group: ServiceGroup, task: Task<Void, any Error>, logger: Logger) {
        self.host = host
        self.port = port
        self.logger = logger
        self.gate = gate
        self.group = group
        self.task = task
    }

    /// Binds a socket.
    ///
    /// - Returns: It answers 503 until it is prepared.
    static func bind(_ socket: ListenerSocket, mode: ServerMode, logger: Logger) async throws -> HeldListener {
        let gate = Gate(shut: try UnreadableRequest(.noRoom, mode: mode))
        let (ports, bound) = AsyncStream.makeStream(of: Int.self)
        // What says that the server listens waits until it serves: those who read the log begin then.
        var quiet = logger
        quiet.handler = HeldLog(logger.handler) { gate.isOpen }
        var held = socket
        held.logger = quiet
        let service = try held.service(gate) { bound.yield($0) }
        let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: [service], logger: logger))
        let task = Task {
            defer { bound.finish() }
            try await group.run()
        }
        guard let port = await ports.first(where: { _ in true }) else {
            try await task.value
            throw CancellationError()
        }
        return HeldListener(host: socket.host, port: port, gate: gate, group: group, task: task, logger: logger)
    }

    /// Says what answers once the start is complete.
    func prepare(_ door: FrontDoor, announce: @escaping @Sendable () -> Void) {
        opening.withLock { opening in
            opening = { [gate, logger, host, port] in
                gate.open(door)
                logger.info("Server started and listening on \(host):\(port)")
                announce()
            }
        }
    }

    /// Lets requests in, until the server is asked to stop and the requests in flight have ended.
    func run() async throws {
        opening.withLock { $0 }?()
        try await withTaskCancellationHandler {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { [group] in
                    try await gracefulShutdown()
                    await group.triggerGracefulShutdown()
                }
                tasks.addTask { [task] in try await task.value }
                // The listener's own end, or its fault, comes through the second task.
                _ = try await tasks.next()
                await group.triggerGracefulShutdown()
                tasks.cancelAll()
                try await task.value
            }
        } onCancel: {
            task.cancel()
        }
    }

    /// Gives the socket back when the server does not start.
    func close() async {
        await group.triggerGracefulShutdown()
        _ = await task.result
    }
}

/// Leaves out what a listener that is still shut tells at `info`: that it listens. Its owner says so once it serves.
private struct HeldLog: LogWrapper {
    var base: any LogHandler
    private let isOpen: @Sendable () -> Bool

    init(_ base: any LogHandler, isOpen: @escaping @Sendable () -> Bool) {
        self.base = base
        self.isOpen = isOpen
    }

    func log(event: LogEvent) {
        if event.level > .info || isOpen() { base.log(event: event) }
    }
}
