import Project

/// A sign-in with a passkey whose signature was verified (WebAuthn §7.2).
package struct PasskeyAssertion: Sendable {
    /// The authenticator's signature counter.
    package let signCount: Int64

    /// Verifies a sign-in, but for its challenge.
    ///
    /// - Parameters:
    ///   - clientData: Its `clientDataJSON`, already checked.
    ///   - namedNobody: Whether the ceremony asked for no passkey in particular. Then the authenticator has to say whose it is.
    ///   - publicKey: A passkey that was stored without one signs nobody in.
    /// - Throws: `APIError` `INVALID_AUTHENTICATOR_RESPONSE`.
    package init(
        _ response: AuthenticatorResponse,
        clientData: [UInt8],
        userHandle: [UInt8],
        namedNobody: Bool,
        publicKey: [UInt8]?,
        party: RelyingParty
    ) throws {
        if let handle = response.userHandle, !handle.isEmpty {
            guard try AuthenticatorResponse.member(handle, "userHandle") == userHandle else {
                throw RelyingParty.refusal("The passkey belongs to another account.")
            }
        } else if namedNobody {
            // WebAuthn Level 3 §7.2, step 6.
            throw RelyingParty.refusal("The answer does not say whose passkey it is.")
        }
        let dataBytes = try AuthenticatorResponse.member(response.authenticatorData, "authenticatorData")
        let data = try party.authenticatorData(dataBytes)
        let signature = try AuthenticatorResponse.member(response.signature, "signature")
        guard let publicKey, let key = try? COSEKey(publicKey), key.verifies(signature, of: dataBytes + sha256(clientData)) else {
            throw RelyingParty.refusal("The signature is wrong.")
        }
        signCount = data.signCount
    }
}
