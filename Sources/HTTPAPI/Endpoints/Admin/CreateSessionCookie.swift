import Accounts
import Project

/// `projects.createSessionCookie` (`Docs/Contract/admin-accounts.md` §15).
struct CreateSessionCookie: Endpoint {
    static let summary = "Exchanges an ID token for a session cookie."
    static let route = Route(access: .apiKeyOrAdmin(.changeUsers), projectMethod: "createSessionCookie")

    let cookies: SessionCookies
    let mode: ModeRules

    struct Body: ProtoDecodable {
        let idToken: String?
        /// `nil` when absent; an error for a value that is not an integer.
        let seconds: Result<Int64?, any Error>
        /// The value as the emulator reads it: not a number counts as absent, and a fraction is outside the limits.
        let lenientSeconds: Int64

        init(_ body: ProtoObject) throws {
            idToken = try body.text("idToken")
            lenientSeconds =
                switch try body.scalar("validDuration") {
                case .integer(let number): number
                case .string(let text): Int64(text) ?? 0
                case .number: -1
                default: 0
                }
            seconds = Result { try body.integer("validDuration") }
        }
    }

    struct Answer: Codable {
        let sessionCookie: String
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        let seconds = mode.checksFormOfCookieDuration ? try body.seconds.get() ?? 0 : body.lenientSeconds
        let idToken = try require(body.idToken, .missingIDToken)
        return Answer(sessionCookie: try await cookies.create(idToken: idToken, seconds: seconds, context: context))
    }
}
