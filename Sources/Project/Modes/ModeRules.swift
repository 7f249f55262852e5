/// Everything in which development, which stands in for the Firebase Auth emulator, differs from production: one named rule with its two
/// values for each difference. `Docs/Modes.md` is this table; a test compares the two.
///
/// The rules stand in the extensions of this folder, grouped by what they are about. Values of this type cannot be compared, so that code
/// outside this module can only ask for a rule and never for the mode. A value is a single byte, so it may be copied anywhere.
package struct ModeRules: Sendable {
    private let isProduction: Bool

    /// The rules of a server that is used.
    package static let production = ModeRules(isProduction: true)

    /// The rules of a stand-in for the Firebase Auth emulator.
    package static let development = ModeRules(isProduction: false)

    func rule<Value>(production: Value, development: Value) -> Value { isProduction ? production : development }
}
