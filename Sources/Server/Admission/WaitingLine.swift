/// Those that wait, the longest first. Joining and leaving take the same time however long the line is.
struct WaitingLine {
    private struct Link {
        var previous: UInt64?
        var next: UInt64?
    }

    /// The one that has waited longest.
    private(set) var first: UInt64?
    private var last: UInt64?
    private var links: [UInt64: Link] = [:]

    /// Whether a number stands in the line.
    func contains(_ number: UInt64) -> Bool { links[number] != nil }

    /// Puts a number at the end; one that stands in the line stays where it is.
    mutating func join(_ number: UInt64) {
        guard links[number] == nil else { return }
        links[number] = Link(previous: last, next: nil)
        if let last { links[last]?.next = number } else { first = number }
        last = number
    }

    /// Takes a number out, if it stands in the line.
    mutating func leave(_ number: UInt64) {
        guard let place = links.removeValue(forKey: number) else { return }
        if let previous = place.previous { links[previous]?.next = place.next } else { first = place.next }
        if let next = place.next { links[next]?.previous = place.previous } else { last = place.previous }
    }
}
