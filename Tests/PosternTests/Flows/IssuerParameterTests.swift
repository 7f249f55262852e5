import Project
import TestKit
import Testing

@Suite("The issuer parameter of answers", .teardown, .timeLimit(.minutes(15)))
struct IssuerParameterTests {
    @Test(
        "is the provider's, wherever its name is known (OAU-03)",
        arguments: [
            ("google.com", "google"), ("apple.com", "apple"), ("github.com", "github/login/oauth"),
            ("facebook.com", "facebook-web"), ("yahoo.com", "yahoo"), ("linkedin.com", "linkedin"),
        ]
    )
    func issuerParameters(providerID: String, issuer: String) async throws {
        let server = try await FlowServer.start()
        let provider = try #require(FlowProvider.all.first { $0.providerID == providerID })
        provider.enter(server)
        for wrong in [server.provider.issuer("evil"), server.provider.issuer(issuer) + "/"] {
            server.provider.authorization.setAnswerParameters(provider.beside + [("iss", wrong)])
            let answer = try await server.signInByFlow(providerID)
            expectRefused(answer, "INVALID_IDP_RESPONSE : The answer comes from another identity provider (iss).")
        }
        server.provider.authorization.setAnswerParameters(provider.beside + [("iss", server.provider.issuer(issuer))])
        _ = try server.session(try await server.signInByFlow(providerID))
    }
}
