/// A message about an action or a state.
struct Notice: Sendable {
    enum Kind: String, Sendable, CaseIterable {
        case information, success, warning, error
    }

    let kind: Kind
    let text: String
    var items: [String] = []
}
