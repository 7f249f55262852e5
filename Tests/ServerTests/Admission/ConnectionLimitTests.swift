import Testing

@testable import Server

@Suite("The limit of connections")
struct ConnectionLimitTests {
    @Test("leaves a quarter of the descriptors to everything else")
    func share() {
        #expect(ConnectionLimit.limit(descriptors: 1024) == 768)
        #expect(ConnectionLimit.limit(descriptors: 1 << 20) == 10_000)
    }
}
