import HTTPAPI

extension Field {
    func html(_ rendering: inout Rendering) -> HTML {
        let id = rendering.id()
        let control = control(id)
        return HTML("div", ["class": isCheckbox ? "field check" : "field"]) {
            if isCheckbox { control }
            HTML("label", ["for": id]) {
                label
                if isRequired {
                    " "
                    HTML("span", ["class": "required"], "(\(rendering.texts["form.required"]))")
                }
            }
            if let hint { HTML("p", ["class": "hint", "id": "\(id)-hint"], hint) }
            if !isCheckbox { control }
            if let kept { HTML("input", ["type": "hidden", "name": name, "value": kept]) }
            if let error { HTML("p", ["class": "problem", "id": "\(id)-error"], error) }
        }
    }

    private func control(_ id: String) -> HTML {
        let common = attributes(id)
        switch kind {
        case .text, .email, .password, .number, .date:
            // A password never goes back to the browser.
            return HTML("input", ["type": "\(kind)", "value": isPassword ? "" : value], and: common)
        case .textArea(let rows): return HTML("textarea", ["rows": "\(rows)"], and: common, value)
        case .checkbox: return HTML("input", ["type": "checkbox", "value": "on", "checked": !value.isEmpty], and: common)
        case .select(let options):
            return HTML("select", common) {
                options.map { HTML("option", ["value": $0.value, "selected": $0.value == value], $0.text) }
            }
        case .file(let accept): return HTML("input", ["type": "file", "accept": accept], and: common)
        }
    }

    /// The attributes that fields of all kinds have.
    private func attributes(_ id: String) -> HTML.Attributes {
        let described = [hint.map { _ in "\(id)-hint" }, error.map { _ in "\(id)-error" }].compactMap(\.self)
        return [
            "id": id, "name": name, "required": isRequired, "readonly": isReadOnly && !isDisabled, "disabled": isDisabled,
            "autocomplete": autocomplete, "maxlength": maximumLength.map { "\($0)" }, "dir": direction,
            "class": isCode ? "code" : nil, "spellcheck": isCode ? "false" : nil, "autocapitalize": isCode ? "off" : nil,
            "aria-describedby": described.isEmpty ? nil : described.joined(separator: " "),
            "aria-invalid": error.map { _ in "true" },
        ]
    }

    private var direction: String? {
        switch kind {
        case .text, .textArea: isCode ? "ltr" : "auto"
        case .email, .password, .number, .date: "ltr"
        case .checkbox, .select, .file: nil
        }
    }

    // HTML knows no read-only boxes, lists and files (HTML §4.10.5.3.3).
    private var isDisabled: Bool {
        switch kind {
        case .checkbox, .select, .file: isReadOnly
        default: false
        }
    }

    /// What a hidden field sends, because browsers send nothing of disabled fields.
    private var kept: String? {
        guard isReadOnly else { return nil }
        switch kind {
        case .checkbox: return value.isEmpty ? nil : "on"
        case .select: return value
        default: return nil
        }
    }

    private var isCheckbox: Bool { if case .checkbox = kind { true } else { false } }
    private var isPassword: Bool { if case .password = kind { true } else { false } }
}
