import Foundation
package import Project

/// Calls to an identity provider's own API. They are bounded like every outgoing call. Their errors contain neither the
/// provider's text nor the token.
package struct ProviderAPI: Sendable {
    private let http: OutboundHTTP

    package init(_ http: OutboundHTTP) { self.http = http }

    /// The provider answered with a status that is not a success.
    package struct Unexpected: Error, Equatable, Sendable {
        package let status: Int

        /// Whether the provider refused the request, and not merely failed to answer it for now.
        package var isRefusal: Bool { (400..<500).contains(status) && status != 408 && status != 429 }
    }

    /// How the call is authenticated.
    package enum Authorization: Sendable {
        /// Without a header.
        case none
        /// The user's access token (RFC 6750 §2.1).
        case bearer(String)
        /// Our client id and secret (RFC 7617).
        case basic(String, String)
        /// A complete value of the header.
        case header(String)

        fileprivate var value: String? {
            switch self {
            case .none: nil
            case .bearer(let token): "Bearer \(token)"
            case .basic(let user, let password): "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
            case .header(let value): value
            }
        }
    }

    /// Gets a JSON document.
    ///
    /// - Parameter query: Parameters. They are encoded here.
    package func get(
        _ url: String,
        query: [(name: String, value: String)] = [],
        authorization: Authorization = .none
    ) async throws -> JSONValue {
        let separator = url.contains("?") ? "&" : "?"
        let target = query.isEmpty ? url : url + separator + PercentEncoding.form(query)
        return try Self.json(await answer(.init(url: target), authorization))
    }

    /// What an endpoint answered that may sign its answers.
    package enum Document: Sendable {
        case json(JSONValue)
        /// A token that nobody has verified yet (`application/jwt`).
        case token(String)
    }

    /// Gets a JSON document, or a token in its place.
    package func document(at url: String, authorization: Authorization) async throws -> Document {
        let answer = try await answer(.init(url: url), authorization, accepting: "application/json, application/jwt;q=0.9")
        let type = answer.header("Content-Type")?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
        guard type == "application/jwt" else { return .json(try Self.json(answer)) }
        return .token(String(decoding: answer.body, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    }

    package func post(
        _ url: String,
        form: [(name: String, value: String)],
        authorization: Authorization = .none
    ) async throws -> JSONValue {
        let type = "application/x-www-form-urlencoded"
        let body = Array(PercentEncoding.form(form).utf8)
        let request = OutboundHTTP.Request(method: "POST", url: url, headers: [("Content-Type", type)], body: body)
        return try Self.json(await answer(request, authorization))
    }

    package func post(_ url: String, json: JSONValue, authorization: Authorization = .none) async throws -> JSONValue {
        let headers = [(name: "Content-Type", value: "application/json")]
        let request = OutboundHTTP.Request(method: "POST", url: url, headers: headers, body: Array(json.serialized()))
        return try Self.json(await answer(request, authorization))
    }

    private static func json(_ answer: OutboundHTTP.Response) throws -> JSONValue {
        guard let document = try? answer.json() else { throw ProviderError.malformedAnswer }
        return document
    }

    private func answer(
        _ request: OutboundHTTP.Request,
        _ authorization: Authorization,
        accepting types: String = "application/json"
    ) async throws -> OutboundHTTP.Response {
        var request = request
        // GitHub requires a `User-Agent`.
        request.headers += [("Accept", types), ("User-Agent", "Postern")]
        if let value = authorization.value { request.headers.append(("Authorization", value)) }
        let answer: OutboundHTTP.Response
        do {
            answer = try await http(request)
        } catch {
            throw ProviderError(.profile, "The identity provider could not be asked.", cause: error)
        }
        guard (200..<300).contains(answer.status) else {
            let unexpected = Unexpected(status: answer.status)
            let verb = unexpected.isRefusal ? "refused the credential" : "could not be asked"
            throw ProviderError(.profile, "The identity provider \(verb).", cause: unexpected)
        }
        return answer
    }
}

extension ProviderError {
    /// Whether the provider refused the request, and not merely failed to answer it for now.
    var isRefusal: Bool { (cause as? ProviderAPI.Unexpected)?.isRefusal ?? false }

    /// The provider's answer lacks a required member.
    static let malformedAnswer = ProviderError(.profile, "The identity provider's answer is not what it should be.")
    /// The token is valid, but for another client (threat case OAU-07).
    static let foreignToken = ProviderError(.claims, "The access token is for another client.")
    /// Two answers about one token name different users (threat case OID-16).
    static let otherUser = ProviderError(.claims, "The identity provider's answers are about different users.")
    /// Without a client secret, our access tokens cannot be told from those of other apps.
    static let noSecret = ProviderError(.claims, "The identity provider configuration has no client id or no client secret.")
}

extension IdPConfig {
    /// Our registration at the provider. Checks of access tokens need it.
    ///
    /// - Throws: ``ProviderError`` when client id or secret is missing: no token is accepted unchecked (threat case OID-02).
    func requireClient() throws -> (id: String, secret: String) {
        guard let clientID, let clientSecret else { throw ProviderError.noSecret }
        return (clientID, clientSecret)
    }
}
