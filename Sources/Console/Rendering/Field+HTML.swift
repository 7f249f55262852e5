extension Field {
    static let template = """
        <div class="field{{#.isCheckbox}} check{{/.isCheckbox}}">
        {{#.isCheckbox}}
        <input type="checkbox" value="on"{{#.isChecked}} checked{{/.isChecked}}{{>attributes}}>
        {{/.isCheckbox}}
        <label for="{{.id}}">{{.label}}{{#.required}} <span class="required">({{.text}})</span>{{/.required}}</label>
        {{#.hint}}
        <p class="hint" id="{{.id}}">{{.text}}</p>
        {{/.hint}}
        {{#.input}}
        <input type="{{.text}}"{{/.input}}{{#.isInput}} value="{{.value}}"{{>attributes}}>
        {{/.isInput}}
        {{#.file}}
        <input type="file" accept="{{.text}}"{{/.file}}{{#.isFile}}{{>attributes}}>
        {{/.isFile}}
        {{#.isTextArea}}
        <textarea rows="{{.rows}}"{{>attributes}}>
        {{.value}}</textarea>
        {{/.isTextArea}}
        {{#.isSelect}}
        <select{{>attributes}}>
        {{#.options}}
        <option value="{{.value}}"{{#.isSelected}} selected{{/.isSelected}}>{{.text}}</option>
        {{/.options}}
        </select>
        {{/.isSelect}}
        {{#.fixed}}
        <input type="hidden" name="{{.name}}" value="{{.value}}">
        {{/.fixed}}
        {{#.error}}
        <p class="problem" id="{{.id}}">{{.text}}</p>
        {{/.error}}
        </div>

        """

    /// The attributes that fields of all kinds have.
    static let attributes = """
         id="{{.id}}" name="{{.name}}"{{#.required}} required{{/.required}}{{#.isReadOnly}} readonly{{/.isReadOnly}}\
        {{#.isDisabled}} disabled{{/.isDisabled}}{{#.autocomplete}} autocomplete="{{.text}}"{{/.autocomplete}}\
        {{#.maximumLength}} maxlength="{{.text}}"{{/.maximumLength}}{{#.direction}} dir="{{.text}}"{{/.direction}}\
        {{#.isCode}} class="code" spellcheck="false" autocapitalize="off"{{/.isCode}}\
        {{#.described}} aria-describedby="{{.text}}"{{/.described}}{{#.error}} aria-invalid="true"{{/.error}}
        """

    func values(_ rendering: inout Rendering) -> Values {
        let id = rendering.id()
        var described: [String] = []
        func part(_ text: String?, _ suffix: String) -> Any {
            guard let text else { return false }
            described.append(id + suffix)
            return ["id": id + suffix, "text": text] as Values
        }
        let (hint, problem) = (part(hint, "-hint"), part(error, "-error"))
        var values: Values = [
            "id": id, "name": name, "label": label, "hint": hint, "error": problem,
            "required": section(isRequired ? rendering.texts["form.required"] : nil), "autocomplete": section(autocomplete),
            "maximumLength": section(maximumLength.map { String($0) }), "isCode": isCode,
            "described": section(described.isEmpty ? nil : described.joined(separator: " ")),
        ]
        values.merge(control) { $1 }
        return values
    }

    private var control: Values {
        switch kind {
        case .text, .email, .password, .number, .date:
            // A password never goes back to the browser.
            var shown: Values = ["isInput": true, "value": isPassword ? "" : value, "isReadOnly": isReadOnly]
            shown["input"] = section("\(kind)")
            shown["direction"] = section(isText && !isCode ? "auto" : "ltr")
            return shown
        case .textArea(let rows):
            return [
                "isTextArea": true, "rows": String(rows), "value": value, "isReadOnly": isReadOnly,
                "direction": section(isCode ? "ltr" : "auto"),
            ]
        case .checkbox:
            return ["isCheckbox": true, "isChecked": !value.isEmpty].merging(fixed(value.isEmpty ? nil : "on")) { $1 }
        case .select(let options):
            let options: [Values] = options.map { ["text": $0.text, "value": $0.value, "isSelected": $0.value == value] }
            return ["isSelect": true, "options": options].merging(fixed(value)) { $1 }
        case .file(let accept): return ["isFile": true, "file": section(accept), "isDisabled": isReadOnly]
        }
    }

    private var isPassword: Bool { if case .password = kind { true } else { false } }
    private var isText: Bool { if case .text = kind { true } else { false } }

    // HTML knows no read-only boxes and lists, and sends nothing of disabled ones (HTML §4.10.5.3.3).
    private func fixed(_ value: String?) -> Values {
        guard isReadOnly else { return [:] }
        var values: Values = ["isDisabled": true]
        if let value { values["fixed"] = ["name": name, "value": value] as Values }
        return values
    }
}
