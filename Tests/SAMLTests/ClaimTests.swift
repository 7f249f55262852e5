import Project
import SAML
import SAMLTestKit
import Testing

@Suite("What a verified response must say") struct ClaimTests {
    /// A change to the parts, and the check that finds it. `nil` is for changes that are allowed.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let refusal: SAMLRefusal?
        let change: @Sendable (inout SAMLTestResponse) -> Void

        init(_ name: String, _ refusal: SAMLRefusal?, _ change: @escaping @Sendable (inout SAMLTestResponse) -> Void) {
            testDescription = name
            self.refusal = refusal
            self.change = change
        }
    }

    @Test(
        "claims of the response",
        arguments: [
            Case("version", .version) { $0.version = "1.1" },
            Case("no ID", .missingID) { $0.id = "" },
            Case("an ID that is an expression", .missingID) { $0.id = "x')]" },
            Case("Destination of another service", .destination) { $0.destination = "https://other.example/__/auth/handler" },
            Case("Destination with more behind it", .destination) { $0.destination? += "/" },
            Case("empty Destination", .destination) { $0.destination = "" },
            Case("InResponseTo of another flow", .responseInResponseTo) { $0.inResponseTo = "_other" },
            Case("no InResponseTo", .responseInResponseTo) { $0.inResponseTo = nil },
            Case("Issuer of another provider", .responseIssuer) { $0.issuer = "https://other.example" },
            Case("no IssueInstant", .time) { $0.issueInstant = nil },
            Case("malformed IssueInstant", .time) { $0.issueInstant = "yesterday" },
            Case("issued in the future", .issuedInFuture) { $0.issueInstant = Scene.time(61) },
            Case("issued by a clock that is ahead", nil) { $0.issueInstant = Scene.time(60) },
            Case("issued before the request", .issuedBeforeRequest) { $0.issueInstant = Scene.time(-91) },
        ],
        [SAMLTestResponse.Signed.assertion, .response]
    )
    func response(_ example: Case, _ signed: SAMLTestResponse.Signed) async throws {
        let refusal = try await Scene().refusal {
            $0.signed = signed
            example.change(&$0)
        }
        #expect(refusal == example.refusal)
    }

    @Test("a response names its destination where it is signed itself", arguments: SAMLTestResponse.Signed.allCases)
    func destination(_ signed: SAMLTestResponse.Signed) async throws {
        var scene = try Scene()
        let service = try Scene.serviceKey.get()
        scene.expectation.decryptionKeys = [service.privateKey]
        for isEncrypted in [false, true] {
            let refusal = try await scene.refusal {
                $0.signed = signed
                $0.encryption = isEncrypted ? SAMLTestEncryption(certificate: service.certificate) : nil
                $0.destination = nil
            }
            #expect(refusal == (signed == .assertion ? nil : signed == .nothing ? .unsigned : .destination), "\(isEncrypted)")
        }
    }

    @Test("a response names its issuer where it is signed or encrypted", arguments: SAMLTestResponse.Signed.allCases)
    func issuer(_ signed: SAMLTestResponse.Signed) async throws {
        var scene = try Scene()
        let service = try Scene.serviceKey.get()
        scene.expectation.decryptionKeys = [service.privateKey]
        for isEncrypted in [false, true] {
            let refusal = try await scene.refusal {
                $0.signed = signed
                $0.encryption = isEncrypted ? SAMLTestEncryption(certificate: service.certificate) : nil
                $0.issuer = nil
            }
            let mayBeMissing = signed == .assertion && !isEncrypted
            #expect(refusal == (mayBeMissing ? nil : signed == .nothing ? .unsigned : .responseIssuer))
        }
    }

    @Test(
        "claims of the assertion",
        arguments: [
            Case("version", .version) { $0.assertion?.version = "2.1" },
            Case("no ID", .missingID) { $0.assertion?.id = "" },
            Case("Issuer of another provider", .issuer) { $0.assertion?.issuer = "https://other.example" },
            Case("Issuer that Unicode calls equivalent", .issuer) {
                $0.assertion?.issuer = "https://idp.example/metadata\u{301}"
            },
            Case("no Issuer", .issuer) { $0.assertion?.issuer = nil },
            Case("issued in the future", .issuedInFuture) { $0.assertion?.issueInstant = Scene.time(61) },
            Case("issued before the request", .issuedBeforeRequest) { $0.assertion?.issueInstant = Scene.time(-91) },
            Case("no IssueInstant", .time) { $0.assertion?.issueInstant = nil },
            Case("no NameID", .nameID) { $0.assertion?.nameID = nil },
            Case("empty NameID", .nameID) { $0.assertion?.nameID = " " },
            Case("endless NameID", .nameID) { $0.assertion?.nameID = String(repeating: "a", count: 1025) },
            Case("NameID of an entity", .nameIDFormat) {
                $0.assertion?.nameIDFormat = "urn:oasis:names:tc:SAML:2.0:nameid-format:entity"
            },
            Case("NameID of an unknown format", .nameIDFormat) { $0.assertion?.nameIDFormat = "urn:example" },
            Case("persistent NameID", nil) {
                $0.assertion?.nameIDFormat = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"
            },
            Case("NameID without a format", nil) { $0.assertion?.nameIDFormat = nil },
            Case("holder of key", .confirmation) {
                $0.assertion?.confirmationMethod = "urn:oasis:names:tc:SAML:2.0:cm:holder-of-key"
            },
            Case("Recipient of another service", .recipient) { $0.assertion?.recipient = "https://other.example/acs" },
            Case("no Recipient", .recipient) { $0.assertion?.recipient = nil },
            Case("InResponseTo of another flow", .inResponseTo) { $0.assertion?.inResponseTo = "_other" },
            Case("no InResponseTo", .inResponseTo) { $0.assertion?.inResponseTo = nil },
            Case("confirmation without an end", .time) { $0.assertion?.confirmationNotOnOrAfter = nil },
            Case("confirmation that has expired", .confirmationExpired) {
                $0.assertion?.confirmationNotOnOrAfter = Scene.time(-60)
            },
            Case("confirmation that expired within the skew", nil) { $0.assertion?.confirmationNotOnOrAfter = Scene.time(-59) },
            Case("confirmation that is not valid yet", .confirmationNotYet) {
                $0.assertion?.confirmationNotBefore = Scene.time(61)
            },
            Case("another audience", .audience) { $0.assertion?.audiences = [["https://other.example"]] },
            Case("no audience", .audience) { $0.assertion?.audiences = [] },
            Case("an empty restriction", .audience) { $0.assertion?.audiences = [[]] },
            Case("several audiences", nil) {
                $0.assertion?.audiences = [["https://other.example", "https://sp.example/metadata"]]
            },
            Case("a second restriction without us", .audience) {
                $0.assertion?.audiences = [["https://sp.example/metadata"], ["https://other.example"]]
            },
            Case("expired", .expired) { $0.assertion?.notOnOrAfter = Scene.time(-60) },
            Case("expired within the skew", nil) { $0.assertion?.notOnOrAfter = Scene.time(-59) },
            Case("not yet valid", .notYetValid) { $0.assertion?.notBefore = Scene.time(61) },
            Case("not yet valid within the skew", nil) { $0.assertion?.notBefore = Scene.time(60) },
            Case("no AuthnStatement", .authentication) { $0.assertion?.authnInstant = nil },
            Case("no AuthnContext", .authenticationContext) {
                $0.assertion?.change = { $0["saml:AuthnStatement"]?["saml:AuthnContext"] = nil }
            },
            Case("empty AuthnContext", .authenticationContext) {
                $0.assertion?.change = { $0["saml:AuthnStatement"]?["saml:AuthnContext"]?.nodes = [] }
            },
            Case("AuthnContext with an empty reference", .authenticationContext) {
                $0.assertion?.change = {
                    $0["saml:AuthnStatement"]?["saml:AuthnContext"]?["saml:AuthnContextClassRef"]?.nodes = [.text(" ")]
                }
            },
            Case("AuthnContext with a reference to a declaration", nil) {
                $0.assertion?.change = {
                    let reference = SAMLTestElement("saml:AuthnContextDeclRef", text: "https://idp.example/password")
                    $0["saml:AuthnStatement"]?["saml:AuthnContext"]?.nodes = [.element(reference)]
                }
            },
            Case("malformed AuthnInstant", .time) { $0.assertion?.authnInstant = "2030-02-30" },
            Case("signed in in the future", .authenticatedInFuture) { $0.assertion?.authnInstant = Scene.time(61) },
            Case("signed in too long ago", .authenticationTooOld) { $0.assertion?.authnInstant = Scene.time(-90 * 86_400 - 61) },
            Case("session that has ended", .sessionExpired) { $0.assertion?.sessionNotOnOrAfter = Scene.time(-60) },
            Case("AttributeStatement without an attribute", .emptyStatement) {
                $0.assertion?.change = { $0.nodes.append(.element(SAMLTestElement("saml:AttributeStatement"))) }
            },
            Case("endless name of an attribute", .attributes) {
                $0.assertion?.attributes = [(String(repeating: "a", count: 1025), ["b"])]
            },
        ],
        [SAMLTestResponse.Signed.assertion, .response]
    )
    func assertion(_ example: Case, _ signed: SAMLTestResponse.Signed) async throws {
        let refusal = try await Scene().refusal {
            $0.signed = signed
            example.change(&$0)
        }
        #expect(refusal == example.refusal)
    }

    @Test(
        "conditions and subjects that are not of the usual form",
        arguments: [
            Case("no Conditions", .conditions) { $0.assertion?.change = { $0["saml:Conditions"] = nil } },
            Case("two sets of Conditions", .conditions) {
                $0.assertion?.change = { assertion in assertion.nodes += assertion["saml:Conditions"].map { [.element($0)] } ?? []
                }
            },
            Case("an unknown condition", .unknownCondition) {
                $0.assertion?.change = { $0["saml:Conditions"]?.nodes.append(.element(SAMLTestElement("saml:Condition"))) }
            },
            Case("one-time use", nil) {
                $0.assertion?.change = { $0["saml:Conditions"]?.nodes.append(.element(SAMLTestElement("saml:OneTimeUse"))) }
            },
            Case("no Subject", .subject) { $0.assertion?.change = { $0["saml:Subject"] = nil } },
            Case("two Subjects", .subject) {
                $0.assertion?.change = { assertion in assertion.nodes += assertion["saml:Subject"].map { [.element($0)] } ?? [] }
            },
            Case("two names", .nameID) {
                $0.assertion?.change = { $0["saml:Subject"]?.nodes.append(.element(SAMLTestElement("saml:NameID", text: "eve"))) }
            },
            Case("an element in the name", .nameID) {
                $0.assertion?.change = {
                    $0["saml:Subject"]?["saml:NameID"]?.nodes.append(.element(SAMLTestElement("saml:b", text: "x")))
                }
            },
            Case("an encrypted name", .encryptedPart) {
                $0.assertion?.change = { $0["saml:Subject"]?.nodes.append(.element(SAMLTestElement("saml:EncryptedID"))) }
            },
            Case("a bearer beside another method", nil) {
                $0.assertion?.change = {
                    let other = SAMLTestElement(
                        "saml:SubjectConfirmation",
                        [("Method", "urn:oasis:names:tc:SAML:2.0:cm:sender-vouches")]
                    )
                    $0["saml:Subject"]?.nodes.insert(.element(other), at: 1)
                }
            },
        ]
    ) func form(_ example: Case) async throws {
        #expect(try await Scene().refusal(example.change) == example.refusal)
    }

    @Test(
        "what a provider answers when it refuses",
        arguments: [
            ("Responder", "AuthnFailed", SAMLRefusal.statusAuthnFailed), ("Requester", "RequestDenied", .statusRequestDenied),
            ("Responder", "", .statusResponder), ("Requester", "urn:unheard-of", .statusRequester),
            ("VersionMismatch", "", .statusVersionMismatch),
            ("unheard-of", "", .status), ("Requester", "NoPassive", .statusNoPassive),
        ]
    ) func status(_ outer: String, _ inner: String, _ expected: SAMLRefusal) async throws {
        let refusal = try await Scene().refusal {
            $0.status = "urn:oasis:names:tc:SAML:2.0:status:\(outer)"
            $0.innerStatus = inner.isEmpty ? nil : "urn:oasis:names:tc:SAML:2.0:status:\(inner)"
            $0.assertion = nil
            $0.signed = .nothing
        }
        #expect(refusal == expected)
    }

    @Test("a status that is not Success beside a signed assertion") func statusBesideAssertion() async throws {
        #expect(try await Scene().refusal { $0.status = "urn:oasis:names:tc:SAML:2.0:status:Requester" } == .statusRequester)
    }

    @Test("every refusal has a text of its own, which ends as a sentence") func texts() {
        #expect(Set(SAMLRefusal.allCases.map(\.text)).count == SAMLRefusal.allCases.count)
        #expect(SAMLRefusal.allCases.allSatisfy { $0.text.hasSuffix(".") })
    }
}
