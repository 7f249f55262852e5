extension Error {
    /// The error in words for operators, without the notation of Swift's own descriptions.
    ///
    /// An error that describes itself is written as it says. Of other errors the name of the case or type is written, and behind it
    /// what the error carries.
    package var plainText: String { PlainText.of(self) }
}

/// Writes values for the log.
private enum PlainText {
    // Errors carry errors; deeper ones say nothing new.
    private static let maximumDepth = 4

    static func of(_ value: Any, depth: Int = 0) -> String {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional {
            guard let some = mirror.children.first else { return "none" }
            return of(some.value, depth: depth)
        }
        if value is any CustomStringConvertible || depth >= maximumDepth { return "\(value)" }
        let parts = mirror.children.map { of($0.value, depth: depth + 1) }
        switch mirror.displayStyle {
        case .enum:
            guard let carried = mirror.children.first else { return words("\(value)") }
            return ([words(carried.label ?? "")] + parts).filter { !$0.isEmpty }.joined(separator: ": ")
        case .tuple: return parts.joined(separator: ", ")
        case .struct, .class:
            let name = words("\(type(of: value))")
            return parts.isEmpty ? name : "\(name): \(parts.joined(separator: ", "))"
        default: return "\(value)"
        }
    }

    // `outcomeUnknown` becomes "outcome unknown".
    private static func words(_ name: String) -> String {
        name.reduce(into: "") { text, character in
            if character.isUppercase, let last = text.last, last.isLowercase { text.append(" ") }
            text.append(contentsOf: character.isUppercase ? character.lowercased() : String(character))
        }
    }
}
