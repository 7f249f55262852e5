import Accounts
import Project

struct MovedUser: Sendable {
    /// The account, in the form of import requests.
    var account: ImportedAccount
    /// The values of the record that are not kept, for the report.
    var notes: [String] = []

    /// Makes custom claims of what another server kept for its applications. What cannot be claims costs the claims, and not the user.
    mutating func takeClaims(_ members: JSONObject, from name: String) {
        guard !members.isEmpty else { return }
        do {
            account.customAttributes = try CustomClaims.validated(JSONValue.object(members).text)
        } catch {
            notes.append("\(name) cannot be custom claims and is not kept: \(error.plainText)")
        }
    }
}

struct UnusableRecord: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// One file format. Adding one takes a file in `Formats` and a case of ``UserFileFormatName``.
protocol UserFileFormat: Sendable {
    /// Whether what users write may look like rows of their own.
    var mayHoldInjectedRows: Bool { get }

    /// Begins to read a file.
    func records(of bytes: FileBytes) throws -> any FileRecords

    func user(_ content: FileRecord.Content) throws -> MovedUser
}

extension UserFileFormat {
    var mayHoldInjectedRows: Bool { false }
}

/// The kinds of files that users are imported from.
package enum UserFileFormatName: String, Sendable, CaseIterable {
    /// JSON of `firebase auth:export`, or of `postern users export`.
    case json
    /// CSV of `firebase auth:export`.
    case csv
    /// Auth0's user export.
    case auth0
    /// Rows of Supabase's `auth.users`.
    case supabase
    /// A realm exported by Keycloak.
    case keycloak

    /// The format.
    ///
    /// - Parameter passwords: A second file with password hashes, for Auth0.
    func format(passwords: String?, now: Timestamp) throws -> any UserFileFormat {
        switch self {
        case .json: FirebaseJSONFormat()
        case .csv: FirebaseCSVFormat()
        case .auth0: Auth0Format(passwords: try passwords.map(Auth0Passwords.init))
        case .supabase: SupabaseFormat(now: now)
        case .keycloak: KeycloakFormat()
        }
    }
}
