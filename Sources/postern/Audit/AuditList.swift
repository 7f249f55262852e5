import Accounts
import ArgumentParser
import Foundation
import HTTPAPI
import Project
import Server
import Storage

extension Audit {
    /// `postern audit list`, and `postern audit` alone: the audit trail, latest events first.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show the audit trail, the latest events first.")

        @OptionGroup var config: ConfigOption
        @Option(help: "Nothing earlier: 2026-01-31T12:00:00Z, or so long ago: 30m, 24h, 7d.") var since: EarliestTime?
        @Option(help: "One user's events: id, or the e-mail address of one that exists.") var user: String?
        @Option(help: "One kind of event: signIn, refused, update, delete and so on.") var event: String?
        @Option(help: "How many at most.") var limit = 100
        @Option(help: "Go on behind the event with this id.") var after: String?
        @Option(help: "The tenant; without it, the project's own events.") var tenant: String?
        @Flag(help: "Print JSON.") var json = false

        func validate() throws {
            guard (1...AuditTrail.maximumEvents).contains(limit) else {
                throw ValidationError("--limit must be 1 to \(AuditTrail.maximumEvents)")
            }
        }

        func run() async throws {
            try await CommandStore.withUseCases(config, tenant: tenant, onlyReads: true) { workplace in
                var filter = AuditFilter(since: since?.time(at: ServerEnvironment.systemClock()), event: event, limit: limit)
                if let user {
                    // The events of a deleted user can still be found by the id.
                    let isAddress = user.contains("@")
                    filter.localID = isAddress ? try await workplace.account(user).account.localID : user
                }
                let trail = workplace.useCases.operators.auditTrail
                let (events, nextAfter) = try await trail.events(filter, after: after, in: workplace.context.scope)
                show(events, nextAfter)
            }
        }

        private func show(_ events: [AuditEvent], _ nextAfter: String?) {
            if json {
                var answer: JSONObject = ["events": .array(events.map(Self.describe))]
                answer["nextAfter"] = nextAfter.map(JSONValue.string)
                return print(JSONValue.object(answer).text)
            }
            var table = TextTable(["TIME", "EVENT", "USER", "ACTOR", "ADDRESS", "DETAIL"])
            for event in events {
                table.add([
                    event.occurredAt.rfc3339, event.event, event.localID, event.actor, event.address, event.detail?.text,
                ])
            }
            table.show()
            if let nextAfter { StandardError.write("There are more: --after \(TerminalText.printable(nextAfter))") }
        }

        private static func describe(_ event: AuditEvent) -> JSONValue {
            var members: JSONObject = [
                "id": .string(event.eventID), "time": .string(event.occurredAt.rfc3339), "event": .string(event.event),
                "actor": .string(event.actor),
            ]
            members["localId"] = event.localID.map(JSONValue.string)
            members["address"] = event.address.map(JSONValue.string)
            members["detail"] = event.detail
            if event.repeats > 0 { members["repeats"] = .integer(event.repeats) }
            members["lastTime"] = event.lastAt.map { .string($0.rfc3339) }
            return .object(members)
        }
    }
}

/// A point in time, or a time span before now.
enum EarliestTime: ExpressibleByArgument, Hashable {
    case at(Timestamp)
    case ago(Duration)

    init?(argument: String) {
        if let match = argument.wholeMatch(of: /([0-9]{1,6})([smhd])/), let count = Int64(match.1) {
            let unit: Int64 =
                switch match.2 {
                case "s": 1
                case "m": 60
                case "h": 3600
                default: 86_400
                }
            self = .ago(.seconds(count * unit))
        } else if let date = (try? Date(argument, strategy: .iso8601))
            ?? (try? Date(argument, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        {
            self = .at(Timestamp(date))
        } else {
            return nil
        }
    }

    func time(at now: Timestamp) -> Timestamp {
        switch self {
        case .at(let time): time
        case .ago(let duration): now - duration
        }
    }
}
