import Accounts
import Federation
import Foundation
import Project

/// `accounts:signInWithIdp`: sign-in, linking and reauthentication with a provider's credential
/// (`Docs/Contract/client-accounts.md` §5).
struct SignInWithIdp: Endpoint {
    static let summary = "Signs in or links with the credential of an identity provider."
    static let route = Route(
        access: .apiKeyOrAdmin(.changeUsers),
        path: "v1/accounts:signInWithIdp",
        legacyName: "verifyAssertion"
    )

    let signIn: FederatedSignIn
    let mode: ModeRules

    struct Body: ProtoDecodable {
        /// Without what stands in the form.
        var request = FederatedSignIn.Request()
        let requestURI: String?
        let postBody: String?
        let returnRefreshToken: Bool
        let pendingIDToken: String?

        init(_ body: ProtoObject) throws {
            requestURI = try body.text("requestUri")
            postBody = try body.string("postBody")
            request.pendingToken = try body.text("pendingToken")
            request.idToken = try body.text("idToken")
            request.autoCreate = try body.bool("autoCreate") ?? true
            request.returnsCredential = try body.bool("returnIdpCredential") ?? false
            request.sessionID = try body.text("sessionId")
            returnRefreshToken = try body.bool("returnRefreshToken") ?? false
            pendingIDToken = try body.text("pendingIdToken")
            try body.ignore(texts: ["delegatedProjectNumber"], booleans: ["returnSecureToken"])
        }
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> SignInWithIdpAnswer {
        if mode.refusesWhatEmulatorLacks, body.returnRefreshToken || body.pendingIDToken != nil {
            let member = body.returnRefreshToken ? "returnRefreshToken" : "pendingIdToken"
            throw TransportError.lackedByEmulator(member)
        }
        let requestURI = try require(body.requestURI, .missingRequestURI)
        guard Self.isAbsolute(requestURI) else { throw APIError(.invalidRequestURI) }
        let form = CredentialForm(requestURI: requestURI, postBody: body.postBody)
        var request = body.request
        request.credential = form.credential
        request.description = Self.withoutParameters(requestURI)
        request.answer = AuthorizationAnswer(form)
        request.redirectURI = form["redirect_uri"]
        let result = try await complete(request, context: context)
        return SignInWithIdpAnswer(result, withRefreshToken: body.returnRefreshToken, mode)
    }

    private func complete(_ request: FederatedSignIn.Request, context: CallContext) async throws -> FederatedSignIn.Result {
        do {
            return try await signIn.signIn(request, context: context)
        } catch is DevelopmentCredential.Opaque {
            throw TransportError.notImplemented("Sign-in without an ID token at a provider that is not configured")
        }
    }

    private static func isAbsolute(_ text: String) -> Bool {
        guard text.utf8.count <= 1 << 16, let components = URLComponents(string: text) else { return false }
        return !(components.scheme ?? "").isEmpty && !(components.host ?? "").isEmpty
    }

    // The URL may have tokens in its query and fragment, which must not appear in an error text.
    private static func withoutParameters(_ text: String) -> String {
        String(text.prefix { $0 != "?" && $0 != "#" })
    }
}
