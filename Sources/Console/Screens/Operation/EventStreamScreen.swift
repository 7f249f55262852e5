import Accounts
import HTTPTypes
import Hummingbird
import NIOCore
import Project
import ServiceLifecycle
import Storage

/// Events as they happen, for the script of ``EventsScreen`` (`text/event-stream`, HTML §9.2).
///
/// The stream ends with the operator's session, when the server stops, and when the client goes.
struct EventStreamScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/events/stream"
    static let afterField = "after"
    var needs: AdminScopes? { .read }

    private static let pause = Duration.seconds(1)
    // In looks at the trail. A session that ended sees no more events than those of so many seconds.
    private static let sessionCheck = 3
    // Connections that are silent for long are closed on their way.
    private static let heartbeat = 10

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (person, scope) = (try visit.person, try visit.call().scope)
        let tail = AuditTail(tools.useCases.operators.auditTrail, in: scope, after: visit.query.value(Self.afterField))
        let body = ResponseBody { [tools] writer in
            do {
                try await tools.load.holding(.stream, for: person) {
                    try await Self.follow(tail, visit, person, tools.console.sessions, &writer)
                }
            } catch ConsoleFailure.tooMuchAtOnce {
                try await writer.write(Self.message("end", ["reason": .string(visit.texts["error.tooMuchAtOnce"])]))
            }
            try await writer.finish(nil)
        }
        var headers = ConsoleRenderer.headers
        headers[.contentType] = "text/event-stream"
        return .response(Response(status: .ok, headers: headers, body: body))
    }

    private static func follow(
        _ start: AuditTail,
        _ visit: ConsoleVisit,
        _ person: ConsoleOperator,
        _ sessions: OperatorSessions,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        var tail = start
        // The browser knows by it that the stream has begun.
        try await writer.write(ByteBuffer(string: ": begun\n\n"))
        var looks = 0
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            if looks.isMultiple(of: sessionCheck) {
                guard try await sessions.isLive(person) else {
                    return try await writer.write(message("end", ["reason": .string(visit.texts["events.signedOut"])]))
                }
            }
            for event in try await tail.next() { try await writer.write(message(event, visit)) }
            if looks.isMultiple(of: heartbeat) { try await writer.write(ByteBuffer(string: ": \n\n")) }
            looks += 1
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: pause) }
        }
    }

    private static func message(_ event: AuditEvent, _ visit: ConsoleVisit) -> ByteBuffer {
        let cells = EventTable.row(event, visit).map(\.live)
        return message("row", ["id": .string(event.eventID), "cells": .array(cells)])
    }

    // JSON has no line breaks outside of texts, and escapes those inside.
    private static func message(_ name: String, _ data: JSONValue) -> ByteBuffer {
        ByteBuffer(string: "event: \(name)\ndata: \(data.text)\n\n")
    }
}
