/// A form. A posted form carries the token of the operator's session, which the renderer adds.
struct Form: Sendable {
    enum Method: String, Sendable {
        case get, post
    }

    /// The name of the hidden field that says that the operator confirmed a dangerous form; its value is `yes`. Without scripts it
    /// is missing, and the server asks on a page of its own.
    static let confirmationField = "confirmed"
    /// The name of the hidden field with the token of the operator's session.
    static let csrfField = "csrf"

    /// The path of a page of this server, as in ``Link/path``.
    let action: String
    var method = Method.post
    var fields: [Field] = []
    var hidden: [(name: String, value: String)] = []
    let button: String
    /// Whether the action is hard to undo: the button is red and scripts ask before it is sent.
    var isDangerous = false
    /// The question of a dangerous form; without it, a general one is asked.
    var confirmation: String?
    var legend: String?
    /// Whether fields and button stand in one line, as in a search.
    var isInline = false
    /// Further buttons.
    var otherButtons: [Button] = []
    /// What the button asks of the browser's passkeys before it sends the form.
    var passkey: Passkey?
    /// Whether scripts send the form by themselves, since it goes on with work that is done step by step. The text is that of a button
    /// that stops them.
    var goesOn: String?
    /// Where scripts send a file in place of the form's text.
    var upload: Upload?

    /// A file that scripts send in pieces before the form, which then names it in the field `upload`. The answer of the form is a JSON
    /// object a line, which tells how far it is.
    struct Upload: Sendable {
        /// The path that takes the pieces, as in ``Link/path``.
        let path: String
        let label: String
        let sending: String
        let failed: String
    }

    /// A ceremony of passkeys. The form is sent with the answer of the browser in the hidden field ``responseField``, as JSON.
    struct Passkey: Sendable {
        enum Ceremony: String, Sendable {
            case create, get
        }

        static let responseField = "response"

        let ceremony: Ceremony
        /// The options as JSON, with bytes in base64url (`PublicKeyCredentialCreationOptionsJSON`, WebAuthn Level 3 §5.1.8).
        let options: String
    }
}

/// A button that sends a form with a name and a value of its own.
struct Button: Sendable {
    let text: String
    let name: String
    let value: String
    var isDangerous = false
    /// As ``Form/confirmation``.
    var confirmation: String?
}
