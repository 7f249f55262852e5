import Accounts
import Foundation
import Project

extension EnrollmentList.Entry {
    /// Reads an entry of `mfa.enrollments` (`contract/admin-accounts.md` §6.3).
    ///
    /// - Throws: ``TransportError`` when a member has the wrong shape.
    init(_ entry: ProtoObject) throws {
        self.init(
            enrollmentID: try entry.text("mfaEnrollmentId"),
            displayName: try entry.text("displayName"),
            phoneInfo: try entry.text("phoneInfo"),
            enrolledAt: try entry.text("enrolledAt").flatMap(Self.time)
        )
    }

    private static func time(_ text: String) -> Timestamp? {
        let styles = [Date.ISO8601FormatStyle(includingFractionalSeconds: true), Date.ISO8601FormatStyle()]
        let date = styles.lazy.compactMap { try? $0.parse(text) }.first
        return date.map { Timestamp(milliseconds: Int64(($0.timeIntervalSince1970 * 1000).rounded())) }
    }
}
