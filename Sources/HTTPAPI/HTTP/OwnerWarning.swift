import Logging
import Project

/// Warns once, on the private listener of a production server, that a client used `Bearer owner`. Admin SDKs do so only in their
/// emulator mode, in which they accept forged, unsigned ID tokens (threat case EMU-06).
struct OwnerWarning: Sendable {
    let logger: Logger
    private let isSaid = LockedState(false)

    /// Logs the warning, only the first time.
    func say() {
        let isFirst = isSaid.withLock { isSaid in
            defer { isSaid = true }
            return !isSaid
        }
        guard isFirst else { return }
        logger.warning(
            """
            a client of the private listener came as owner: an Admin SDK with FIREBASE_AUTH_EMULATOR_HOST accepts forged ID \
            tokens; see Docs/Administration.md for other ways
            """
        )
    }
}
