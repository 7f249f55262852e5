import Foundation
import Project
import SAML
import SAMLTestKit
import Testing

@Suite("Documents that are refused") struct DocumentTests {
    private static let root = "<samlp:Response xmlns:samlp=\"urn:oasis:names:tc:SAML:2.0:protocol\""

    private func signed() throws -> (scene: Scene, response: String) {
        let scene = try Scene()
        return (scene, try scene.response())
    }

    @Test(
        "document types: external and internal entities, their expansion, and attributes that default",
        arguments: [
            "<!DOCTYPE r>", "<!DOCTYPE r SYSTEM \"file:///etc/passwd\">",
            "<!DOCTYPE r PUBLIC \"a\" \"https://other.example/dtd\">",
            "<!DOCTYPE r [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>",
            "<!DOCTYPE r [<!ENTITY % x SYSTEM \"https://other.example/\">%x;]>",
            "<!DOCTYPE r [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\"><!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;\">]>",
            "<!DOCTYPE r [<!ATTLIST r ID ID #IMPLIED>]>", "<!DOCTYPE r [<!-- -->]>",
        ]
    ) func doctype(_ declaration: String) async throws {
        let (scene, response) = try signed()
        #expect(try await scene.refusal(of: declaration + response) == .doctype)
        #expect(try await scene.refusal(of: "<?xml version=\"1.0\"?>\n\(declaration)\n\(response)") == .doctype)
    }

    @Test("entities that are not declared") func entities() async throws {
        let (scene, response) = try signed()
        #expect(try await scene.refusal(of: response.replacing(Scene.nameID, with: "&x;")) == .malformed)
    }

    @Test("comments: in a name that they would cut, in a signature, and around the document") func comments() async throws {
        let scene = try Scene()
        let cut = try scene.response {
            $0.assertion?.nameID = "root@example.com.evil.example"
        }
        // Canonicalization drops the comment, so the signature would still hold.
        #expect(
            try await scene.refusal(of: cut.replacing("root@example.com.evil", with: "root@example.com<!---->.evil")) == .comment
        )
        #expect(try await scene.refusal(of: cut.replacing("<ds:DigestValue>", with: "<ds:DigestValue><!--x-->")) == .comment)
        #expect(try await scene.refusal(of: "<!-- -->" + cut) == .comment)
        #expect(try await scene.refusal(of: cut + "<!-- -->") == .comment)
    }

    @Test("processing instructions") func instructions() async throws {
        let (scene, response) = try signed()
        let cut = response.replacing("ada@example", with: "ada<?x y?>@example")
        #expect(try await scene.refusal(of: cut) == .processingInstruction)
        #expect(try await scene.refusal(of: "<?xml-stylesheet href=\"x\"?>" + response) == .processingInstruction)
    }

    @Test("character data in its other form is the same text") func characterData() async throws {
        let (scene, response) = try signed()
        let other = response.replacing(
            ">\(Scene.nameID)</saml:NameID>",
            with: "><![CDATA[ada]]>@example.<![CDATA[com]]></saml:NameID>"
        )
        #expect(other != response)
        #expect(try await scene.accept(other).nameID == Scene.nameID)
        let forged = response.replacing(">\(Scene.nameID)</saml:NameID>", with: "><![CDATA[root]]>@example.com</saml:NameID>")
        #expect(try await scene.refusal(of: forged) == .signature)
    }

    @Test(
        "what is no XML",
        arguments: [
            "", " ", "<", "<a>", "<a></b>", "{}", "<a/><b/>", "<a b=\"1\" b=\"2\"/>", "<x:a/>", "<a b='&#0;'/>", "<a>\u{1}</a>",
            "<?xml version=\"1.1\"?><a/>",
            "<a xmlns:x=\"\"/>", "<a xmlns:xml=\"urn:x\"/>", "<a xmlns:p=\"urn:x\" xmlns:q=\"urn:x\" p:b=\"1\" q:b=\"2\"/>",
        ]
    ) func malformed(_ text: String) async throws {
        #expect(try await Scene().refusal(of: text) == .malformed)
    }

    @Test("encodings other than UTF-8") func encodings() async throws {
        let (scene, response) = try signed()
        let wide = try #require(response.data(using: .utf16LittleEndian))
        #expect(try await scene.refusal(of: Array(wide)) == .encoding)
        #expect(try await scene.refusal(of: [0xFF, 0xFE] + Array(wide)) == .encoding)
        #expect(try await scene.refusal(of: Array(response.utf8) + [0]) == .encoding)
        #expect(try await scene.refusal(of: Array(response.utf8) + [0xC3]) == .encoding)
        for encoding in ["ISO-8859-1", "UTF-7", "UTF-16", "EBCDIC-CP-US", "x"] {
            let declared = "<?xml version=\"1.0\" encoding=\"\(encoding)\"?>" + response
            #expect(try await scene.refusal(of: declared) == .malformed)
        }
        #expect(try await scene.refusal(of: "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n" + response) == nil)
        #expect(try await scene.refusal(of: [0xEF, 0xBB, 0xBF] + Array(response.utf8)) == nil)
    }

    @Test("a megabyte") func megabyte() async throws {
        let scene = try Scene()
        let large = try scene.response { $0.assertion?.attributes = [("a", [String(repeating: "x", count: 1_000_000)])] }
        #expect(try await scene.refusal(of: large) == .tooLarge)
        let fitting = try scene.response { $0.assertion?.attributes = [("a", [String(repeating: "x", count: 400_000)])] }
        #expect(try await scene.refusal(of: fitting) == nil)
    }

    @Test("depth") func depth() async throws {
        let scene = try Scene()
        for count in [40, 1000, 40_000] {
            let deep =
                "\(Self.root)>\(String(repeating: "<a>", count: count))\(String(repeating: "</a>", count: count))</samlp:Response>"
            #expect(try await scene.refusal(of: deep) == .tooDeep)
        }
    }

    @Test("many elements, attributes and declarations of namespaces") func parts() async throws {
        let scene = try Scene()
        let elements = "\(Self.root)>\(String(repeating: "<a/>", count: 30_000))</samlp:Response>"
        #expect(try await scene.refusal(of: elements) == .tooManyParts)
        for prefix in ["a", "xmlns:a"] {
            for count in [70, 600, 30_000] {
                let attributes = (0..<count).map { " \(prefix)\($0)=\"u\"" }.joined()
                #expect(try await scene.refusal(of: "\(Self.root)\(attributes)/>") == .tooManyParts)
            }
        }
        // Each declaration is looked for in all that are in scope.
        let nested = (0..<39).map { level in
            "<a" + (0..<60).map { " xmlns:n\(level)_\($0)=\"urn:\(level):\($0)\"" }.joined() + ">"
        }
        let started = ContinuousClock.now
        #expect(try await scene.refusal(of: nested.joined() + String(repeating: "</a>", count: 39)) == .namespaces)
        #expect(started.duration(to: .now) < .seconds(5))
    }

    @Test("namespaces whose names are relative, which canonicalization cannot write") func relativeNamespace() async throws {
        let scene = try Scene()
        let forged = try scene.response { response in
            response.signature.digested = { _ in "" }
            response.assertion?.change = {
                $0["saml:Conditions"]?.attributes.append(("xmlns:r", "relative"))
                $0["saml:Conditions"]?.attributes.append(("r:a", "b"))
            }
        }
        #expect(try await scene.refusal(of: forged) == .signature)
    }

    @Test("a name under another namespace than it seems to have") func otherNamespace() async throws {
        let scene = try Scene()
        // All of the document is in the namespace of something else.
        let renamed = try scene.response().replacing("urn:oasis:names:tc:SAML:2.0:assertion", with: "urn:example")
        #expect(try await scene.refusal(of: renamed) == .noAssertion)
        // The prefix is bound anew on the name alone, after it was signed.
        let rebound = try scene.response().replacing("<saml:NameID ", with: "<saml:NameID xmlns:saml=\"urn:example\" ")
        #expect(try await scene.refusal(of: rebound) == .signature)
    }

    @Test("line ends are those that were signed") func lineEnds() async throws {
        let scene = try Scene()
        let response = try scene.response { $0.assertion?.attributes = [("a", ["1\n2\r3"])] }
        #expect(try await scene.accept(response).values("a") == ["1\n2\r3"])
        #expect(try await scene.accept(response.replacing("1\n2", with: "1\r\n2")).values("a") == ["1\n2\r3"])
    }
}
