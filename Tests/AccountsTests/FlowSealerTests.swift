import Foundation
import Project
import Storage
import TestKit
import Testing
import Tokens

@testable import Accounts

@Suite("Secrets, answer and proof of a flow (JWT-18)", .timeLimit(.minutes(15)))
struct FlowSealerTests {
    private static let scope = Scope(projectID: "p")
    private static let answer = "code=c&state=s"

    private let clock = TestClock()

    private func sealer() throws -> TokenSealer {
        TokenSealer(masterKey: try MasterKey(bytes: Array(repeating: 1, count: 32)), environment: clock.environment())
    }

    private func flow(secrets: String, answer: String? = nil) -> AuthorizationFlowRecord {
        var flow = AuthorizationFlowRecord(
            stateHash: [1],
            scope: Self.scope,
            providerID: "oidc.a",
            clientID: "c",
            redirectURI: "https://b.c",
            sessionHash: [2],
            secrets: secrets,
            createdAt: clock.now,
            expiresAt: clock.now.advanced(by: .seconds(600))
        )
        flow.answer = answer
        return flow
    }

    @Test("open as what they are and as nothing else")
    func matrix() throws {
        let seals = FlowSealer(sealer: try sealer())
        let expiry = clock.now.advanced(by: .seconds(600))
        let secrets = try seals.seal(FlowSecrets(nonce: "n"), scope: Self.scope, expiresAt: expiry)
        let answer = try seals.seal(answer: Self.answer, of: flow(secrets: secrets))
        let proof = try seals.seal(proof: Data(#"{"nonce":"n"}"#.utf8), scope: Self.scope, expiresAt: expiry)
        #expect(try seals.secrets(of: flow(secrets: secrets)).nonce == "n")
        #expect(try seals.answer(of: flow(secrets: secrets, answer: answer)) == Self.answer)
        #expect(try seals.proof(proof, scope: Self.scope).isEmpty == false)
        for other in [answer, proof] {
            #expect(throws: TokenSealer.CannotOpen.self) { try seals.secrets(of: flow(secrets: other)) }
        }
        for other in [secrets, proof] {
            #expect(throws: TokenSealer.CannotOpen.self) { try seals.answer(of: flow(secrets: secrets, answer: other)) }
            let isProof = other == proof
            #expect(isProof || (try? seals.proof(other, scope: Self.scope)) == nil)
        }
        #expect(throws: TokenSealer.CannotOpen.self) { try seals.proof(answer, scope: Self.scope) }
    }

    @Test("are not told apart by what a stranger posts: no form that could be secrets is an answer")
    func forms() throws {
        let forms = [
            "", #"{"sessionID":"&state=s&"}"#, " {}", "\t{}", "\n{}", "\r{}", "\0{", "\u{FEFF}{}", "{\0", "\u{E9}=1",
        ]
        for form in forms { #expect(!FlowSealer.mayBeAnswer(form), "\(form)") }
        for form in [Self.answer, "state=s", "SAMLResponse=x", "%73tate=s", "&state=s", "1=2", "_a=b"] {
            #expect(FlowSealer.mayBeAnswer(form), "\(form)")
        }
    }

    @Test("of nodes of the version before open, and theirs of this one's")
    func versionBefore() throws {
        let sealer = try sealer()
        let seals = FlowSealer(sealer: sealer)
        let expiry = clock.now.advanced(by: .seconds(600))
        func old(_ text: String) throws -> String {
            try sealer.seal(Data(text.utf8), for: .authorizationFlow, scope: Self.scope, expiresAt: expiry)
        }
        let before = flow(secrets: try old(#"{"selection":{},"nonce":"n"}"#), answer: try old(Self.answer))
        let kept = try seals.answer(of: before)
        #expect(kept == Self.answer)
        let made = try seals.seal(answer: Self.answer, of: before)
        let opened = try sealer.open(made, for: .authorizationFlow, scope: Self.scope)
        #expect(opened == Data(Self.answer.utf8))
        clock.advance(by: .seconds(601))
        #expect(throws: TokenSealer.CannotOpen.self) { try seals.answer(of: before) }
    }
}
