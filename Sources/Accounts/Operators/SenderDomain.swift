import Project

/// What the DNS says of a domain that sends mail: SPF (RFC 7208), DMARC (RFC 7489) and DKIM (RFC 6376).
package struct SenderDomain: Sendable {
    /// Looks up the TXT records of a name.
    package typealias LookUp = @Sendable (_ name: String) async throws -> [String]

    /// What was found of one of the three.
    package struct Finding: Sendable, Hashable {
        package enum Kind: String, Sendable {
            case spf, dmarc, dkim
        }

        package enum Verdict: String, Sendable {
            case good
            /// There is no record.
            case missing
            /// There are several, or one that says nothing.
            case unusable
            /// The record asks receivers for nothing: DMARC's `p=none`, SPF's `+all` or `?all`.
            case weak
            /// No name server answered.
            case unknown
        }

        package let kind: Kind
        package let name: String
        package let verdict: Verdict
        package let records: [String]
    }

    private let lookUp: LookUp

    private static let longestRecord = 1024

    package init(lookUp: @escaping LookUp) { self.lookUp = lookUp }

    /// Whether a text may be a domain or a selector: letters, digits, hyphens, underscores and dots.
    package static func isName(_ text: String) -> Bool {
        (1...253).contains(text.utf8.count) && text.wholeMatch(of: /[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?/) != nil
            && !text.contains("..")
    }

    /// Looks a domain up.
    ///
    /// - Parameter selector: The selector of the key with which the mail server signs; `nil` leaves DKIM out.
    package func findings(_ domain: String, selector: String?) async -> [Finding] {
        guard Self.isName(domain) else { return [] }
        var findings = [
            await finding(.spf, at: domain, begins: "v=spf1") { record in
                let words = record.lowercased().split(separator: " ")
                return words.contains { ["+all", "all", "?all"].contains($0) } ? .weak : .good
            },
            await finding(.dmarc, at: "_dmarc.\(domain)", begins: "v=DMARC1") { record in
                switch Self.tag("p", in: record)?.lowercased() {
                case "reject", "quarantine": .good
                case "none": .weak
                default: .unusable
                }
            },
        ]
        if let selector, Self.isName(selector) {
            findings.append(
                await finding(.dkim, at: "\(selector)._domainkey.\(domain)", begins: "") { record in
                    // An empty key is a revoked one (RFC 6376 §3.6.1).
                    Self.tag("p", in: record)?.isEmpty == false ? .good : .unusable
                }
            )
        }
        return findings
    }

    private func finding(
        _ kind: Finding.Kind,
        at name: String,
        begins start: String,
        _ judge: (String) -> Finding.Verdict
    ) async -> Finding {
        do {
            let records = try await lookUp(name).filter { $0.lowercased().hasPrefix(start.lowercased()) }
            let verdict: Finding.Verdict =
                switch records.count {
                case 0: .missing
                case 1: judge(records[0])
                default: .unusable
                }
            let shown = records.prefix(4).map { $0.cut(toBytes: Self.longestRecord) }
            return Finding(kind: kind, name: name, verdict: verdict, records: Array(shown))
        } catch {
            return Finding(kind: kind, name: name, verdict: .unknown, records: [])
        }
    }

    // `name=value; name=value` (RFC 6376 §3.2).
    private static func tag(_ name: String, in record: String) -> String? {
        for part in record.split(separator: ";") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, pair[0].filter({ !$0.isWhitespace }) == name else { continue }
            return pair[1].filter { !$0.isWhitespace }
        }
        return nil
    }
}
