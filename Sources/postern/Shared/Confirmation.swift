import ArgumentParser
import Foundation
import Project

/// Asks before something that cannot be undone.
struct Confirmation: ParsableArguments {
    @Flag(help: "Do not ask. Scripts need it, for nobody answers there.") var yes = false

    /// Makes sure that somebody can be asked, before the command does any work.
    func requireWayToAsk() throws {
        guard yes || isatty(STDIN_FILENO) == 1 else {
            throw CommandFailure("this cannot be undone, and there is no terminal to ask at: --yes confirms it")
        }
    }

    /// Asks at the terminal, unless `--yes` answers.
    ///
    /// - Parameter question: What is to be done, without a question mark.
    func ask(_ question: String) throws {
        if yes { return }
        StandardStream.error.write("\(question)? This cannot be undone. [y/N] ")
        guard let answer = readLine(), ["y", "yes"].contains(answer.lowercased()) else {
            throw CommandFailure("nothing was done")
        }
    }
}
