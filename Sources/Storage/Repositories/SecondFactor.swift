package import Project

/// An enrolled second factor (`Docs/Contract/phone-and-mfa.md` §5.1). Accounts keep their factors in the order of enrolment.
package struct SecondFactor: Sendable, Hashable {
    /// The proof that the user must give.
    package enum Kind: Sendable, Hashable {
        /// A code sent by SMS to this number, in E.164.
        case phone(number: String)
        /// A time-based one-time password (RFC 6238) of this secret, sealed under the master key.
        case totp(sealedSecret: String)
    }

    /// A factor that was shown before another was enrolled in the same session.
    package struct Earlier: Sendable, Hashable {
        package let factor: UsedSecondFactor
        /// The session that the enrolment began, which tells of the newer factor only.
        package let sessionID: String

        package init(factor: UsedSecondFactor, sessionID: String) {
            self.factor = factor
            self.sessionID = sessionID
        }
    }

    /// `mfaEnrollmentId`.
    package let enrollmentID: String
    package var displayName: String?
    package let enrolledAt: Timestamp
    package let kind: Kind
    /// The time step of the last accepted TOTP code. A code is accepted only once (RFC 6238 §5.2).
    package var lastTimeStep: Int64?
    /// SHA-256 of what names the ID token with which it was enrolled; `nil` when that was not the one of a sign-in.
    package var enrollingToken: [UInt8]?
    /// What the session had shown that enrolled it; `nil` when that showed no factor.
    package var enrolledBeside: Earlier?
    /// Whether the account had a proven address while it had the factor, and that address counts as unproven since. A takeover keeps it.
    package var outlivesTakeover = false

    package init(enrollmentID: String, displayName: String?, enrolledAt: Timestamp, kind: Kind) {
        self.enrollmentID = enrollmentID
        self.displayName = displayName
        self.enrolledAt = enrolledAt
        self.kind = kind
    }

    package var phoneNumber: String? { if case .phone(let number) = kind { number } else { nil } }

    /// The name of the kind in the claim `sign_in_second_factor` and in the store.
    package var kindName: String {
        switch kind {
        case .phone: "phone"
        case .totp: "totp"
        }
    }
}

/// The factors of an account as their column has them.
struct SecondFactorList: ColumnValue {
    var factors: [SecondFactor]

    init(_ factors: [SecondFactor]) { self.factors = factors }

    init?(column: SQLValue) {
        guard let factors = JSONValue(column: column)?.array?.map(SecondFactor.init(json:)), !factors.contains(nil) else {
            return nil
        }
        self.factors = factors.compactMap(\.self)
    }

    var columnValue: SQLValue { JSONValue.array(factors.map(\.json)).columnValue }
}

extension AccountRecord {
    /// The column of the factors: null when there are none, unless an empty list is shown.
    var storedSecondFactors: SecondFactorList? {
        get { secondFactors.isEmpty && !showsNoSecondFactors ? nil : SecondFactorList(secondFactors) }
        set {
            secondFactors = newValue?.factors ?? []
            showsNoSecondFactors = newValue?.factors.isEmpty ?? false
        }
    }
}

extension SecondFactor {
    fileprivate var json: JSONValue {
        var members: JSONObject = [
            "id": .string(enrollmentID), "enrolledAt": .integer(enrolledAt.milliseconds), "kind": .string(kindName),
        ]
        members["displayName"] = displayName.map(JSONValue.string)
        switch kind {
        case .phone(let number): members["phoneNumber"] = .string(number)
        case .totp(let sealedSecret): members["sealedSecret"] = .string(sealedSecret)
        }
        members["lastTimeStep"] = lastTimeStep.map(JSONValue.integer)
        members["token"] = enrollingToken.map { .string(Base64URL.encode($0)) }
        members["outlivesTakeover"] = outlivesTakeover ? true : nil
        members["beside"] = enrolledBeside.map {
            ["kind": .string($0.factor.kind), "id": .string($0.factor.enrollmentID), "session": .string($0.sessionID)]
        }
        return .object(members)
    }

    fileprivate init?(json: JSONValue) {
        guard let enrollmentID = json["id"]?.string, let enrolledAt = json["enrolledAt"]?.integer else { return nil }
        switch json["kind"] {
        case "phone":
            guard let number = json["phoneNumber"]?.string else { return nil }
            kind = .phone(number: number)
        case "totp":
            guard let sealedSecret = json["sealedSecret"]?.string else { return nil }
            kind = .totp(sealedSecret: sealedSecret)
        default: return nil
        }
        self.enrollmentID = enrollmentID
        displayName = json["displayName"]?.string
        self.enrolledAt = Timestamp(milliseconds: enrolledAt)
        lastTimeStep = json["lastTimeStep"]?.integer
        enrollingToken = json["token"]?.string.flatMap { Base64URL.decode($0.utf8) }
        outlivesTakeover = json["outlivesTakeover"] == true
        if let beside = json["beside"], let kind = beside["kind"]?.string, let id = beside["id"]?.string,
            let session = beside["session"]?.string
        {
            enrolledBeside = Earlier(factor: UsedSecondFactor(kind: kind, enrollmentID: id), sessionID: session)
        }
    }
}
