import HTTPTypes
import Project

extension AdminMethod {
    /// The known methods that are not implemented: 501 (`Docs/Contract/emulator-endpoints.md` §1, `Docs/Contract/coverage.md` §6).
    static func unimplemented(_ mode: ModeRules) -> [AdminMethod] {
        [
            unimplemented("accounts.issueSamlResponse", .changeUsers, path: "v1/accounts:issueSamlResponse", mode: mode),
            unimplemented("relyingparty.signOutUser", .changeUsers, legacyName: "signOutUser", mode: mode),
            unimplemented("relyingparty.setProjectConfig", .changeConfiguration, legacyName: "setProjectConfig", mode: mode),
        ]
    }

    /// - Parameter id: The method's name in Google's API description.
    private static func unimplemented(
        _ id: String,
        _ need: AdminNeed,
        path: String? = nil,
        legacyName: String? = nil,
        mode: ModeRules
    ) -> AdminMethod {
        let feature = "identitytoolkit.\(id)"
        return AdminMethod(
            name: "UnimplementedMethod",
            summary: "A method that is known and not implemented.",
            route: Route(
                method: .post,
                host: .identityToolkit,
                access: .apiKeyOrAdmin(need),
                path: path,
                legacyName: legacyName
            )
        ) { _ in throw mode.refusesInEmulatorWords ? TransportError.lackedByEmulator(feature) : .notImplemented(feature) }
    }
}
