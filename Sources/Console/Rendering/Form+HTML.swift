extension Form {
    static let template = """
        <form class="{{.class}}" method="{{.method}}" action="{{.action}}"{{#.isMultipart}} enctype="multipart/form-data"{{/.isMultipart}}\
        {{#.passkey}} data-options="{{.options}}" data-failed="{{.failed}}" data-cancelled="{{.cancelled}}"\
         data-unsupported="{{.unsupported}}"{{/.passkey}}\
        {{#.goesOn}} data-continue="{{.text}}"{{/.goesOn}}\
        {{#.upload}} data-upload="{{.path}}" data-upload-label="{{.label}}" data-upload-sending="{{.sending}}"\
         data-upload-failed="{{.failed}}"{{/.upload}}>
        {{>hidden}}
        {{#.legend}}
        <fieldset><legend>{{.text}}</legend>
        {{/.legend}}
        {{#.fields}}
        {{>field}}
        {{/.fields}}
        {{#.passkey}}
        <noscript><p>{{.needsScript}}</p></noscript>
        <div class="problem" role="alert" data-problem></div>
        {{/.passkey}}
        <div class="buttons">
        {{#.buttons}}
        {{>button}}
        {{/.buttons}}
        </div>
        {{#.legend}}
        </fieldset>
        {{/.legend}}
        </form>

        """

    /// The hidden fields of a form.
    static let hiddenTemplate = """
        {{#.hidden}}
        <input type="hidden" name="{{.name}}" value="{{.value}}">
        {{/.hidden}}

        """

    func values(_ rendering: inout Rendering) -> Values {
        var main = Button.values(button, isMain: true, isDangerous: isDangerous, confirmation: confirmation, rendering)
        var values: Values = [
            "class": isInline || fields.isEmpty && legend == nil ? "inline" : "stacked", "method": method.rawValue,
            "action": Self.action(action), "isMultipart": isMultipart, "legend": section(legend),
            "fields": fields.map { $0.values(&rendering) }, "goesOn": section(goesOn),
        ]
        var hidden = Self.hidden(hidden, method, rendering)
        if let passkey {
            let texts = rendering.texts
            values["passkey"] =
                [
                    "options": passkey.options, "failed": texts["passkey.failed"], "cancelled": texts["passkey.cancelled"],
                    "unsupported": texts["passkey.unsupported"], "needsScript": texts["passkey.needsScript"],
                ] as Values
            main["passkey"] = section(passkey.ceremony.rawValue)
            hidden.append(["name": Passkey.responseField, "value": ""])
        }
        if let upload, ConsolePath.isSafe(upload.path) {
            values["upload"] =
                [
                    "path": upload.path, "label": upload.label, "sending": upload.sending, "failed": upload.failed,
                ] as Values
        }
        values["hidden"] = hidden
        values["buttons"] = [main] + otherButtons.map { $0.values(rendering) }
        return values
    }

    /// The target of a form; one that leads elsewhere becomes the page itself.
    static func action(_ path: String) -> String { ConsolePath.isSafe(path) ? path : "#" }

    /// Hidden fields, with the session's token in posted forms.
    static func hidden(_ fields: [(name: String, value: String)], _ method: Method, _ rendering: Rendering) -> [Values] {
        let token = method == .post ? rendering.csrf.map { [(name: csrfField, value: $0)] } ?? [] : []
        return (token + fields).map { ["name": $0.name, "value": $0.value] }
    }

    private var isMultipart: Bool {
        fields.contains { if case .file = $0.kind { true } else { false } }
    }
}

extension Button {
    static let template = """
        <button type="submit"{{#.class}} class="{{.text}}"{{/.class}}{{#.sent}} name="{{.name}}" value="{{.value}}"{{/.sent}}\
        {{#.passkey}} data-passkey="{{.text}}"{{/.passkey}}\
        {{#.confirmation}} data-confirm="{{.text}}"{{/.confirmation}}>{{.text}}</button>

        """

    func values(_ rendering: Rendering) -> Values {
        var values = Self.values(text, isMain: false, isDangerous: isDangerous, confirmation: confirmation, rendering)
        values["sent"] = ["name": name, "value": value] as Values
        return values
    }

    static func values(
        _ text: String,
        isMain: Bool,
        isDangerous: Bool,
        confirmation: String?,
        _ rendering: Rendering
    ) -> Values {
        [
            "text": text, "class": section(isDangerous ? "danger" : isMain ? nil : "quiet"),
            "confirmation": section(confirmation ?? (isDangerous ? rendering.texts["confirm.text"] : nil)),
        ]
    }
}
