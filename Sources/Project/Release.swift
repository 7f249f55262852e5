/// What this program is.
package enum Release {
    /// The version that `CHANGELOG.md` describes, or with `-dev` the one that it is about to describe.
    package static let version = "0.2.0"
}
