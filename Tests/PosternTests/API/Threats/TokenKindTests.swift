import Project
import TestKit
import Testing

@Suite("What was issued for one purpose", .teardown, .timeLimit(.minutes(15)))
struct TokenKindTests {
    @Test("is refused at every place that takes another kind, and good at its own (JWT-09, JWT-18)")
    func matrix() async throws {
        let server = try await TestServer.start(environment: TokenKinds.environment, project: TokenKinds.project)
        let kinds = try await TokenKinds(server)
        for place in kinds.places {
            for kind in TokenKinds.Kind.allCases where kind != place.kind && !(place.name == "bearer" && kind == .adminToken) {
                let answer = try await place.show(try await kinds.value(kind))
                let message = answer.errorMessage ?? answer["error"]?.string ?? "\(answer.json)"
                #expect((400...401).contains(answer.status), "\(kind) at \(place.name): \(message)")
                #expect(place.refusals.contains { message.hasPrefix($0) }, "\(kind) at \(place.name): \(message)")
            }
            let own = try await place.show(try await kinds.value(place.kind))
            // TOTP's place sends a wrong code, so it gets as far as that.
            let isGood = own.status == 200 || own.errorMessage?.hasPrefix("INVALID_CODE") == true
            #expect(isGood, "\(place.kind) at \(place.name): \(own.json)")
        }
    }
}
