import HTTPTypes
import NIOCore
import Testing

@testable import Server

@Suite("Whose turn it is")
struct RequestStateTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    private func state(_ budget: FairShare? = nil, isStream: Bool = false) throws -> RequestState {
        var patience = RequestState.Patience()
        patience.idle = .seconds(75)
        let connection = try budget.map { try connectionGuard($0) } ?? connectionGuard()
        var state = RequestState(connection, isStream: isStream, patience: patience)
        state.connects(at: start)
        return state
    }

    private func head(_ length: Int? = nil) -> HTTPRequest {
        var head = HTTPRequest(method: .post, scheme: nil, authority: "x", path: "/")
        if let length { head.headerFields[.contentLength] = "\(length)" }
        return head
    }

    private func isHandedOn(_ step: RequestState.Step) -> Bool {
        if case .handedOn = step { return true }
        return false
    }

    private func after(_ seconds: Int64) -> NIODeadline { start + .seconds(seconds) }

    private func begin(_ state: inout RequestState, _ length: Int? = nil, at seconds: Int64 = 0) -> Bool {
        isHandedOn(state.readHead(head(length), from: "192.0.2.1", at: after(seconds)))
    }

    private func ask(_ state: inout RequestState, at seconds: Int64 = 0) -> Bool {
        begin(&state, 0, at: seconds) && isHandedOn(state.readEnd(at: after(seconds)))
    }

    private func answer(_ state: inout RequestState, at seconds: Int64) {
        _ = state.answerHead(.ok)
        if let exchange = state.answerEnd(at: after(seconds)) { state.release(exchange, at: start) }
    }

    private func isClose(_ due: RequestState.Due?) -> Bool {
        if case .end(.close, hearing: nil)? = due { return true }
        return false
    }

    @Test("is nobody's behind a request that was the last by its own words, or whose body is not to be read")
    func lastRequest() throws {
        var state = try state()
        var last = head(0)
        last.headerFields[.connection] = "close"
        let isLastRead = isHandedOn(state.readHead(last, from: "192.0.2.1", at: start)) && isHandedOn(state.readEnd(at: start))
        #expect(isLastRead)
        answer(&state, at: 1)
        let isNextRead = ask(&state, at: 2)
        #expect(!isNextRead)
        #expect(state.isDeaf && !state.isServersTurn && state.connection.exchanges == 0)
        // The time between requests runs on.
        let due = state.due(at: after(77))
        #expect(isClose(due))

        var refused = try self.state(FairShare(total: 1, perAddress: 1))
        let isRefusedRead = begin(&refused)
        #expect(!isRefusedRead && !refused.isDeaf)
        _ = refused.readEnd(at: start)
        let isBehindRead = begin(&refused)
        #expect(!isBehindRead && refused.isDeaf)
    }

    @Test("is the client's until its request is complete, then the server's until the answer has left")
    func turns() throws {
        var state = try state()
        #expect(!state.isServersTurn)
        let isBegun = begin(&state, 1)
        #expect(isBegun)
        #expect(!state.isServersTurn)
        #expect(state.waiting == 1)
        let isBodyRead = isHandedOn(state.readBody(1, at: start))
        let isEndRead = isHandedOn(state.readEnd(at: start))
        #expect(isBodyRead && isEndRead)
        #expect(state.isServersTurn)
        #expect(state.waiting == nil)
        answer(&state, at: 1)
        #expect(!state.isServersTurn)
        #expect(state.connection.exchanges == 0)
        #expect(state.memory.budget.used == 0)
    }

    @Test("ends for a connection that asks for nothing, and not while an answer is made")
    func idle() throws {
        var state = try state()
        #expect(state.time.next == after(75))
        let isAsked = ask(&state, at: 10)
        #expect(isAsked)
        #expect(state.time.next == nil)
        answer(&state, at: 100)
        #expect(state.time.next == after(175))
        let early = state.due(at: after(174))
        let late = state.due(at: after(175))
        #expect(early == nil)
        #expect(isClose(late))
    }

    @Test("ends for a request that is not complete in time, and what waits for it hears so")
    func slow() throws {
        var state = try state()
        _ = begin(&state, 10, at: 5)
        _ = state.readBody(1, at: after(60))
        #expect(state.time.next == after(65))
        guard case .end(.close, hearing: let error?)? = state.due(at: after(65)) else {
            Issue.record("not ended")
            return
        }
        #expect(error is RequestState.TooSlow)
    }

    @Test("ends for a client that takes nothing, counted from the last that it took")
    func stalled() throws {
        var state = try state()
        _ = ask(&state)
        state.writabilityChanges(to: false, at: after(1))
        #expect(state.time.next == after(61))
        state.writabilityChanges(to: true, at: after(30))
        #expect(state.time.next == nil)
        state.writabilityChanges(to: false, at: after(40))
        let due = state.due(at: after(100))
        #expect(isClose(due))
    }

    @Test("ends for the rest of a request that is answered, of which little is read; the answer says so")
    func unfinished() throws {
        var state = try state()
        _ = begin(&state)
        let saysSo = state.answerHead(.notFound)
        #expect(saysSo)
        if let exchange = state.answerEnd(at: start) { state.release(exchange, at: start) }
        _ = state.readBody(RequestState.mostSkipped, at: start)
        #expect(!state.isDeaf)
        _ = state.readBody(1, at: start)
        #expect(state.isDeaf)
        guard case .end(.cut, hearing: nil)? = state.due(at: after(1)) else {
            Issue.record("not ended")
            return
        }
    }

    @Test("ends a second after the server stops for a request that waits for its body, and for no other")
    func stop() throws {
        var waiting = try state(isStream: true)
        _ = begin(&waiting, 10)
        let isWaitingClosed = waiting.stop(at: start)
        guard case .end(.cut, hearing: let error?)? = waiting.due(at: after(1)) else {
            Issue.record("not ended")
            return
        }
        #expect(!isWaitingClosed)
        #expect(error is CancellationError)
        var working = try state()
        _ = ask(&working)
        let isWorkingClosed = working.stop(at: start)
        #expect(!isWorkingClosed)
        let due = working.due(at: after(1))
        #expect(due == nil)
        answer(&working, at: 2)
        #expect(working.endsWhenAnswered && working.exchanges.isEmpty)
        var silent = try state()
        let isSilentClosed = silent.stop(at: start)
        #expect(isSilentClosed)
    }

    @Test("is asked of a client that has ended its side each second while its answer is made")
    func probe() throws {
        var state = try state()
        _ = ask(&state)
        state.inputEnds(at: start)
        for second in 1...3 as ClosedRange<Int64> {
            guard case .inform? = state.due(at: after(second)) else {
                Issue.record("not asked")
                return
            }
            let more = state.due(at: after(second))
            #expect(more == nil)
        }
        _ = state.answerHead(.ok)
        let answering = state.due(at: after(4))
        #expect(answering == nil)
        if let exchange = state.answerEnd(at: after(4)) { state.release(exchange, at: start) }
        let answered = state.due(at: after(5))
        #expect(answered == nil)
        #expect(state.time.next == after(79))
    }

    @Test("does not come without room: a head is refused, a body is answered by what waits for it")
    func overBudget() throws {
        let budget = FairShare(total: 10_000, perAddress: 10_000)
        var first = try state(budget)
        _ = begin(&first, 10_000)
        guard case .failed = first.readBody(10_000, at: start) else {
            Issue.record("has room")
            return
        }
        #expect(first.isRefused)
        answer(&first, at: 1)
        #expect(first.isClosing)
        #expect(budget.used == 0)
        #expect(budget.works(try budget.reserve(9000, for: nil) {}))
        var second = try state(budget)
        guard case .refused(let answer) = second.readHead(head(), from: "192.0.2.1", at: start) else {
            Issue.record("has room")
            return
        }
        #expect(answer.head.status == .serviceUnavailable)
        let next = second.readHead(head(), from: "192.0.2.1", at: start)
        #expect(!isHandedOn(next))
    }
}
