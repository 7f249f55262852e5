package import Project
import Storage
import Tokens

/// A code as development's endpoint lists it (`Docs/Contract/emulator-endpoints.md` §2).
package struct ShownSMSCode: Sendable, Hashable {
    package let phoneNumber: String
    package let code: String
    package let sessionInfo: String
}

extension SMSCodeService {
    private static var codeLength: Int { 6 }

    /// Lists the unused codes of a scope, oldest first; none in production.
    package func shown(in scope: Scope) async throws -> [ShownSMSCode] {
        guard mode.showsCodes else { return [] }
        return try await database.read { try $0.smsCodes(scope) }.compactMap { record in
            guard let sealed = record.sealedCode, let opened = try? sealer.open(sealed, for: .shownSMSCode, scope: scope) else {
                return nil
            }
            let text = String(decoding: opened, as: UTF8.self)
            return ShownSMSCode(
                phoneNumber: record.phoneNumber,
                code: String(text.prefix(Self.codeLength)),
                sessionInfo: String(text.dropFirst(Self.codeLength))
            )
        }
    }
}
