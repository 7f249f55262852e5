/// Verifies one response. It runs on a thread that may be busy for some milliseconds.
struct ResponseVerification {
    let expectation: SAMLExpectation

    func assertion(in response: [UInt8]) throws -> SAMLAssertion {
        let shown = try ResponseLayout(response: XMLDocument(response, within: .response))
        // From here on a signed response is what was digested, and no longer what was sent.
        let answer = try shown.responseSignature.map { try signedResponse(shown, $0) } ?? shown
        let assertion = try signedAssertion(shown, answer)
        return try ClaimCheck(
            response: answer.root,
            assertion: assertion,
            needsDestination: shown.responseSignature != nil,
            needsResponseIssuer: shown.responseSignature != nil || answer.isEncrypted,
            expectation: expectation
        ).read()
    }

    private var signedPart: SignedPart {
        SignedPart(certificates: expectation.certificates, acceptsSHA1: expectation.acceptsSHA1)
    }

    private func signedResponse(_ shown: ResponseLayout, _ signature: XMLElement) throws -> ResponseLayout {
        let answer = try ResponseLayout(response: XMLDocument(signedPart.bytes(under: signature), within: .response))
        guard answer.responseSignature == nil, answer.isEncrypted == shown.isEncrypted,
            try Self.isSame(answer.root, shown.root), try answer.isEncrypted || Self.isSame(answer.assertion, shown.assertion)
        else { throw SAMLRefusal.signedContent }
        return answer
    }

    private func signedAssertion(_ shown: ResponseLayout, _ answer: ResponseLayout) throws -> XMLElement {
        let isAnswerSigned = shown.responseSignature != nil
        let clear: ResponseLayout
        if answer.isEncrypted {
            let keys = expectation.decryptionKeys
            clear = try ResponseLayout(assertion: EncryptedAssertion(keys: keys).document(in: answer.assertion))
        } else {
            // A signature may cover declarations of namespaces that stand on the response as it was sent.
            clear = shown
        }
        guard let signature = clear.assertionSignature else {
            guard isAnswerSigned else { throw SAMLRefusal.unsigned }
            return answer.isEncrypted ? clear.assertion : answer.assertion
        }
        let signed = try ResponseLayout(assertion: XMLDocument(signedPart.bytes(under: signature), within: .response))
        guard signed.assertionSignature == nil, try Self.isSame(signed.assertion, clear.assertion) else {
            throw SAMLRefusal.signedContent
        }
        return signed.assertion
    }

    private static func isSame(_ one: XMLElement, _ other: XMLElement) throws -> Bool {
        guard let id = one.attribute("ID"), let otherID = other.attribute("ID") else { throw SAMLRefusal.missingID }
        return id.isExactly(otherID)
    }
}
