package import Logging
import Project

/// Says once, on the private listener of a production server, that a client came as `owner`. Admin SDKs do so only in their emulator
/// mode, in which they take forged ID tokens without a signature for good (threat case EMU-06).
package struct OwnerWarning: Sendable {
    private let logger: Logger
    private let isSaid = LockedState(false)

    /// - Parameter logger: Where it says so.
    package init(logger: Logger) { self.logger = logger }

    /// Says it, the first time.
    func say() {
        let isFirst = isSaid.withLock { isSaid in
            defer { isSaid = true }
            return !isSaid
        }
        guard isFirst else { return }
        logger.warning(
            """
            a client of the private listener came as owner: an Admin SDK with FIREBASE_AUTH_EMULATOR_HOST takes forged ID tokens for \
            good; see Docs/Administration.md for other ways
            """
        )
    }
}
