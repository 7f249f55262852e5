import Project
import Storage
import TestKit
import Testing

@testable import Accounts

@Suite("A list of second factors that replaces an account's")
struct EnrollmentListTests {
    private let time = Timestamp(seconds: 1000)
    private let earlier = Timestamp(seconds: 10)

    private var existing: [SecondFactor] {
        [
            SecondFactor(enrollmentID: "p", displayName: nil, enrolledAt: earlier, kind: .phone(number: "+15555550100")),
            SecondFactor(enrollmentID: "t", displayName: "App", enrolledAt: earlier, kind: .totp(sealedSecret: "s")),
        ]
    }

    private func factors(_ entries: [AdminEnrollment], ids: AdminEnrollments.IDs = .kept) throws -> [SecondFactor] {
        let environment = TestClock().environment()
        return try AdminEnrollments(entries, ids: ids, environment: environment, mode: .production)
            .factors(replacing: existing, at: time)
    }

    @Test("keeps ids, names and times, draws ids that are missing, and drops numbers that come twice")
    func replaces() throws {
        let factors = try factors([
            .init(enrollmentID: "p", displayName: "Mine", phoneInfo: "+1 (555) 555-0100"),
            .init(phoneInfo: "+15555550199", enrolledAt: Timestamp(seconds: 5)), .init(phoneInfo: "+15555550100"),
            .init(enrollmentID: "t", displayName: "New name"),
        ])
        #expect(factors.map(\.enrollmentID.count) == [1, 28, 1])
        #expect(factors.map(\.displayName) == ["Mine", nil, "New name"])
        #expect(factors.map(\.enrolledAt) == [earlier, Timestamp(seconds: 5), earlier])
        #expect(factors.map(\.phoneNumber) == ["+15555550100", "+15555550199", nil])
        #expect(factors[2].kind == .totp(sealedSecret: "s"))
        #expect(try self.factors([]) == [])
    }

    @Test("is refused with the contract's errors")
    func refusals() {
        for (entries, message) in [
            ([.init(phoneInfo: "+15555550100")], "INVALID_MFA_ENROLLMENT_ID : mfaEnrollmentId must be defined."),
            ([.init(enrollmentID: "x", phoneInfo: "5555550100")], "INVALID_MFA_PHONE_NUMBER : Invalid format."),
            ([.init(enrollmentID: "x")], "INVALID_MFA_PHONE_NUMBER : Invalid format."),
            (
                [.init(enrollmentID: "x", phoneInfo: "+15555550100"), .init(enrollmentID: "x", phoneInfo: "+15555550101")],
                "DUPLICATE_MFA_ENROLLMENT_ID"
            ),
        ] as [([AdminEnrollment], String)] {
            let error = #expect(throws: APIError.self) { try factors(entries, ids: .required) }
            #expect(error?.message == message)
        }
    }
}
