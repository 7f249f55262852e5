import HTTPAPI

extension Table {
    func html(_ rendering: inout Rendering) -> HTML {
        let id = rendering.id()
        let formID = rows.isEmpty || selection == nil ? nil : rendering.id()
        return .several([
            form(formID, rendering),
            HTML("div", ["class": "scroll", "tabindex": "0", "role": "group", "aria-labelledby": id]) {
                HTML("table", ["data-selection": formID != nil], and: liveAttributes) {
                    HTML("caption", ["id": id], caption)
                    HTML("thead") { headings(hasSelection: formID != nil) }
                    HTML("tbody") { rows.indices.map { row($0, formID, &rendering) } }
                }
                if rows.isEmpty { HTML("p", ["class": "empty"], emptyText) }
            },
            .several(next.map { next in [HTML("p", ["class": "next"]) { next.html }] } ?? []),
        ])
    }

    private func form(_ id: String?, _ rendering: Rendering) -> HTML {
        guard let id, let selection else { return .several([]) }
        let action = Form.action(selection.action)
        return HTML("form", ["class": "selection", "id": id, "method": "post", "action": action]) {
            Form.hidden(selection.hidden, .post, rendering)
            HTML("div", ["class": "buttons"]) { selection.buttons.map { $0.html(rendering.texts) } }
        }
    }

    private var liveAttributes: HTML.Attributes {
        guard let live, ConsolePath.isSafe(live.path) else { return [:] }
        return [
            "data-live": live.path, "data-running": live.running, "data-ended": live.ended, "data-pause": live.pause,
            "data-resume": live.resume,
        ]
    }

    private func headings(hasSelection: Bool) -> HTML {
        HTML("tr") {
            if hasSelection { HTML("td", ["class": "select"]) }
            columns.indices.map { column in
                if columns[column].isEmpty { return HTML("td") }
                return HTML("th", ["scope": "col", "class": isNumeric(column) ? "end" : nil], columns[column])
            }
        }
    }

    private func row(_ index: Int, _ formID: String?, _ rendering: inout Rendering) -> HTML {
        HTML("tr") {
            if let formID, let selection { box(index, formID, selection, rendering.texts) }
            rows[index].enumerated().map { column, cell in
                if rowLabels, column == 0 { return HTML("th", ["scope": "row"]) { cell.html(&rendering) } }
                return HTML("td", ["class": isNumeric(column) ? "end" : nil]) { cell.html(&rendering) }
            }
        }
    }

    private func box(_ index: Int, _ formID: String, _ selection: Selection, _ texts: ConsoleTexts) -> HTML {
        guard index < min(selection.values.count, selection.labels.count) else { return .several([]) }
        let attributes: HTML.Attributes = [
            "type": "checkbox", "form": formID, "name": selection.name, "value": selection.values[index],
            "aria-label": texts.text("table.select", ["name": selection.labels[index]]),
        ]
        return HTML("td", ["class": "select"]) { HTML("input", attributes) }
    }

    /// Whether a column has numbers in every row.
    private func isNumeric(_ column: Int) -> Bool {
        column < columns.count && !rows.isEmpty
            && rows.allSatisfy { row in
                guard column < row.count else { return false }
                switch row[column] {
                case .number, .none: return true
                default: return false
                }
            }
    }
}
