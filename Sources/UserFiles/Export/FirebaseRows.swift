import Accounts
import Foundation
import Project
import Storage

/// The rows of Firebase's files (`Docs/Contract/admin-accounts.md` §17.1 and §17.2).
enum FirebaseRows {
    private static let exported = Set(FirebaseCSVFormat.providers.map(\.id))

    /// An element of `users`.
    ///
    /// - Parameter isWhole: Whether to add members that Firebase refuses and Postern reads.
    static func object(_ view: AccountView, _ password: MovedPassword?, isWhole: Bool) -> JSONValue {
        let account = view.account
        var row: JSONValue = ["localId": .string(account.localID), "createdAt": .string(String(account.createdAt.milliseconds))]
        for (name, text) in [
            ("email", account.email), ("displayName", account.displayName), ("photoUrl", account.photoURL),
            ("phoneNumber", account.phoneNumber), ("customAttributes", account.customAttributes),
            ("passwordHash", password?.hash), ("salt", password?.salt),
            ("lastSignedInAt", account.lastLoginAt.map { String($0.milliseconds) }),
        ] {
            row[name] = text.map(JSONValue.string)
        }
        row["emailVerified"] = account.emailVerified.map(JSONValue.bool)
        if account.isDisabled { row["disabled"] = true }
        let factors = account.secondFactors.compactMap(factor)
        if !factors.isEmpty { row["mfaInfo"] = .array(factors) }
        let providers = view.identities.filter { isWhole || exported.contains($0.providerID) }.map { identity -> JSONValue in
            var entry: JSONValue = ["providerId": .string(identity.providerID), "rawId": .string(identity.rawID)]
            entry["email"] = identity.email.map(JSONValue.string)
            entry["displayName"] = identity.displayName.map(JSONValue.string)
            entry["photoUrl"] = identity.photoURL.map(JSONValue.string)
            if isWhole { entry["screenName"] = identity.screenName.map(JSONValue.string) }
            return entry
        }
        if !providers.isEmpty { row["providerUserInfo"] = .array(providers) }
        guard isWhole else { return row }
        for (name, text) in [
            ("initialEmail", account.initialEmail), ("screenName", account.screenName), ("language", account.language),
            ("dateOfBirth", account.dateOfBirth), ("timeZone", account.timeZone), ("tenantId", view.scope.tenantID),
            ("validSince", account.validSince.map { String($0) }),
        ] {
            row[name] = text.map(JSONValue.string)
        }
        if account.hasCustomAuth { row["customAuth"] = true }
        if account.hasEmailLinkSignIn { row["emailLinkSignin"] = true }
        row["passwordParameters"] = password?.parameters
        return row
    }

    /// A line of CSV with its end.
    static func line(_ view: AccountView, _ password: MovedPassword?) -> String {
        let account = view.account
        var cells = [String](repeating: "", count: FirebaseCSVFormat.width)
        func set(_ column: Int, _ text: String?) { cells[column] = quoted(FirebaseCSVFormat.neutralized(text ?? "")) }
        set(0, account.localID)
        set(1, account.email)
        cells[2] = account.emailVerified == true ? "true" : "false"
        cells[3] = password?.hash ?? ""
        cells[4] = password?.salt ?? ""
        set(5, account.displayName)
        set(6, account.photoURL)
        for (id, column) in FirebaseCSVFormat.providers {
            guard let identity = view.identities.first(where: { $0.providerID == id }) else { continue }
            set(column, identity.rawID)
            set(column + 1, identity.email)
            set(column + 2, identity.displayName)
            set(column + 3, identity.photoURL)
        }
        cells[23] = String(account.createdAt.milliseconds)
        cells[24] = account.lastLoginAt.map { String($0.milliseconds) } ?? ""
        cells[25] = account.phoneNumber ?? ""
        cells[26] = account.isDisabled ? "true" : "false"
        if let claims = account.customAttributes {
            var text = ""
            for character in claims.unicodeScalars {
                if character == "\"", text.unicodeScalars.last != "\\" { text += "\"" }
                text.unicodeScalars.append(character)
            }
            cells[FirebaseCSVFormat.claimsColumn] = "\"\(text)\""
        }
        return cells.joined(separator: ",") + "\n"
    }

    private static func factor(_ factor: SecondFactor) -> JSONValue? {
        guard case .phone(let number) = factor.kind else { return nil }
        var entry: JSONValue = [
            "mfaEnrollmentId": .string(factor.enrollmentID), "phoneInfo": .string(number),
            "enrolledAt": .string(factor.enrolledAt.rfc3339),
        ]
        entry["displayName"] = factor.displayName.map(JSONValue.string)
        return entry
    }

    private static func quoted(_ text: String) -> String {
        let needsQuotes =
            text.utf8.contains { [0x2C, 0x22, 0x0A, 0x0D].contains($0) } || text.utf8.first == 0x20 || text.utf8.last == 0x20
        return needsQuotes ? "\"\(text.replacingOccurrences(of: "\"", with: "\"\""))\"" : text
    }
}
