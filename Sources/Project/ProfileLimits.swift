/// The longest texts of a user's profile, counted as Unicode scalars (`Docs/Contract/conventions.md` §4.2).
package enum ProfileLimits {
    /// The name to show.
    package static let displayName = 256
    /// The address of the picture.
    package static let photoURL = 2048
}
