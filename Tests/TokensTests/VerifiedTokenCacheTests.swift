import Project
import Testing

@testable import Tokens

@Suite("Verified tokens")
struct VerifiedTokenCacheTests {
    private func entry(_ localID: String) throws -> VerifiedTokenCache.Entry {
        let claims: JSONValue = [
            "sub": .string(localID), "user_id": .string(localID), "iat": 1, "auth_time": 1, "exp": 2,
            "firebase": ["session": "s", "sign_in_provider": "anonymous"],
        ]
        return .init(token: try #require(VerifiedIDToken(claims: claims, projectID: "p")), keyID: "k")
    }

    @Test("are remembered while they are used, and forgotten otherwise")
    func bounded() throws {
        let cache = VerifiedTokenCache(capacity: 10)
        for number in 0..<100 {
            cache["\(number)"] = try entry("user-\(number)")
            #expect(cache["0"]?.token.localID == "user-0")
        }
        let remembered = (0..<100).filter { cache["\($0)"] != nil }
        #expect(remembered.count <= 20)
        #expect(remembered.contains(99))
        #expect(cache["1"] == nil)
    }

    @Test("are not remembered when they are long, because their claims would fill the memory")
    func long() throws {
        let cache = VerifiedTokenCache()
        let token = String(repeating: "a", count: VerifiedTokenCache.longestToken)
        cache[token] = try entry("user")
        cache[token + "a"] = try entry("user")
        #expect(cache[token]?.token.localID == "user")
        #expect(cache[token + "a"] == nil)
    }
}
