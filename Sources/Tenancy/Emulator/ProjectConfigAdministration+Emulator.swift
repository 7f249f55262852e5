package import Project

extension ProjectConfigAdministration {
    /// The part of the configuration that the emulator's own endpoint shows (`Docs/Contract/emulator-endpoints.md` §2).
    package func emulatorConfig(_ context: CallContext) async throws -> JSONValue {
        emulatorView(try await editor.stored(place(context.scope)) ?? [:])
    }

    /// Changes that part: only the leaves that the body has.
    package func updateEmulatorConfig(_ body: JSONValue, context: CallContext) async throws -> JSONValue {
        let body = try Shape.config.read(body).withoutNulls
        let mask = FieldMask(paths: Self.emulatorLeaves)
        let update = ResourceUpdate(body: body, mask: mask, absentClears: false, refusesUnknownPaths: false)
        return emulatorView(try await apply(update, context))
    }

    private static let emulatorLeaves = [
        ["signIn", "allowDuplicateEmails"], ["emailPrivacyConfig", "enableImprovedEmailPrivacy"],
    ]

    // The emulator shows this from the start, and after an update without a mask.
    static let emulatorDefaults: JSONValue = ["emailPrivacyConfig": ["enableImprovedEmailPrivacy": false]]

    private func emulatorView(_ document: JSONValue) -> JSONValue {
        Self.emulatorLeaves.reduce([:]) { view, path in view.setting(document.value(at: path) ?? false, at: path) }
    }
}

extension JSONValue {
    // The emulator shows triggers without the time of their change.
    var withoutTriggerTimes: JSONValue {
        (value(at: ["blockingFunctions", "triggers"])?.object ?? [:]).keys.reduce(self) { document, event in
            document.setting(nil, at: ["blockingFunctions", "triggers", event.text, "updateTime"])
        }
    }
}
