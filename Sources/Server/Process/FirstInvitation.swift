import Accounts
import Console
import Foundation
import Logging
import Project
import Settings

/// Where the link goes that makes the first operator of the console, who owns everything: to the terminal, or into a file that nobody but
/// the server's user reads. Standard output that is no terminal ends in a log, which many read and which is kept.
struct FirstInvitation {
    private let core: Core
    private let isOnTerminal: Bool

    init(_ core: Core, isOnTerminal: Bool = isatty(STDOUT_FILENO) == 1) {
        self.core = core
        self.isOnTerminal = isOnTerminal
    }

    private var isPrinted: Bool { isOnTerminal || core.settings.mode.rules.logsInvitations }

    /// The file of the link, beside the database; `nil` where the database is no file.
    private var file: String? {
        guard case .sqlite(let path) = core.settings.database.location else { return nil }
        return path + ".invitation"
    }

    /// Makes the invitation where there is no operator and its link has somewhere to go. The file of an earlier start goes.
    func make() async throws -> String? {
        if let file { unlink(file) }
        let settings = core.settings
        guard settings.console.isEnabled, settings.server.admin != nil || settings.console.isPublic else { return nil }
        let useCases = core.useCases.console
        guard isPrinted || file != nil else {
            if try await useCases.directory.all().isEmpty { warn("the console has no operator yet") }
            return nil
        }
        do {
            return try await useCases.invitations.firstStart()
        } catch let error as OperatorError {
            warn("no invitation to the console was made", ["reason": "\(error.name)"])
            return nil
        }
    }

    /// Shows the link, now that it is known where browsers reach the console.
    func show(_ code: String?) {
        guard let code else { return }
        let link = ConsoleSite.invitationLink(code: code, url: core.consoleURL())
        guard !isPrinted else { return Banner.show(invitation: link) }
        guard let file else { return }
        do {
            try PrivateFile.create(file).write(contentsOf: Data("\(link)\n".utf8))
            core.logger.notice(
                "the console has no operator yet; a link that makes one, within 30 minutes, is in a file",
                metadata: ["file": "\(file)"]
            )
        } catch {
            warn("the invitation to the console could not be written", ["error": "\(error.plainText)"])
        }
    }

    // The command line invites the first operator as well.
    private func warn(_ text: Logger.Message, _ metadata: Logger.Metadata = [:]) {
        let way: Logger.Metadata = ["command": "postern console invite EMAIL --role owner"]
        core.logger.warning(text, metadata: metadata.merging(way) { $1 })
    }
}
