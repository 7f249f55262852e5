import Project

/// The form of a setting's value: how it is read, checked and described.
struct ValueForm<Value: Sendable>: Sendable {
    /// Completes "expected …", in errors and in the table of keys.
    let expected: String
    /// Whether an error may repeat a wrong value. It may not when the value may contain a password.
    let isEchoed: Bool
    /// Reads the value; `nil` when it has a wrong type or form.
    let read: @Sendable (WrittenValue) -> Value?

    /// A form that is read from text.
    static func text(
        _ expected: String,
        isEchoed: Bool = true,
        _ parse: @escaping @Sendable (String) -> Value?
    ) -> ValueForm {
        ValueForm(expected: expected, isEchoed: isEchoed) { $0.string.flatMap(parse) }
    }

    /// A list of items. The parser of an item must refuse empty text, because an empty API key would admit every client.
    static func list<Item: Sendable>(
        of expected: String,
        _ parse: @escaping @Sendable (String) -> Item?
    ) -> ValueForm where Value == [Item] {
        ValueForm(expected: "a list of \(expected) (separated by commas in the environment)", isEchoed: true) { written in
            guard let texts = written.list else { return nil }
            let items = texts.compactMap(parse)
            return items.count == texts.count ? items : nil
        }
    }
}

extension ValueForm<Int> {
    /// A whole number within bounds.
    static func integer(in range: ClosedRange<Int>) -> ValueForm {
        ValueForm(expected: "a whole number from \(range.lowerBound) to \(range.upperBound)", isEchoed: true) {
            $0.integer.flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension ValueForm<Bool> {
    /// `true` or `false`.
    static let boolean = ValueForm(expected: "true or false", isEchoed: true) { $0.bool }
}

extension ValueForm where Value: RawRepresentable<String> & CaseIterable {
    /// One of the words of an enumeration.
    static var word: ValueForm {
        .text(Value.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ").replacingLastComma(with: " or"), Value.init)
    }
}

extension ValueForm<String> {
    /// Text that is not empty and has no control characters.
    static let text = ValueForm.text("text") { $0.isPlainText ? $0 : nil }

    /// The path of a file. A relative path starts at the working directory.
    static let path = ValueForm.text("the path of a file") { $0.isPlainText ? $0 : nil }

    /// A host name or an IP address.
    static let host = ValueForm.text("a host name or an IP address without brackets") {
        $0.wholeMatch(of: /[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?/) != nil || IPAddress($0) != nil ? $0 : nil
    }

    /// Text of a minimum length, in characters.
    static func text(atLeast length: Int) -> ValueForm {
        .text("at least \(length) characters") { $0.isPlainText && $0.count >= length ? $0 : nil }
    }
}

extension ValueForm<WebURL> {
    /// Any absolute http(s) URL.
    static let webURL = ValueForm.text("an absolute http or https URL without user name or fragment", isEchoed: false) {
        WebURL($0)
    }

    /// An http(s) URL that paths are appended to.
    static let baseURL = ValueForm.text(
        "an absolute http or https URL without user name, query, fragment or trailing slash",
        isEchoed: false
    ) {
        WebURL($0).flatMap { $0.isBase ? $0 : nil }
    }
}

extension String {
    /// Whether the text is not empty and has no control characters, so that it cannot begin a new line or header.
    var isPlainText: Bool {
        !isEmpty && unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }

    fileprivate func replacingLastComma(with word: String) -> String {
        guard let comma = lastIndex(of: ",") else { return self }
        return replacingCharacters(at: comma, with: word)
    }

    private func replacingCharacters(at index: Index, with word: String) -> String {
        self[..<index] + word + self[self.index(after: index)...]
    }
}
