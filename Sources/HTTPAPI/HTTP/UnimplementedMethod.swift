import Project

/// A known method that is not implemented: 501 (`Docs/Contract/emulator-endpoints.md` §1, `Docs/Contract/coverage.md` §6).
struct UnimplementedMethod: AdminEndpoint {
    static let summary = "A method that is known and not implemented."

    let route: Route
    /// The method's name in Google's API description.
    let operationID: String
    let mode: ModeRules

    /// Makes the endpoints of all such methods.
    static func all(_ mode: ModeRules) -> [UnimplementedMethod] {
        let users = Route.Access.apiKeyOrAdmin(.changeUsers)
        // By the names in Google's API description.
        let routes = [
            "accounts.issueSamlResponse": Route(access: users, path: "v1/accounts:issueSamlResponse"),
            "relyingparty.signOutUser": Route(access: users, legacyName: "signOutUser"),
            "relyingparty.setProjectConfig": Route(access: .apiKeyOrAdmin(.changeConfiguration), legacyName: "setProjectConfig"),
        ]
        return routes.map { UnimplementedMethod(route: $1, operationID: "identitytoolkit.\($0)", mode: mode) }
    }

    var content: AdminContent { .nothing }

    func handle(_ call: AdminCall) async throws -> JSONValue {
        throw mode.refusesInEmulatorWords ? TransportError.lackedByEmulator(operationID) : .notImplemented(operationID)
    }
}
