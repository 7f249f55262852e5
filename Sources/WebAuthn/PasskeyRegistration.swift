import Project

/// A new passkey whose registration was verified (WebAuthn §7.1).
package struct PasskeyRegistration: Sendable {
    package let credentialID: [UInt8]
    /// A COSE_Key of a kind that is supported.
    package let publicKey: [UInt8]
    package let signCount: Int64

    /// Verifies everything of a registration except its challenge.
    ///
    /// - Parameter clientData: Its `clientDataJSON`, already checked.
    /// - Throws: `APIError` `INVALID_CREDENTIAL_ID`, `INVALID_AUTHENTICATOR_RESPONSE`.
    package init(_ response: AuthenticatorResponse, clientData: [UInt8], party: RelyingParty) throws {
        let id = try response.credentialID()
        let object = try AuthenticatorResponse.member(response.attestationObject, "attestationObject")
        guard let attestation = try? CBOR(object), attestation.memberCount == 3, let format = attestation["fmt"]?.text,
            let statement = attestation["attStmt"], statement.memberCount != nil,
            let dataBytes = attestation["authData"]?.bytes
        else { throw RelyingParty.refusal("The attestation object is malformed.") }
        let data = try party.authenticatorData(dataBytes)
        guard let credential = data.credential, credential.id == id else {
            throw RelyingParty.refusal("The authenticator made another credential.")
        }
        guard let key = try? COSEKey(credential.publicKey) else {
            throw RelyingParty.refusal("The public key is not of a kind that was asked for.")
        }
        let isAttested =
            switch format {
            case "none": statement.memberCount == 0
            case "packed": Self.isSelfAttested(statement, key: key, signed: dataBytes + sha256(clientData))
            default: false
            }
        guard isAttested else { throw RelyingParty.refusal("The attestation is not one that was asked for.") }
        credentialID = id
        publicKey = credential.publicKey
        signCount = data.signCount
    }

    // WebAuthn §8.2: without a certificate, the new key itself signs the attestation.
    private static func isSelfAttested(_ statement: CBOR, key: COSEKey, signed: [UInt8]) -> Bool {
        guard statement.memberCount == 2, statement["alg"] == .integer(key.algorithm),
            let signature = statement["sig"]?.bytes
        else { return false }
        return key.verifies(signature, of: signed)
    }
}
