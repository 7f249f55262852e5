package import Accounts
package import Foundation
package import Project
import Storage

/// The kinds of files that users are exported to.
package enum UserExportFormatName: String, Sendable, CaseIterable {
    /// JSON for `firebase auth:import`.
    case json
    /// CSV for `firebase auth:import`.
    case csv
    /// JSON with everything that another Postern can import.
    case postern
}

/// Writes users to a file, page by page.
package struct UserExporter: Sendable {
    package struct Counts: Sendable {
        package var users = 0
        /// Password hashes written.
        package var hashes = 0
        /// Passwords that the format cannot contain.
        package var hashesLeftOut = 0
    }

    private let listing: AccountListing
    private let context: CallContext
    private let format: UserExportFormatName
    private let withPasswords: Bool
    private let hidesNumbers: Bool

    private static let pageSize = 1000

    package init(
        listing: AccountListing,
        context: CallContext,
        format: UserExportFormatName,
        withPasswords: Bool,
        hidesNumbers: Bool = false
    ) {
        self.hidesNumbers = hidesNumbers
        self.listing = listing
        self.context = context
        self.format = format
        self.withPasswords = withPasswords
    }

    /// Writes every user of the scope.
    ///
    /// - Returns: The counts, and the parameters of the hashes in a Firebase file.
    package func export(to file: FileHandle, progress: (Counts) -> Void) async throws -> (counts: Counts, parameters: JSONValue?)
    {
        let result = try await export { text, counts in
            try file.write(contentsOf: text)
            progress(counts)
        }
        // The export must survive a power cut.
        try file.synchronize()
        return result
    }

    /// Writes every user of the scope, page by page.
    package func export(
        _ write: ([UInt8], Counts) async throws -> Void
    ) async throws -> (counts: Counts, parameters: JSONValue?) {
        var counts = Counts()
        var parameters: JSONValue?
        var token: String?
        if format != .csv { try await write(Array("{\"users\": [\n".utf8), counts) }
        repeat {
            let page = try await listing.page(after: token, size: .atMost(Self.pageSize), context: context)
            var text: [UInt8] = []
            for view in hidesNumbers ? page.accounts.map(\.withoutNumbers) : page.accounts {
                let password = withPasswords ? carried(view.movedPassword, &parameters) : nil
                if password != nil { counts.hashes += 1 }
                if password == nil, view.account.passwordHash != nil { counts.hashesLeftOut += 1 }
                switch format {
                case .csv: text += Array(FirebaseRows.line(view, password).utf8)
                case .json, .postern:
                    if counts.users > 0 { text += Array(",\n".utf8) }
                    text += Array(FirebaseRows.object(view, password, isWhole: format == .postern).serialized())
                }
                counts.users += 1
            }
            try await write(text, counts)
            token = page.nextToken
        } while token != nil
        if format != .csv { try await write(Array("\n]}\n".utf8), counts) }
        return (counts, parameters)
    }

    // Firebase's files do not contain hash parameters, so all hashes must have the parameters of the first one.
    private func carried(_ password: MovedPassword?, _ parameters: inout JSONValue?) -> MovedPassword? {
        guard let password else { return nil }
        if format == .postern { return password }
        // Firebase cannot import Argon2.
        guard password.parameters["hashAlgorithm"] != "ARGON2" else { return nil }
        if parameters == nil { parameters = password.parameters }
        return parameters == password.parameters ? password : nil
    }
}
