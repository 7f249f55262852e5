import Project
import Testing

@testable import Tokens

@Suite("Verified tokens")
struct VerifiedTokenCacheTests {
    private func entry(_ localID: String) throws -> VerifiedTokenCache.Entry {
        let claims: JSONValue = [
            "sub": .string(localID), "user_id": .string(localID), "iat": 1, "auth_time": 1, "exp": 2,
            "firebase": ["sign_in_provider": "anonymous"],
        ]
        return .init(token: try #require(VerifiedIDToken(claims: claims, projectID: "p")), keyID: "k")
    }

    @Test("are remembered while they are used, and forgotten otherwise")
    func bounded() throws {
        let cache = VerifiedTokenCache(capacity: 10)
        for number in 0..<100 {
            cache[[UInt8(number)]] = try entry("user-\(number)")
            #expect(cache[[0]]?.token.localID == "user-0")
        }
        let remembered = (0..<100).filter { cache[[UInt8($0)]] != nil }
        #expect(remembered.count <= 20)
        #expect(remembered.contains(99))
        #expect(cache[[1]] == nil)
    }
}
