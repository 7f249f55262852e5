import Accounts
import Project
import WebAuthn

extension AuthenticatorResponse {
    /// Reads a `PublicKeyCredential` as `toJSON()` writes it, or with the part names of Google's API.
    init(_ body: ProtoObject, partName: String) throws {
        self.init()
        id = try body.text("id")
        rawID = try body.text("rawId")
        type = try body.text("type")
        guard let part = try body.object("response") ?? body.object(partName) else { return }
        clientData = try part.text("clientDataJSON")
        attestationObject = try part.text("attestationObject")
        authenticatorData = try part.text("authenticatorData")
        signature = try part.text("signature")
        userHandle = try part.text("userHandle")
    }
}
