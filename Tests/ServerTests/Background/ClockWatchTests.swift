import Project
import Testing

@testable import Server

@Suite("A jump of the system's clock (OPS-03)")
struct ClockWatchTests {
    @Test("is noticed when it was moved by more than a minute")
    func noticed() {
        var watch = ClockWatch()
        var (wall, steady) = (Timestamp(seconds: 1_000_000), ContinuousClock.now)
        #expect(watch.jump(wall: wall, steady: steady) == nil)
        for (wallSeconds, steadySeconds, expected) in [
            (1, 1, nil), (7200, 7200, nil), (61, 1, nil), (62, 1, 61), (-3599, 1, -3600), (1, 1, nil), (-59, 1, nil),
        ] as [(Int, Int, Int64?)] {
            wall = wall.advanced(by: .seconds(wallSeconds))
            steady += .seconds(steadySeconds)
            #expect(watch.jump(wall: wall, steady: steady) == expected)
        }
    }
}
