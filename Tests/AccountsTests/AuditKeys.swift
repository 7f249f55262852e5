import Accounts
import Storage
import Tokens

extension AuditSigner {
    /// A signer of tests; those of different numbers have different keys.
    static func test(_ number: UInt8 = 7) throws -> AuditSigner {
        try AuditSigner(masterKey: try MasterKey(bytes: [UInt8](repeating: number, count: 32)))
    }
}

extension AuditRetention {
    /// The same time for every class.
    static func everyClass(_ duration: Duration) throws -> AuditRetention {
        AuditRetention(stays: Dictionary(uniqueKeysWithValues: AuditClass.allCases.map { ($0, duration) }), signer: try .test())
    }
}
