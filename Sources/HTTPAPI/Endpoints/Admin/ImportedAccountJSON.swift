package import Accounts
package import Project

extension ImportedAccount: ProtoDecodable {
    /// The names of the members that are read of a `UserInfo`.
    package static let memberNames = Set(
        FieldRecorder.fields(of: ImportedAccount.self).keys.map { String($0.dropFirst()) }.filter { !$0.contains("/") }
    )

    /// A `UserInfo` that cannot be read.
    package struct Unreadable: Error, CustomStringConvertible {
        package let description: String
    }

    /// Reads a `UserInfo` of a file by the rules of requests.
    package init(userInfo document: JSONObject) throws {
        do {
            try self.init(ProtoObject(document))
        } catch let error as TransportError {
            throw Unreadable(description: error.entryMessage ?? error.message)
        }
    }

    /// Reads a `UserInfo` of an import (`Docs/Contract/admin-accounts.md` §3 and §9). Unknown members are ignored.
    init(_ row: ProtoObject) throws {
        self.init()
        localID = try row.string("localId") ?? ""
        tenantID = try row.text("tenantId")
        email = try row.text("email")
        emailVerified = try row.bool("emailVerified") ?? false
        initialEmail = try row.text("initialEmail")
        phoneNumber = try row.text("phoneNumber")
        displayName = try row.text("displayName")
        photoURL = try row.text("photoUrl")
        screenName = try row.text("screenName")
        language = try row.text("language")
        dateOfBirth = try row.text("dateOfBirth")
        timeZone = try row.text("timeZone")
        isDisabled = try row.bool("disabled") ?? false
        hasCustomAuth = try row.bool("customAuth") ?? false
        hasEmailLinkSignIn = try row.bool("emailLinkSignin") ?? false
        customAttributes = try row.text("customAttributes")
        // A text that is not a number counts as absent.
        createdAt = try row.string("createdAt").flatMap(Self.time)
        lastLoginAt = try row.string("lastLoginAt").flatMap(Self.time)
        passwordHash = try row.text("passwordHash")
        salt = try row.text("salt")
        rawPassword = try row.password("rawPassword")
        providers = try row.objects("providerUserInfo").map { try Provider($0) }
        enrollments = try row.objects("mfaInfo").map(AdminEnrollment.init)
    }

    private static func time(_ text: String) -> Timestamp? { Int64(text).map { Timestamp(milliseconds: $0) } }
}

extension ImportedAccount.Provider {
    /// Reads an entry of `providerUserInfo`.
    init(_ entry: ProtoObject) throws {
        try self.init(link: entry)
        federatedID = try entry.text("federatedId")
    }

    /// Reads `linkProviderUserInfo`, which names its provider.
    init(link entry: ProtoObject) throws {
        self.init()
        providerID = try entry.text("providerId")
        rawID = try entry.text("rawId")
        email = try entry.text("email")
        displayName = try entry.text("displayName")
        photoURL = try entry.text("photoUrl")
        screenName = try entry.text("screenName")
    }
}
