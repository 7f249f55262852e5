import Foundation
import Project
import Settings
import Storage
import Tokens

/// Seals proven phone numbers as `temporaryProof`s for clients, so that they can go on after a collision.
package struct TemporaryProofs: UsesRuntime {
    let runtime: Runtime
    let sealer: TokenSealer
    /// The lifetime of a proof.
    let lifetimeSeconds: Int

    // This makes a proof 119 characters long, like the emulator's (`Docs/Contract/emulator-endpoints.md` §7.2).
    private static let length = 53
    private static let idLength = 16
    private static let markLength = 10

    /// Makes a proof.
    func seal(_ number: String, of owner: AccountRecord?, scope: Scope) throws -> String {
        let text = environment.randomText(length: Self.idLength) + Self.mark(of: owner) + number
        let padding = Array(repeating: UInt8(ascii: " "), count: max(0, Self.length - text.utf8.count))
        return try sealer.seal(
            Data(text.utf8 + padding),
            for: .temporaryProof,
            scope: scope,
            expiresAt: codesExpire ? environment.now().advanced(by: .seconds(lifetimeSeconds)) : nil
        )
    }

    /// Opens a proof.
    ///
    /// - Parameter number: The number that the proof must be of, in E.164.
    /// - Returns: The number, with the mark that uses the proof up: in production it is valid for one sign-in.
    /// - Throws: `APIError` `INVALID_TEMPORARY_PROOF`.
    func open(_ proof: String, number: String?, scope: Scope) throws -> SignInProof.ProvenPhone {
        guard let data = try? sealer.open(proof, for: .temporaryProof, scope: scope) else {
            throw APIError(.invalidTemporaryProof)
        }
        let text = String(decoding: data, as: UTF8.self)
        let proven = text.dropFirst(Self.idLength + Self.markLength).prefix { $0 != " " }
        guard let number, number == proven else { throw APIError(.invalidTemporaryProof) }
        let lasting = codesExpire ? .seconds(lifetimeSeconds) : Duration.forEver
        return SignInProof.ProvenPhone(
            number: number,
            usedProof: mode.phoneProofsWorkOnce
                ? .init(
                    hash: sha256(data),
                    expiresAt: environment.now().advanced(by: lasting),
                    ownerMark: String(text.dropFirst(Self.idLength).prefix(Self.markLength))
                ) : nil
        )
    }

    /// A short name of the account that has a number, and of its generation. A proof opens no account whose owner has changed
    /// since the proof was made.
    static func mark(of owner: AccountRecord?) -> String {
        let text = owner.map { "\($0.proofGeneration):\($0.localID)" } ?? ""
        return String(Base64URL.encode(sha256(text.utf8)).prefix(markLength))
    }
}
