extension StringProtocol {
    /// Whether two texts are the same bytes. Swift takes texts for equal that Unicode calls equivalent.
    func isExactly(_ other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }
}
