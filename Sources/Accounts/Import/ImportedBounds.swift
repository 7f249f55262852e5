import Project

// Rows come from files and requests of anybody who may import; each of their values is bounded here, whatever the format.
extension ImportedAccount {
    /// What is wrong with the first value that is too long, or the first time outside the years 1 to 9999; `nil` when none is.
    func fault(_ mode: ModeRules) -> String? {
        let dates: [(name: String, time: Timestamp?)] = [
            ("createdAt", createdAt), ("lastLoginAt", lastLoginAt), ("validSince", validSince.map { Timestamp(seconds: $0) }),
        ]
        let enrolled = enrollments.map { (name: "enrolledAt", time: $0.enrolledAt) }
        if let wrong = (dates + enrolled).first(where: { $0.time?.isOfCalendar == false }) {
            return "\(wrong.name) is not within the years 1 to 9999"
        }
        let own: [Text] = [
            ("displayName", displayName, ProfileLimits.displayName), ("photoUrl", photoURL, ProfileLimits.photoURL),
            ("screenName", screenName, ProfileLimits.other), ("language", language, ProfileLimits.other),
            ("dateOfBirth", dateOfBirth, ProfileLimits.other), ("timeZone", timeZone, ProfileLimits.other),
        ]
        let linked = providers.filter { !$0.isDerived }
        if linked.count > ProfileLimits.identities {
            return "providerUserInfo has more than \(ProfileLimits.identities) entries"
        }
        let texts = own + linked.flatMap(\.texts) + enrollments.flatMap(\.texts)
        let bytes = linked.flatMap(\.texts).reduce(0) { $0 + ($1.text?.utf8.count ?? 0) }
        if bytes > ProfileLimits.identityBytes { return "providerUserInfo is too long" }
        return texts.first { !ProfileLimits.fits($0.text, $0.length, mode) }.map { "\($0.name) is too long" }
    }
}

private typealias Text = (name: String, text: String?, length: Int)

extension ImportedAccount.Provider {
    fileprivate var texts: [Text] {
        // Every entry that is kept has an id that is a short text.
        let id = providerID ?? "a provider"
        return [
            ("displayName of \(id)", displayName, ProfileLimits.displayName),
            ("photoUrl of \(id)", photoURL, ProfileLimits.photoURL), ("screenName of \(id)", screenName, ProfileLimits.other),
        ]
    }
}

extension AdminEnrollment {
    fileprivate var texts: [Text] {
        [
            ("displayName of a second factor", displayName, ProfileLimits.displayName),
            ("mfaEnrollmentId", enrollmentID, ProfileLimits.other),
        ]
    }
}
