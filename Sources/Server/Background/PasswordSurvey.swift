import Accounts
import Logging
import Project
import ServiceLifecycle

/// The background work that finds out what the store's passwords cost to check: at the start, and once a day.
struct PasswordSurvey: Service {
    let core: Core

    private static let interval = Duration.seconds(86_400)
    // A walk over a million accounts takes some seconds of one processor. It pauses so that it takes a minute and requests go
    // first.
    private static let pause = Duration.milliseconds(20)

    func run() async throws {
        let works = PasswordWorks(database: core.database, environment: core.environment, hasher: core.assembly.hasher)
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            do {
                let found = try await works.survey {
                    try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.pause) }
                    return !Task.isShuttingDownGracefully && !Task.isCancelled
                }
                if found?.isTooMuch == true {
                    core.logger.warning(
                        "some stored passwords cost more than a wrong one: until they are hashed again, response times may reveal their accounts"
                    )
                }
            } catch {
                core.logger.failure("passwords not surveyed", error)
            }
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.interval) }
        }
    }
}

// The service group logs services by this text. The default would print all members, including secrets (threat case OPS-04).
extension PasswordSurvey: CustomStringConvertible {
    var description: String { "PasswordSurvey" }
}
