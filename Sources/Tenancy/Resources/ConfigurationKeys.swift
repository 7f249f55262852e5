import Project

extension JSONValue {
    /// The configuration of a project or a tenant without what opens something: the fixed codes of fictional numbers, and the addresses of
    /// functions, which may hold a key. Who changes configuration sees both.
    func withoutKeys(for context: CallContext) -> JSONValue {
        guard !context.adminScopes.contains(.config) else { return self }
        var shown = setting(nil, at: ["testPhoneNumbers"]).setting(nil, at: ["signIn", "phoneNumber", "testPhoneNumbers"])
        let triggers = ["blockingFunctions", "triggers"]
        for event in (shown.value(at: triggers)?.object ?? [:]).keys {
            shown = shown.setting(nil, at: triggers + [event.text, "functionUri"])
        }
        return shown
    }
}
