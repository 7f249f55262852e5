import Project

extension Cell {
    /// The cell for scripts that add rows to a table: a kind, and texts that they put into elements of that kind.
    var live: JSONValue {
        switch self {
        case .text(let text), .foreign(let text): ["kind": "foreign", "text": .string(text)]
        case .code(let text): ["kind": "code", "text": .string(text)]
        case .link(let text, let path) where ConsolePath.isSafe(path):
            ["kind": "link", "text": .string(text), "path": .string(path)]
        case .link(let text, _): ["kind": "foreign", "text": .string(text)]
        case .time(let time): ["kind": "time", "text": .string(Self.shown(time)), "exact": .string(time.rfc3339)]
        case .badge(let text, _): ["kind": "foreign", "text": .string(text)]
        case .number(let number): ["kind": "code", "text": .string(Self.grouped(number))]
        case .several(let cells): ["kind": "several", "cells": .array(cells.map(\.live))]
        // Rows that are added by scripts have no forms.
        case .none, .forms: ["kind": "none"]
        }
    }
}
