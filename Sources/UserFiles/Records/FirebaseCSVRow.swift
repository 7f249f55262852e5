import Project

/// The ways in which a row of Firebase's CSV can be read (`Docs/Contract/admin-accounts.md` §17.2).
///
/// Tools before 15.19 put quotes around a name only if it holds a comma, and double no quotes in it. So what begins with a quote may be a
/// name as it is, or one in quotes, and only the number of the cells behind it tells which.
struct FirebaseCSVRow {
    /// A cell as it stands in the file.
    struct Cell {
        enum Form { case raw, quoted, doubled, claims }

        /// Where its content is, without quotes around it.
        let range: Range<Int>
        let form: Form
        /// Whether the content has as many commas as lie between two names, so that it may be the end of one row and the beginning of the next.
        var mayHoldRows = false
    }

    /// One way to read the row.
    struct Reading {
        let cells: [Cell]
        /// Where the next row begins.
        let end: Int
    }

    /// Which ways there are, or why there is none.
    enum Outcome {
        case one(Reading)
        case several
        case none(reason: String)
    }

    private let text: [UInt8]
    private let isEnd: Bool
    private let firstLine: Int
    private var readings: [Reading] = []
    // What is left of the bytes that may be looked at. Hostile rows have more readings than anybody can count.
    private var work: Int

    /// The widths of rows in which only texts with a comma have quotes.
    private static let rawWidths = 26...28
    private static let claims = FirebaseCSVFormat.claimsColumn
    // At least as many stand between the last name of a row and the first of the next.
    private static let commasBetweenNames = 9
    private static let mostReadings = 64
    private static let workOfRow = 8192
    private static let workOfByte = 16

    private static let quote = UInt8(ascii: "\"")
    private static let comma = UInt8(ascii: ",")
    private static let lineFeed = UInt8(ascii: "\n")

    /// - Parameters:
    ///   - text: The bytes from the beginning of the row on, also those of lines that may belong to it.
    ///   - firstLine: How many of them are in the first line.
    init(_ text: [UInt8], firstLine: Int, isEnd: Bool) {
        self.text = text
        self.firstLine = firstLine
        self.isEnd = isEnd
        work = Self.workOfRow + Self.workOfByte * firstLine
    }

    /// Reads the row in all ways. A reading with a creation time, which every exported account has, goes before those without.
    mutating func read() -> Outcome {
        readOwn()
        read([], at: 0)
        if work < 0 { return .several }
        if readings.isEmpty { return .none(reason: reason) }
        let dated = readings.filter { !$0.cells[FirebaseCSVCell.created].range.isEmpty }
        let counted = dated.isEmpty ? readings.filter { !hasOddQuotes($0) } : dated
        guard counted.count == 1, let first = counted.first, !first.cells.contains(where: \.mayHoldRows) else { return .several }
        return .one(first)
    }

    func bytes(of cell: Cell) -> [UInt8] {
        let bytes = Array(text[cell.range])
        switch cell.form {
        case .raw, .quoted: return bytes
        case .doubled, .claims: break
        }
        var content: [UInt8] = []
        var place = 0
        while place < bytes.count {
            guard bytes[place] == Self.quote else {
                content.append(bytes[place])
                place += 1
                continue
            }
            let count = bytes[place...].prefix { $0 == Self.quote }.count
            // After a backslash, all quotes of a run of claims but the first are doubled; an odd number shows it.
            let isOdd = cell.form == .claims && content.last == UInt8(ascii: "\\") && !count.isMultiple(of: 2)
            content += repeatElement(Self.quote, count: isOdd ? (count + 1) / 2 : count / 2)
            place += count
        }
        return content
    }

    // MARK: Rows of tools before 15.19

    private mutating func read(_ cells: [Cell], at place: Int) {
        guard work >= 0 else { return }
        let column = cells.count
        if column == Self.rawWidths.upperBound {
            // Behind the last comma is the end of the line.
            if let end = lineEnd(place) { note(cells, end) }
            return
        }
        if column == Self.claims, place < text.count, text[place] != Self.comma {
            readClaims(cells, at: place)
            return
        }
        if FirebaseCSVCell.texts.contains(column), place < text.count, text[place] == Self.quote { readQuoted(cells, at: place) }
        guard let stop = separator(place) else { return }
        let cell = Cell(range: withoutReturn(place..<stop), form: .raw)
        guard fits(cell, column) else { return }
        let read = cells + [cell]
        if stop < text.count, text[stop] == Self.comma { return self.read(read, at: stop + 1) }
        if Self.rawWidths.contains(read.count) { note(read, min(stop + 1, text.count)) }
    }

    // A name in quotes holds a comma, and ends at the first quote before a comma, or at a later one in the same line.
    private mutating func readQuoted(_ cells: [Cell], at place: Int) {
        var (commas, breaks, hasEnded, scalars) = (0, false, false, 0)
        for index in place + 1..<text.count {
            // What would be longer over several lines is no name.
            if breaks, scalars > ProfileLimits.displayName { return }
            work -= 1
            if work < 0 { return }
            let byte = text[index]
            if byte == Self.quote, commas > 0, index + 1 < text.count, text[index + 1] == Self.comma {
                hasEnded = true
                let cell = Cell(
                    range: place + 1..<index,
                    form: .quoted,
                    mayHoldRows: commas >= Self.commasBetweenNames
                )
                read(cells + [cell], at: index + 2)
            }
            if byte == Self.comma { commas += 1 }
            breaks = breaks || byte == Self.lineFeed
            if hasEnded, byte == Self.lineFeed { return }
            if byte & 0xC0 != 0x80 { scalars += 1 }
        }
    }

    private mutating func readClaims(_ cells: [Cell], at place: Int) {
        if text[place] == Self.quote {
            guard let (range, next) = closed(place, isClaims: true) else { return }
            let behind = next < text.count && text[next] == Self.comma ? next + 1 : next
            guard let end = lineEnd(behind) else { return }
            return note(cells + [Cell(range: range, form: .claims)], end)
        }
        guard let stop = text[place...].firstIndex(of: Self.lineFeed) ?? (isEnd ? text.count : nil) else { return }
        work -= stop - place
        // Tools before 11.25 put no quotes around claims.
        var range = withoutReturn(place..<stop)
        if let last = text[range].last, last == Self.comma { range = range.lowerBound..<range.upperBound - 1 }
        let isObject = text[range].first == UInt8(ascii: "{") && text[range].last == UInt8(ascii: "}")
        if range.isEmpty || isObject { note(cells + [Cell(range: range, form: .raw)], min(stop + 1, text.count)) }
    }

    // MARK: Rows of 53 cells (RFC 4180)

    private mutating func readOwn() {
        var cells: [Cell] = []
        var place = 0
        while cells.count <= FirebaseCSVFormat.width {
            let next: Int
            if place < text.count, text[place] == Self.quote {
                guard let (range, end) = closed(place, isClaims: cells.count == Self.claims) else { return }
                let isClaims = cells.count == Self.claims
                // Quotes that nothing needs are a part of a text that Firebase's tools wrote as it is.
                guard isClaims || needsQuotes(range) else { return }
                cells.append(Cell(range: range, form: isClaims ? .claims : .doubled))
                next = end
            } else {
                guard let stop = separator(place) else { return }
                let cell = Cell(range: withoutReturn(place..<stop), form: .raw)
                guard FirebaseCSVCell.texts.contains(cells.count) || fits(cell, cells.count) else { return }
                cells.append(cell)
                next = stop
            }
            if next < text.count, text[next] == Self.comma {
                place = next + 1
                continue
            }
            guard let end = lineEnd(next) else { return }
            let isWhole = cells.count == FirebaseCSVFormat.width && cells[FirebaseCSVFormat.width - 1].range.isEmpty
            if isWhole || cells.count == FirebaseCSVFormat.width - 1 { note(cells, end) }
            return
        }
    }

    private mutating func note(_ cells: [Cell], _ end: Int) {
        // Who has signed in was created before: such a row has cells that others have pushed away.
        if cells[FirebaseCSVCell.created].range.isEmpty, !cells[FirebaseCSVCell.created + 1].range.isEmpty { return }
        // So has one with the profile of a provider's user who has no id.
        for (_, column) in FirebaseCSVFormat.providers where column + 3 < cells.count && cells[column].range.isEmpty {
            if cells[column + 1...column + 3].contains(where: { !$0.range.isEmpty }) { return }
        }
        readings.append(Reading(cells: cells, end: end))
        if readings.count > Self.mostReadings { work = -1 }
    }

    private func needsQuotes(_ range: Range<Int>) -> Bool {
        let content = text[range]
        return content.first == 0x20 || content.last == 0x20
            || content.contains { [Self.comma, Self.quote, Self.lineFeed, UInt8(ascii: "\r")].contains($0) }
    }

    // MARK: Bytes

    // The content of a cell whose quotes are doubled, and what comes behind its last quote.
    private mutating func closed(_ place: Int, isClaims: Bool) -> (range: Range<Int>, next: Int)? {
        var index = place + 1
        while index < text.count {
            work -= 1
            guard text[index] == Self.quote else {
                index += 1
                continue
            }
            var after = index
            while after < text.count, text[after] == Self.quote { after += 1 }
            // The end of the view is the end of the run only where the file ends.
            if after == text.count, !isEnd { return nil }
            let count = after - index
            let goesOn = isClaims && text[index - 1] == UInt8(ascii: "\\") && index - 1 > place
            if !count.isMultiple(of: 2), !goesOn { return (place + 1..<after - 1, after) }
            index = after
        }
        return nil
    }

    // The next comma or end of a line.
    private mutating func separator(_ place: Int) -> Int? {
        for index in place..<max(place, text.count) where text[index] == Self.comma || text[index] == Self.lineFeed {
            work -= index - place + 1
            return index
        }
        work -= text.count - place + 1
        return isEnd ? text.count : nil
    }

    // Where the next line begins, if this one ends here.
    private func lineEnd(_ place: Int) -> Int? {
        if place == text.count { return isEnd ? place : nil }
        if text[place] == Self.lineFeed { return place + 1 }
        guard text[place] == UInt8(ascii: "\r") else { return nil }
        if place + 1 == text.count { return isEnd ? place + 1 : nil }
        return text[place + 1] == Self.lineFeed ? place + 2 : nil
    }

    // A carriage return before the end of a line belongs to the end.
    private func withoutReturn(_ range: Range<Int>) -> Range<Int> {
        let isLast = range.upperBound == text.count || text[range.upperBound] == Self.lineFeed
        guard isLast, text[range].last == UInt8(ascii: "\r") else { return range }
        return range.lowerBound..<range.upperBound - 1
    }

    // MARK: Cells that have a form of their own

    private func fits(_ cell: Cell, _ column: Int) -> Bool { FirebaseCSVCell.fault(text[cell.range], column) == nil }

    // Rows without a creation time were not exported, but made by somebody, whose ids and addresses end with no quote.
    private func hasOddQuotes(_ reading: Reading) -> Bool {
        reading.cells.enumerated().contains { column, cell in
            cell.form == .raw && !FirebaseCSVCell.texts.contains(column) && column != Self.claims
                && text[cell.range].last == Self.quote
        }
    }

    private var reason: String {
        var cells: [ArraySlice<UInt8>] = text.prefix(firstLine).split(separator: Self.comma, omittingEmptySubsequences: false)
        if let last = cells.last, last.isEmpty || last.elementsEqual("\r".utf8) { cells.removeLast() }
        if Self.rawWidths.contains(cells.count) {
            for (column, cell) in cells.enumerated() where column != Self.claims {
                if let fault = FirebaseCSVCell.fault(cell, column) { return "cell \(column + 1) \(fault)" }
            }
        }
        return """
            its line has \(cells.count) cells, and none of the ways to read it has 26, 27 or 28 cells, as rows of firebase auth:export do, \
            or 53, as those of postern users export
            """
    }
}
