import Federation
import Foundation
import Project
import Storage
import Tokens

/// The secrets that a flow needs for its completion. The store has them sealed.
struct FlowSecrets: Codable {
    var selection = AuthorizationSelection()
    /// The session id, when the server knows it; the web handler gives it to the app.
    var sessionID: String?
    /// The raw nonce; the provider saw its hash.
    var nonce: String?
    var codeVerifier: String?
    var requestToken: String?
    var requestTokenSecret: String?
    /// The id of the SAML request, which the response must answer.
    var samlRequestID: String?
    /// Where the SAML request asked for the response; servers of earlier versions leave it out.
    var samlConsumerURL: String?
    /// Whether the SAML request demanded that the user signs in anew.
    var samlDemandsNewSignIn: Bool?
    /// The SAML request as a form has it, when the browser posts it.
    var samlForm: String?
    /// The client's own `context`.
    var context: String?
}

/// Seals the secrets of a flow, its answer, and what that proved.
struct FlowSealer: Sendable {
    let sealer: TokenSealer

    /// - Throws: `InvalidArgument` for a client's `context` that is too long; when encryption fails.
    func seal(_ secrets: FlowSecrets, scope: Scope, expiresAt: Timestamp) throws -> String {
        let bytes = try JSONEncoder().encode(secrets)
        do {
            return try sealer.seal(bytes, for: .authorizationFlow, scope: scope, expiresAt: expiresAt)
        } catch is TokenSealer.TooLong {
            throw InvalidArgument("context is too long.")
        }
    }

    func seal(answer: String, of flow: AuthorizationFlowRecord) throws -> String {
        try sealer.seal(Data(answer.utf8), for: .authorizationFlow, scope: flow.scope, expiresAt: flow.expiresAt)
    }

    func seal(proof: Data, scope: Scope, expiresAt: Timestamp) throws -> String {
        try sealer.seal(proof, for: .authorizationFlow, scope: scope, expiresAt: expiresAt)
    }

    func proof(_ sealed: String, scope: Scope) throws -> Data {
        try sealer.open(sealed, for: .authorizationFlow, scope: scope)
    }

    func secrets(of flow: AuthorizationFlowRecord) throws -> FlowSecrets {
        let data = try sealer.open(flow.secrets, for: .authorizationFlow, scope: flow.scope)
        return try JSONDecoder().decode(FlowSecrets.self, from: data)
    }

    func answer(of flow: AuthorizationFlowRecord) throws -> String? {
        try flow.answer.map {
            String(decoding: try sealer.open($0, for: .authorizationFlow, scope: flow.scope), as: UTF8.self)
        }
    }
}
