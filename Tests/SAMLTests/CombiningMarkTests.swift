import Project
import SAML
import SAMLTestKit
import Testing

@Suite("Combining marks in what a provider says") struct CombiningMarkTests {
    private static let most = "a" + String(repeating: "\u{301}", count: StreamSafety.maximumMarks)
    private static let excess = most + "\u{301}"

    @Test("a NameID with more of them in a row than a text may have") func nameID() async throws {
        let scene = try Scene()
        #expect(try await scene.refusal { $0.assertion?.nameID = Self.most } == nil)
        #expect(try await scene.refusal { $0.assertion?.nameID = Self.excess } == .nameID)
    }

    @Test("attributes: such a value is left out, and such a name is refused") func attributes() async throws {
        let scene = try Scene()
        let response = try scene.response {
            $0.assertion?.attributes = [("displayName", [Self.excess, Self.most]), ("mail", [Self.excess])]
        }
        let assertion = try await scene.accept(response)
        #expect(assertion.attributes.map(\.name) == ["displayName", "mail"])
        #expect(assertion.attributes.map { $0.values.map(\.utf8.count) } == [[Self.most.utf8.count], []])
        #expect(try await scene.refusal { $0.assertion?.attributes = [(Self.most, ["x"])] } == nil)
        #expect(try await scene.refusal { $0.assertion?.attributes = [(Self.excess, ["x"])] } == .attributes)
    }
}
