import Accounts
import HTTPTypes
import Project

/// `projects.createSessionCookie` (`contract/admin-accounts.md` §15).
struct CreateSessionCookie: Endpoint {
    static let summary = "Exchanges an ID token for a session cookie."
    static let route = Route(method: .post, host: .identityToolkit, projectMethod: "createSessionCookie")

    let cookies: SessionCookies

    struct Body: ProtoDecodable {
        let idToken: String?
        let seconds: Int64

        init(_ body: ProtoObject) throws {
            idToken = try body.text("idToken")
            // What is no number counts as absent; a fraction is never within the limits of whole seconds.
            seconds =
                switch try body.scalar("validDuration") {
                case .integer(let number): number
                case .string(let text): Int64(text) ?? 0
                case .number: -1
                default: 0
                }
        }
    }

    struct Answer: Encodable {
        let sessionCookie: String
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        let idToken = try require(body.idToken, .missingIDToken)
        return Answer(sessionCookie: try await cookies.run(idToken: idToken, seconds: body.seconds, context: context))
    }
}
