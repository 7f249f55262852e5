import Project

extension AdminMethod {
    /// The known methods that are not implemented: 501 (`Docs/Contract/emulator-endpoints.md` §1, `Docs/Contract/coverage.md` §6).
    static func unimplemented(_ mode: ModeRules) -> [AdminMethod] {
        let users = Route.Access.apiKeyOrAdmin(.changeUsers)
        // By the names in Google's API description.
        let routes = [
            "accounts.issueSamlResponse": Route(access: users, path: "v1/accounts:issueSamlResponse"),
            "relyingparty.signOutUser": Route(access: users, legacyName: "signOutUser"),
            "relyingparty.setProjectConfig": Route(access: .apiKeyOrAdmin(.changeConfiguration), legacyName: "setProjectConfig"),
        ]
        return routes.map { name, route in
            let feature = "identitytoolkit.\(name)"
            return AdminMethod(
                name: "UnimplementedMethod",
                summary: "A method that is known and not implemented.",
                route: route
            ) { _ in throw mode.refusesInEmulatorWords ? TransportError.lackedByEmulator(feature) : .notImplemented(feature) }
        }
    }
}
