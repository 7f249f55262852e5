import HTTPAPI

extension Form {
    func html(_ rendering: inout Rendering) -> HTML {
        let attributes: HTML.Attributes = [
            "class": isInline || fields.isEmpty && legend == nil ? "inline" : "stacked", "method": method.rawValue,
            "action": Self.action(action), "enctype": isMultipart ? "multipart/form-data" : nil,
        ]
        return HTML("form", attributes, and: scriptAttributes(rendering.texts)) {
            Self.hidden(hidden, method, rendering)
            if passkey != nil { HTML("input", ["type": "hidden", "name": Passkey.responseField, "value": ""]) }
            if let legend {
                HTML("fieldset") {
                    HTML("legend", legend)
                    content(&rendering)
                }
            } else {
                content(&rendering)
            }
        }
    }

    private func content(_ rendering: inout Rendering) -> [HTML] {
        let texts = rendering.texts
        var parts = fields.map { $0.html(&rendering) }
        if passkey != nil {
            parts.append(HTML("noscript") { HTML("p", texts["passkey.needsScript"]) })
            parts.append(HTML("div", ["class": "problem", "role": "alert", "data-problem": true]))
        }
        let main: HTML.Attributes = [
            "type": "submit", "class": isDangerous ? "danger" : nil, "data-passkey": passkey?.ceremony.rawValue,
            "data-confirm": Button.question(confirmation, isDangerous, texts),
        ]
        parts.append(
            HTML("div", ["class": "buttons"]) {
                HTML("button", main, button)
                otherButtons.map { $0.html(texts) }
            }
        )
        return parts
    }

    private func scriptAttributes(_ texts: ConsoleTexts) -> HTML.Attributes {
        let upload = upload.flatMap { ConsolePath.isSafe($0.path) ? $0 : nil }
        func text(_ key: String) -> String? { passkey.map { _ in texts[key] } }
        return [
            "data-options": passkey?.options, "data-failed": text("passkey.failed"), "data-cancelled": text("passkey.cancelled"),
            "data-unsupported": text("passkey.unsupported"), "data-continue": goesOn, "data-upload": upload?.path,
            "data-upload-label": upload?.label, "data-upload-sending": upload?.sending, "data-upload-failed": upload?.failed,
        ]
    }

    /// The target of a form; one that leads elsewhere becomes the page itself.
    static func action(_ path: String) -> String { ConsolePath.isSafe(path) ? path : "#" }

    /// Hidden fields, with the session's token in posted forms.
    static func hidden(_ fields: [(name: String, value: String)], _ method: Method, _ rendering: Rendering) -> [HTML] {
        let token = method == .post ? rendering.csrf.map { [(name: csrfField, value: $0)] } ?? [] : []
        return (token + fields).map { HTML("input", ["type": "hidden", "name": $0.name, "value": $0.value]) }
    }

    private var isMultipart: Bool {
        fields.contains { if case .file = $0.kind { true } else { false } }
    }
}

extension Button {
    func html(_ texts: ConsoleTexts) -> HTML {
        let attributes: HTML.Attributes = [
            "type": "submit", "class": isDangerous ? "danger" : "quiet", "name": name, "value": value,
            "data-confirm": Self.question(confirmation, isDangerous, texts),
        ]
        return HTML("button", attributes, text)
    }

    /// What is asked before a button sends its form.
    fileprivate static func question(_ own: String?, _ isDangerous: Bool, _ texts: ConsoleTexts) -> String? {
        own ?? (isDangerous ? texts["confirm.text"] : nil)
    }
}
