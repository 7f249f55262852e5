extension Table {
    static let template = """
        {{#.form}}
        <form class="selection" id="{{.id}}" method="post" action="{{.action}}">
        {{>hidden}}
        <div class="buttons">
        {{#.buttons}}
        {{>button}}
        {{/.buttons}}
        </div>
        </form>
        {{/.form}}
        <div class="scroll" tabindex="0" role="group" aria-labelledby="{{.id}}">
        <table{{#.hasSelection}} data-selection{{/.hasSelection}}\
        {{#.live}} data-live="{{.path}}" data-running="{{.running}}" data-ended="{{.ended}}"\
         data-pause="{{.pause}}" data-resume="{{.resume}}"{{/.live}}>
        <caption id="{{.id}}">{{.caption}}</caption>
        <thead><tr>
        {{#.hasSelection}}
        <td class="select"></td>
        {{/.hasSelection}}
        {{#.columns}}
        {{#.heading}}<th scope="col"{{#.isNumber}} class="end"{{/.isNumber}}>{{.text}}</th>{{/.heading}}\
        {{^.heading}}<td></td>{{/.heading}}

        {{/.columns}}
        </tr></thead>
        <tbody>
        {{#.rows}}
        <tr>
        {{#.box}}
        <td class="select"><input type="checkbox" form="{{.form}}" name="{{.name}}" value="{{.value}}" aria-label="{{.label}}"></td>
        {{/.box}}
        {{#.cells}}
        {{#.isHeading}}<th scope="row">{{>cell}}</th>{{/.isHeading}}{{^.isHeading}}<td{{#.isNumber}} class="end"{{/.isNumber}}>{{>cell}}</td>{{/.isHeading}}

        {{/.cells}}
        </tr>
        {{/.rows}}
        </tbody>
        </table>
        {{#.empty}}
        <p class="empty">{{.text}}</p>
        {{/.empty}}
        </div>
        {{#.next}}
        <p class="next">{{>link}}</p>
        {{/.next}}

        """

    func values(_ rendering: inout Rendering) -> Values {
        let numbers = columns.indices.map { column in !rows.isEmpty && rows.allSatisfy { Self.isNumber($0, column) } }
        var values: Values = [
            "id": rendering.id(), "caption": caption, "empty": section(rows.isEmpty ? emptyText : nil),
            "columns": zip(columns, numbers).map { Self.column($0, isNumber: $1) },
        ]
        if let next { values["next"] = next.values }
        if let live, ConsolePath.isSafe(live.path) {
            values["live"] =
                [
                    "path": live.path, "running": live.running, "ended": live.ended, "pause": live.pause,
                    "resume": live.resume,
                ] as Values
        }
        var boxes: [Values] = []
        if let selection, !rows.isEmpty {
            let id = rendering.id()
            values["hasSelection"] = true
            values["form"] =
                [
                    "id": id, "action": Form.action(selection.action),
                    "hidden": Form.hidden(selection.hidden, .post, rendering),
                    "buttons": selection.buttons.map { $0.values(rendering) },
                ] as Values
            boxes = zip(selection.values, selection.labels).map { value, label in
                [
                    "form": id, "name": selection.name, "value": value,
                    "label": rendering.texts.text("table.select", ["name": label]),
                ]
            }
        }
        values["rows"] = rows.enumerated().map { index, row in
            var shown: Values = [
                "cells": row.enumerated().map { column, cell in
                    var cell = cell.values(&rendering)
                    cell["isHeading"] = rowLabels && column == 0
                    cell["isNumber"] = column < numbers.count && numbers[column]
                    return cell
                }
            ]
            if index < boxes.count { shown["box"] = boxes[index] }
            return shown
        }
        return values
    }

    private static func column(_ heading: String, isNumber: Bool) -> Values {
        if heading.isEmpty { return [:] }
        return ["heading": ["text": heading, "isNumber": isNumber] as Values]
    }

    private static func isNumber(_ row: [Cell], _ column: Int) -> Bool {
        guard column < row.count else { return false }
        switch row[column] {
        case .number, .none: return true
        default: return false
        }
    }
}
