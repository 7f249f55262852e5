import Project
import UserFiles

/// What came of an import, for a page and for its script.
struct ImportReportView {
    let outcome: UserImportJob.Outcome
    let isDryRun: Bool
    let texts: ConsoleTexts

    private var counts: UserImporter.Counts { outcome.counts }

    private var isWhole: Bool { outcome.fault == nil && counts.rejected == 0 }

    private var summary: String {
        texts.text(
            isDryRun ? "imports.wouldDo" : "imports.did",
            [
                "rows": Cell.grouped(Int64(counts.rows)), "imported": Cell.grouped(Int64(counts.imported)),
                "unchanged": Cell.grouped(Int64(counts.unchanged)), "rejected": Cell.grouped(Int64(counts.rejected)),
            ]
        )
    }

    private var lines: [String] {
        var lines = outcome.rejected
        if outcome.unshown > 0 {
            lines.append(texts.text("imports.unshown", ["count": Cell.grouped(Int64(outcome.unshown))]))
        }
        return lines + outcome.notes.map { texts.text("imports.note", ["text": $0.text, "count": Cell.grouped(Int64($0.rows))]) }
    }

    var blocks: [Block] {
        var blocks: [Block] = [.notice(Notice(kind: isWhole ? .success : .warning, text: summary))]
        if let fault = outcome.fault {
            blocks.insert(.notice(Notice(kind: .error, text: texts["imports.fault"], items: [fault])), at: 0)
        }
        if !lines.isEmpty { blocks += [.heading(texts["imports.rows"]), .list(lines.map(Cell.foreign))] }
        return blocks
    }

    /// As lines of text, which the script puts into a list.
    var json: JSONValue {
        let fault = outcome.fault.map { ["\(texts["imports.fault"]) \($0)"] } ?? []
        return [
            "share": 1, "text": .string(summary), "items": .array((fault + lines).map(JSONValue.string)),
            "failed": .bool(outcome.fault != nil),
        ]
    }
}
