import Project
import SAML
import SAMLTestKit
import Testing

@Suite("Names that were asked for") struct NameIDTests {
    private static let old = "urn:oasis:names:tc:SAML:1.1:nameid-format:"
    private static let new = "urn:oasis:names:tc:SAML:2.0:nameid-format:"

    private func refusal(wanted: String?, sent: String?) async throws -> SAMLRefusal? {
        var scene = try Scene()
        scene.expectation.nameIDFormat = wanted
        return try await scene.refusal { $0.assertion?.nameIDFormat = sent }
    }

    @Test("another format than the one that was asked for") func format() async throws {
        let formats = [
            Self.old + "emailAddress", Self.old + "unspecified", Self.new + "persistent", Self.new + "transient",
            Self.old + "X509SubjectName",
        ]
        for wanted in formats {
            for sent in formats {
                #expect(try await refusal(wanted: wanted, sent: sent) == (wanted == sent ? nil : .otherNameIDFormat))
            }
            #expect(try await refusal(wanted: nil, sent: wanted) == nil)
        }
        #expect(try await refusal(wanted: Self.new + "persistent", sent: Self.new + "persistent\u{301}") == .nameIDFormat)
        #expect(try await refusal(wanted: "urn:example", sent: "urn:example") == .nameIDFormat)
    }

    @Test("both spellings of a format, and none for unspecified", arguments: ["emailAddress", "unspecified"])
    func spellings(_ name: String) async throws {
        #expect(try await refusal(wanted: Self.old + name, sent: Self.new + name) == nil)
        #expect(try await refusal(wanted: Self.new + name, sent: Self.old + name) == nil)
        #expect(try await refusal(wanted: Self.old + name, sent: nil) == (name == "unspecified" ? nil : .otherNameIDFormat))
        #expect(try await refusal(wanted: Self.new + "persistent", sent: nil) == .otherNameIDFormat)
    }

    private func refusal(_ format: String, _ qualifiers: [(name: String, value: String)]) async throws -> SAMLRefusal? {
        try await Scene().refusal {
            $0.assertion?.nameIDFormat = format
            $0.assertion?.change = { $0["saml:Subject"]?["saml:NameID"]?.attributes += qualifiers }
        }
    }

    @Test("the qualifiers of a persistent name are the provider and this service") func qualifiers() async throws {
        let persistent = Self.new + "persistent"
        let provider = try Scene.provider.get().entityID
        let service = "https://sp.example/metadata"
        #expect(try await refusal(persistent, []) == nil)
        #expect(try await refusal(persistent, [("NameQualifier", provider), ("SPNameQualifier", service)]) == nil)
        #expect(try await refusal(persistent, [("NameQualifier", "https://other.example")]) == .nameQualifier)
        #expect(try await refusal(persistent, [("NameQualifier", "")]) == .nameQualifier)
        #expect(try await refusal(persistent, [("SPNameQualifier", "https://other.example")]) == .nameQualifier)
        #expect(
            try await refusal(persistent, [("NameQualifier", provider), ("SPNameQualifier", service + "/")]) == .nameQualifier
        )
        #expect(try await refusal(Self.old + "emailAddress", [("NameQualifier", "https://other.example")]) == nil)
    }
}
