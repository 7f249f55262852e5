package import Logging
import Project

/// Development mode's other projects (`contract/emulator-endpoints.md` §9): each is served, with a line in the log when it is first met,
/// because a client that names another project than its test finds no users there. In single project mode none is.
package final class OtherProjects: Sendable {
    private let projectID: String
    private let isSingle: Bool
    private let logger: Logger
    private let met = LockedState<Set<String>>([])

    // Later ones are served without a word.
    private static let maximumNoted = 100

    /// - Parameters:
    ///   - projectID: `project.id`.
    ///   - isSingle: `development.singleProject`.
    ///   - logger: Told of each project once.
    package init(projectID: String, isSingle: Bool, logger: Logger) {
        self.projectID = projectID
        self.isSingle = isSingle
        self.logger = logger
    }

    /// Meets a project that is not the server's own.
    ///
    /// - Throws: ``TransportError`` in single project mode.
    func meet(_ project: String) throws {
        guard !isSingle else {
            throw TransportError.invalidArgument(
                "Only project \(projectID) is served in single project mode, not \(project). See development.singleProject."
            )
        }
        let isNew = met.withLock { $0.count < Self.maximumNoted && $0.insert(project).inserted }
        if isNew {
            logger.notice(
                "a project besides the server's own is used",
                metadata: ["project": "\(project)", "own": "\(projectID)"]
            )
        }
    }
}
