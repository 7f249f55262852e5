import Project

/// The rules for `blockingFunctions` (`Docs/Contract/admin-config.md` §10.1).
struct BlockingFunctionRules: Sendable {
    let network: NetworkGuard

    /// Checks events and addresses.
    ///
    /// - Throws: `APIError` `INVALID_BLOCKING_FUNCTION`.
    func check(_ functions: JSONValue?) throws {
        for (event, trigger) in functions?["triggers"]?.object ?? [:] {
            guard BlockingFunctions.Event(rawValue: event.text) != nil else {
                throw APIError(.invalidBlockingFunction, "((Event type is invalid.))")
            }
            guard trigger != .null else { continue }
            guard let address = trigger["functionUri"]?.string, WebAddress(configured: address, network: network) != nil else {
                throw APIError(.invalidBlockingFunction, "((Expected an absolute URI with valid scheme and host.))")
            }
        }
    }

    /// The functions, each with the time at which its address was set.
    static func stamped(_ functions: JSONValue, stored: JSONValue?, at time: Timestamp) -> JSONValue {
        var functions = functions
        for (event, trigger) in functions["triggers"]?.object ?? [:] {
            let old = stored?.value(at: ["triggers", event.text])
            let isOld = old?["functionUri"] == trigger["functionUri"]
            let updated = (isOld ? old?["updateTime"] : nil) ?? .string(time.rfc3339)
            functions = functions.setting(updated, at: ["triggers", event.text, "updateTime"])
        }
        return functions
    }
}
