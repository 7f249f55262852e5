// Verifies Postern's ID tokens with jwt-kit and async-http-client.
import AsyncHTTPClient
import Foundation
import JWTKit

/// The claims of an ID token that a back end needs.
struct IDTokenClaims: JWTPayload {
    struct Firebase: Codable {
        var tenant: String?
    }

    var iss: IssuerClaim
    // One text: a list of audiences does not decode.
    var aud: String
    var sub: SubjectClaim
    var iat: IssuedAtClaim
    var exp: ExpirationClaim
    var authTime: Date
    var email: String?
    var firebase: Firebase

    enum CodingKeys: String, CodingKey {
        case iss, aud, sub, iat, exp, email, firebase
        case authTime = "auth_time"
    }

    func verify(using algorithm: some JWTAlgorithm) throws {
        try exp.verifyNotExpired()
        guard iat.value <= Date(), authTime <= Date(), (1...128).contains(sub.value.utf8.count) else {
            throw JWTError.claimVerificationFailure(failedClaim: iat, reason: "not a user of now")
        }
    }
}

/// Knows the keys of one issuer.
actor Verifier {
    private let issuer, audience, jwksURL: String
    private var keys = JWTKeyCollection()
    private var known: Set<String> = []
    private var fetched: ContinuousClock.Instant?

    init(issuer: String, audience: String, jwksURL: String) {
        (self.issuer, self.audience, self.jwksURL) = (issuer, audience, jwksURL)
    }

    /// Returns the claims. Throws for a token that is not a user's ID token of this project.
    func verify(_ token: String) async throws -> IDTokenClaims {
        guard token.utf8.count <= 16384 else { throw JWTError.malformedToken(reason: "too long") }
        let parser = DefaultJWTParser()
        let header = try parser.parse(Array(token.utf8), as: IDTokenClaims.self).header
        guard header.alg == "RS256", header.typ ?? "JWT" == "JWT", header.fields["crit"] == nil, let kid = header.kid else {
            throw JWTError.malformedToken(reason: "wrong header")
        }
        try await fetchKeys(for: kid)
        guard known.contains(kid) else { throw JWTError.unknownKID(JWKIdentifier(string: kid)) }
        let claims = try await keys.verify(token, as: IDTokenClaims.self)
        guard claims.iss.value == issuer, claims.aud == audience else {
            throw JWTError.claimVerificationFailure(failedClaim: claims.iss, reason: "not for us")
        }
        // A project without tenants refuses those of a tenant; one with tenants compares the tenant's id.
        guard claims.firebase.tenant == nil else {
            throw JWTError.claimVerificationFailure(failedClaim: claims.sub, reason: "a tenant's user")
        }
        return claims
    }

    private func fetchKeys(for kid: String) async throws {
        // A fetch a minute at most: anybody can send a key id that does not exist.
        if let age = fetched.map({ $0.duration(to: .now) }), age < .seconds(known.contains(kid) ? 3600 : 60) { return }
        fetched = .now
        let answer = try await HTTPClient.shared.execute(HTTPClientRequest(url: jwksURL), timeout: .seconds(5))
        let text = String(buffer: try await answer.body.collect(upTo: 1 << 20))
        let set = try JSONDecoder().decode(JWKS.self, from: Data(text.utf8))
        known = Set(set.keys.compactMap { $0.keyIdentifier?.string })
        keys = try await JWTKeyCollection().add(jwks: set)
    }
}

@main
struct Program {
    static func main() async {
        let arguments = CommandLine.arguments
        let verifier = Verifier(issuer: arguments[1], audience: arguments[2], jwksURL: arguments[3])
        while let line = readLine() {
            do {
                print("ok", try await verifier.verify(line).sub.value)
            } catch {
                print("refused")
            }
        }
    }
}
