struct Field: Sendable {
    enum Kind: Sendable {
        case text, email, password, number, date
        case textArea(rows: Int)
        /// A box whose value is `on`; it is checked when the field's value is not empty.
        case checkbox
        case select([Option])
        /// A file; `accept` is a list of media types and extensions (HTML §4.10.5.1.17). The form is sent as `multipart/form-data`.
        case file(accept: String)
    }

    struct Option: Sendable {
        let text: String
        let value: String
    }

    let name: String
    let label: String
    var kind = Kind.text
    var value = ""
    var hint: String?
    var error: String?
    var isRequired = false
    /// A token such as `username webauthn` (HTML §4.10.18.7.1).
    var autocomplete: String?
    /// In UTF-16 code units (HTML §4.10.18.4).
    var maximumLength: Int?
    /// Whether the value is a key, an address or JSON: monospaced, from left to right.
    var isCode = false
    var isReadOnly = false
}
