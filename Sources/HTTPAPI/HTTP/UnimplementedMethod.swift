import HTTPTypes
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
        [
            UnimplementedMethod(
                route: Route(
                    method: .post,
                    host: .identityToolkit,
                    access: .apiKeyOrAdmin(.changeUsers),
                    path: "v1/accounts:issueSamlResponse"
                ),
                operationID: "identitytoolkit.accounts.issueSamlResponse",
                mode: mode
            ),
            UnimplementedMethod(
                route: Route(
                    method: .post,
                    host: .identityToolkit,
                    access: .apiKeyOrAdmin(.changeUsers),
                    legacyName: "signOutUser"
                ),
                operationID: "identitytoolkit.relyingparty.signOutUser",
                mode: mode
            ),
            UnimplementedMethod(
                route: Route(
                    method: .post,
                    host: .identityToolkit,
                    access: .apiKeyOrAdmin(.changeConfiguration),
                    legacyName: "setProjectConfig"
                ),
                operationID: "identitytoolkit.relyingparty.setProjectConfig",
                mode: mode
            ),
        ]
    }

    var content: AdminContent { .nothing }

    func handle(_ call: AdminCall) async throws -> JSONValue {
        throw mode.refusesInEmulatorWords ? TransportError.lackedByEmulator(operationID) : .notImplemented(operationID)
    }
}
