package import Project
import Storage
import Tenancy

/// Lists the one-time codes that can still be used: in development only (`Docs/Contract/emulator-endpoints.md` §2).
package struct OOBCodeListing: UsesRuntime {
    let runtime: Runtime
    let mint: OOBCodeMint

    /// A code that can still be used.
    package struct Entry: Sendable {
        package let info: OOBCodeInfo
        package let code: String
        package let link: String
    }

    /// Lists the codes of a scope, oldest first. Production has none, because it stores only their hashes.
    package func list(_ scope: Scope) async throws -> [Entry] {
        try await configurations.requireTenant(scope)
        return try await database.read { try $0.oobCodes(scope) }.compactMap { record in
            mint.shown(record, scope: scope).map { Entry(info: OOBCodeInfo(record), code: $0.code, link: $0.link) }
        }
    }
}
