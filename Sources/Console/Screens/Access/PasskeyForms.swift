import Accounts
import Project
import WebAuthn

extension Form.Passkey {
    /// The options of a ceremony for a form's button (WebAuthn Level 3 §5.1.8, §5.1.9).
    init(_ ceremony: OperatorCeremony) {
        let known: JSONValue = .array(
            ceremony.credentialIDs.map { ["type": "public-key", "id": .string($0)] }
        )
        let challenge: JSONValue = .string(Base64URL.encode(ceremony.challenge))
        guard let user = ceremony.user else {
            let options: JSONValue = [
                "challenge": challenge, "rpId": .string(ceremony.relyingPartyID), "userVerification": "required",
                "allowCredentials": known,
            ]
            self.init(ceremony: .get, options: options.text)
            return
        }
        let parameters: [JSONValue] = [-7, -257].map { ["type": "public-key", "alg": .integer($0)] }
        let options: JSONValue = [
            "challenge": challenge, "rp": ["id": .string(ceremony.relyingPartyID), "name": "Postern"],
            "user": [
                "id": .string(Base64URL.encode(Array(user.operatorID.utf8))), "name": .string(user.email),
                "displayName": .string(user.email),
            ],
            "pubKeyCredParams": .array(parameters), "attestation": "none", "excludeCredentials": known,
            "authenticatorSelection": [
                "residentKey": "required", "requireResidentKey": true, "userVerification": "required",
            ],
        ]
        self.init(ceremony: .create, options: options.text)
    }
}

extension AuthenticatorResponse {
    private static let maximumBytes = 16 * 1024

    /// Reads the `PublicKeyCredential` that a form carries, as `toJSON()` writes it.
    init(_ form: ConsoleForm) throws {
        let text = form[Form.Passkey.responseField]
        guard text.utf8.count <= Self.maximumBytes, let json = try? JSONValue.parse(text.utf8), let part = json["response"] else {
            throw OperatorError.passkeyRefused
        }
        self.init()
        id = json["id"]?.string
        rawID = json["rawId"]?.string
        type = json["type"]?.string
        clientData = part["clientDataJSON"]?.string
        attestationObject = part["attestationObject"]?.string
        authenticatorData = part["authenticatorData"]?.string
        signature = part["signature"]?.string
        userHandle = part["userHandle"]?.string
    }
}

extension OperatorFactor {
    /// Reads the factor that a form of ``FactorForms`` shows.
    init(_ form: ConsoleForm) throws {
        self =
            form[AccessFields.way] == "passkey"
            ? .passkey(try AuthenticatorResponse(form)) : .password(form["password"], code: form["code"])
    }
}

extension NewOperatorFactor {
    /// Reads the factor that a form of ``FactorForms`` sets up.
    init(_ form: ConsoleForm) throws {
        self =
            ["passkey", "addPasskey"].contains(form[AccessFields.way])
            ? .passkey(try AuthenticatorResponse(form), name: form["name"])
            : .password(form["password"], code: form["code"], offer: form[FactorForms.offerField])
    }
}

/// The forms of a page with which operators show their factors, or get them.
struct FactorForms {
    static let offerField = "offer"

    let texts: ConsoleTexts
    let action: String
    var hidden: [(name: String, value: String)] = []

    /// The button that asks for a passkey.
    func passkey(_ ceremony: OperatorCeremony, button: String, way: String = "passkey") -> Form {
        Form(
            action: action,
            fields: ceremony.user == nil ? [] : [AccessFields.passkeyName(texts)],
            hidden: hidden + [(name: AccessFields.way, value: way)],
            button: button,
            passkey: Form.Passkey(ceremony)
        )
    }

    /// Asks for password and code, after other fields.
    func password(_ fields: [Field] = [], button: String) -> Form {
        Form(
            action: action,
            fields: fields + [AccessFields.password(texts), AccessFields.code(texts)],
            hidden: hidden + [(name: AccessFields.way, value: "password")],
            button: button
        )
    }

    /// Sets a password up with an authenticator app.
    func newPassword(_ offer: OperatorPassword.Offer, button: String) -> [Block] {
        let hidden = hidden + [(name: Self.offerField, value: offer.sealed), (name: AccessFields.way, value: "password")]
        let fields = [AccessFields.password(texts, isNew: true), AccessFields.code(texts)]
        return [
            .paragraph(texts["access.appText"]), .code(label: texts["access.secret"], text: offer.secret),
            .code(label: texts["access.secretLink"], text: offer.uri),
            .form(Form(action: action, fields: fields, hidden: hidden, button: button)),
        ]
    }
}

extension ConsolePage {
    /// A page of access, with what was refused on it before.
    static func access(_ title: String, _ blocks: [Block], _ texts: ConsoleTexts, refused: OperatorError? = nil) -> ConsolePage {
        var page = ConsolePage(title: title, blocks: blocks, isNarrow: true)
        if let (key, values) = refused?.text { page.notice = Notice(kind: .error, text: texts.text(key, values)) }
        return page
    }
}

/// Fields and texts that several pages of access have.
enum AccessFields {
    /// The field that says which way a form goes.
    static let way = "way"
    static let back = "back"

    static func password(_ texts: ConsoleTexts, isNew: Bool = false) -> Field {
        Field(
            name: "password",
            label: texts["access.password"],
            kind: .password,
            hint: isNew ? texts.text("access.passwordHint", ["length": "\(OperatorPassword.minimumLength)"]) : nil,
            isRequired: true,
            autocomplete: isNew ? "new-password" : "current-password",
            maximumLength: 1024
        )
    }

    static func code(_ texts: ConsoleTexts) -> Field {
        Field(
            name: "code",
            label: texts["access.code"],
            hint: texts["access.codeHint"],
            isRequired: true,
            autocomplete: "one-time-code",
            maximumLength: 8,
            isCode: true
        )
    }

    static func email(_ texts: ConsoleTexts, _ value: String = "") -> Field {
        Field(
            name: "email",
            label: texts["access.email"],
            kind: .email,
            value: value,
            isRequired: true,
            autocomplete: "username webauthn",
            maximumLength: 256
        )
    }

    static func passkeyName(_ texts: ConsoleTexts) -> Field {
        Field(name: "name", label: texts["access.passkeyName"], hint: texts["access.passkeyNameHint"], maximumLength: 64)
    }

    /// A form of one button, which goes one way.
    static func button(_ text: String, _ action: String, way: String, id: String? = nil, isDangerous: Bool = false) -> Form {
        let hidden = [(name: Self.way, value: way)] + (id.map { [(name: "id", value: $0)] } ?? [])
        return Form(action: action, hidden: hidden, button: text, isDangerous: isDangerous)
    }

    /// Who an operator is, or will be.
    static func facts(_ texts: ConsoleTexts, email: String, role: String, tenantID: String?) -> Block {
        .facts([
            Fact(label: texts["access.email"], value: .foreign(email)),
            Fact(label: texts["operators.role"], value: .text(texts["role.\(role)"])),
            Fact(label: texts["tenants.one"], value: OperatorFields.tenant(tenantID, texts)),
        ])
    }

    /// The address to return to; any other than a page of the console leads to its start.
    static func back(_ form: ConsoleForm) -> String {
        let path = form[back]
        return ConsolePath.isSafe(path) && path.hasPrefix(ConsoleSite.root + "/") ? path : ConsoleSite.root
    }
}
