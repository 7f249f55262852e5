import Project
import Synchronization
import TestKit
import Testing

@testable import Federation

@Suite("What providers publish of themselves", .timeLimit(.minutes(15)))
struct DiscoveryCacheTests {
    /// A provider that answers on command and counts its calls.
    private final class Provider: Sendable {
        private let state = Mutex((calls: 0, isUp: false))

        var calls: Int { state.withLock { $0.calls } }

        func mend() { state.withLock { $0.isUp = true } }

        var http: OutboundHTTP {
            OutboundHTTP { request, _ in
                let isUp = self.state.withLock { state in
                    state.calls += 1
                    return state.isUp
                }
                guard isUp, request.url == "https://id.example/.well-known/openid-configuration" else {
                    throw OutboundError.unreachable
                }
                let document: JSONValue = [
                    "issuer": "https://id.example/", "authorization_endpoint": "https://id.example/authorize",
                    "jwks_uri": "https://id.example/keys",
                ]
                return .init(status: 200, headers: [], body: Array(document.serialized()))
            }
        }
    }

    private let clock = TestClock()
    private let provider = Provider()

    private func succeeds(_ cache: DiscoveryCache) async -> Bool {
        (try? await cache.metadata(of: "https://id.example/")) != nil
    }

    @Test("are asked for once a second while the provider fails, however many want them")
    func outage() async {
        let cache = DiscoveryCache(environment: clock.environment(http: provider.http))
        let found = await withTaskGroup(of: Bool.self) { tasks in
            for _ in 0..<100 { tasks.addTask { await succeeds(cache) } }
            return await tasks.contains(true)
        }
        #expect(!found)
        #expect(await !succeeds(cache))
        #expect(provider.calls == 1)
        clock.advance(by: .milliseconds(1001))
        #expect(await !succeeds(cache))
        #expect(provider.calls == 2)
    }

    @Test("are asked for once by a hundred at a time")
    func singleFlight() async {
        provider.mend()
        let cache = DiscoveryCache(environment: clock.environment(http: provider.http))
        let all = await withTaskGroup(of: Bool.self) { tasks in
            for _ in 0..<100 { tasks.addTask { await succeeds(cache) } }
            return await tasks.allSatisfy { $0 }
        }
        #expect(all)
        #expect(provider.calls == 1)
    }
}
