import Logging
import Project

/// Development's other projects (`Docs/Contract/emulator-endpoints.md` §9). Each is served, and its first use is logged, because
/// a client that names another project than its test finds no users there. Single project mode refuses them.
final class OtherProjects: Sendable {
    private let projectID: String
    private let isSingle: Bool
    private let logger: Logger
    private let met = LockedState<Set<String>>([])

    // The most projects that are logged; further ones are served silently.
    private static let maximumNoted = 100

    init(projectID: String, isSingle: Bool, logger: Logger) {
        self.projectID = projectID
        self.isSingle = isSingle
        self.logger = logger
    }

    /// Admits another project than the server's own.
    func meet(_ project: String) throws {
        guard !isSingle else {
            throw TransportError.invalidArgument(
                "Only project \(projectID) is served in single project mode, not \(project). See development.singleProject."
            )
        }
        let isNew = met.withLock { $0.count < Self.maximumNoted && $0.insert(project).inserted }
        if isNew {
            logger.notice(
                "a client uses another project than the server's own",
                metadata: ["project": "\(project)", "own": "\(projectID)"]
            )
        }
    }
}
