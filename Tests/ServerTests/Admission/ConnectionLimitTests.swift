import Testing

@testable import Server

@Suite("The limit of connections")
struct ConnectionLimitTests {
    @Test("leaves a quarter of the descriptors to everything else")
    func share() {
        #expect(ConnectionLimit.limit(descriptors: 1024) == 768)
        #expect(ConnectionLimit.limit(descriptors: 1 << 20) == 10_000)
        for descriptors in [256, 1024, 1 << 20] {
            let ofPrivate = ConnectionLimit.privateLimit(descriptors: descriptors)
            #expect(ofPrivate >= 32 && ConnectionLimit.limit(descriptors: descriptors) + ofPrivate <= descriptors / 8 * 7)
        }
    }
}
