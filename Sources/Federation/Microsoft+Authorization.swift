import Project

/// Microsoft: the directory that `customParameter.tenant` names, or any directory (`contract/web-handler.md` §7.4).
struct MicrosoftAuthorization: AuthorizationProvider {
    let endpoint: String

    func serves(_ providerID: String) -> Bool { providerID == "microsoft.com" }

    func profile(for client: ClientRegistration, _ selection: AuthorizationSelection) async throws -> AuthorizationProfile {
        let directory = selection.directory ?? "common"
        // A directory is an id or a domain name. Other texts could change the path of the URL.
        let isName = directory.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard isName, (1...253).contains(directory.utf8.count), !directory.hasPrefix(".") else {
            throw APIError(.operationNotAllowed, "The directory is no tenant id and no domain name.")
        }
        let base = "\(endpoint)/\(directory)/oauth2/v2.0"
        var profile = AuthorizationProfile(
            grant: .code,
            clientID: client.clientID,
            authorizationEndpoint: base + "/authorize",
            tokenEndpoint: base + "/token"
        )
        profile.authentication = .post(secret: try client.requireSecret())
        profile.scopes = ["openid", "email", "profile"]
        profile.usesNonce = true
        return profile
    }
}
