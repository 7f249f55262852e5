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

    /// The address to return to; any other than a page of the console leads to its start.
    static func back(_ form: ConsoleForm) -> String {
        let path = form[back]
        return ConsolePath.isSafe(path) && path.hasPrefix(ConsoleSite.root + "/") ? path : ConsoleSite.root
    }
}
