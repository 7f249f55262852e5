import Hummingbird
import Project

extension FakeIDP {
    /// The discovery document of all directories, whose issuer is a template.
    func microsoft(_ path: String) -> Response? {
        guard path == "common/v2.0/.well-known/openid-configuration" else { return nil }
        return .json([
            "issuer": .string(issuer("microsoft") + "/{tenantid}/v2.0"), "jwks_uri": .string(issuer("microsoft") + "/jwks"),
            "id_token_signing_alg_values_supported": ["RS256"],
        ])
    }
}
