package import Project
import SAML

/// Reads what a SAML provider publishes of itself, for an operator who configures it (SAML 2.0 Metadata §2.4.3).
package struct IdentityProviderMetadataReader: Sendable {
    private let environment: ServerEnvironment
    private let saml: SAMLTools

    package init(environment: ServerEnvironment, saml: SAMLTools) {
        self.environment = environment
        self.saml = saml
    }

    /// Fetches and reads a document.
    ///
    /// - Throws: `APIError` `INVALID_CONFIG`. That the document cannot be had has one text for every cause, so that the answer
    ///   does not reveal hosts of an internal network (threat case SSR-04).
    package func idpConfig(at url: String) async throws -> JSONValue {
        let answer: OutboundHTTP.Response
        do {
            answer = try await environment.http(.init(url: url, headers: [("Accept", "application/samlmetadata+xml, text/xml")]))
            guard answer.status == 200 else { throw KeySetFetcher.Invalid.status(answer.status) }
        } catch {
            throw APIError(.invalidConfig, "The metadata could not be fetched.", cause: error)
        }
        return try await idpConfig(in: answer.body)
    }

    /// Reads a document.
    package func idpConfig(in xml: [UInt8]) async throws -> JSONValue {
        do {
            return Self.idpConfig(try await saml.verifier.metadata(in: xml, now: environment.now()))
        } catch SAMLRefusal.busy {
            throw APIError.overload("Too many SAML documents are being read. Please try again later.")
        } catch let refusal as SAMLRefusal {
            throw APIError(.invalidConfig, "The metadata cannot be used: \(refusal.text)", cause: refusal)
        }
    }

    private static func idpConfig(_ metadata: IdentityProviderMetadata) -> JSONValue {
        // A redirect is what every provider takes; signed requests of a form are for those that offer nothing else.
        let endpoint =
            metadata.singleSignOn.first { $0.binding == SAMLBinding.redirect } ?? metadata.singleSignOn.first
        let binding: SAMLConfig.Binding = endpoint?.binding == SAMLBinding.post ? .post : .redirect
        var config: JSONValue = [
            "idpEntityId": .string(metadata.entityID), "ssoUrl": .string(endpoint?.url ?? ""),
            "ssoBinding": .string(binding.rawValue),
            "idpCertificates": .array(metadata.certificates.map { ["x509Certificate": .string($0)] }),
        ]
        // A provider that needs no signatures takes them, so that an operator's own choice stays.
        if metadata.wantsSignedRequests { config["signRequest"] = true }
        return config
    }
}
