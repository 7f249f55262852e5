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

/// Seals the secrets of a flow, its answer, and what that proved, so that none of them opens as another (threat case JWT-18).
///
/// A proof has a kind of its own. Secrets and answer share one, because nodes of the version before open both while they are replaced. Their
/// first byte tells them apart: secrets are a JSON object, and an answer begins as none does.
struct FlowSealer: Sendable {
    let sealer: TokenSealer

    /// Whether a form may be kept as an answer. Fields of forms have names, and no provider's begins with a brace, a space or a byte that is
    /// not ASCII, as JSON may in one of its encodings.
    static func mayBeAnswer(_ form: String) -> Bool {
        guard let first = form.utf8.first else { return false }
        return (0x21...0x7E).contains(first) && first != UInt8(ascii: "{")
    }

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
        try sealer.seal(proof, for: .flowProof, scope: scope, expiresAt: expiresAt)
    }

    func proof(_ sealed: String, scope: Scope) throws -> Data {
        try sealer.open(sealed, for: .flowProof, scope: scope)
    }

    func secrets(of flow: AuthorizationFlowRecord) throws -> FlowSecrets {
        let data = try sealer.open(flow.secrets, for: .authorizationFlow, scope: flow.scope)
        guard data.first == UInt8(ascii: "{") else { throw TokenSealer.CannotOpen() }
        return try JSONDecoder().decode(FlowSecrets.self, from: data)
    }

    func answer(of flow: AuthorizationFlowRecord) throws -> String? {
        try flow.answer.map { sealed in
            let form = String(decoding: try sealer.open(sealed, for: .authorizationFlow, scope: flow.scope), as: UTF8.self)
            guard Self.mayBeAnswer(form) else { throw TokenSealer.CannotOpen() }
            return form
        }
    }
}
