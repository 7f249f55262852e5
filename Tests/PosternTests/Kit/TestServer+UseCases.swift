import Accounts
import Settings
import Storage
import TestKit
import Tokens

@testable import Server

extension TestServer {
    /// The use cases of the server on another store, which stands before its own.
    func withUseCases<T>(on database: any Database, _ body: (UseCases) async throws -> T) async throws -> T {
        let keys = try StoreKeys(core.settings, of: database, environment: core.environment)
        try await keys.ring.load()
        let assembly = try Assembly(
            core.settings,
            database: database,
            keys: keys,
            environment: core.environment,
            addresses: core.addresses
        )
        let result = try await body(assembly.useCases)
        await assembly.close()
        return result
    }
}
