/// What the check of a stored password costs, without any data of its account and without secrets. Two passwords of the same work
/// take the same time.
///
/// It is a decoy of the same algorithm and parameters, whose check is the same computation.
package struct PasswordWork: Sendable, Hashable {
    private let decoy: StoredPassword

    private static let saltBytes = 16

    /// The work of a password; `nil` when there is nothing to compute.
    init?(of stored: StoredPassword) {
        guard let (algorithm, hash) = stored.algorithm.withoutSecrets(hash: stored.hash),
            let decoy = StoredPassword(algorithm: algorithm, salt: .init(repeating: 0, count: Self.saltBytes), hash: hash)
        else { return nil }
        self.decoy = decoy
    }

    /// Reads a ``text``; `nil` for any other text.
    package init?(text: String) {
        guard let stored = StoredPassword(text: text) else { return nil }
        self.init(of: stored)
    }

    /// The text that the store keeps.
    package var text: String { decoy.text }

    /// The algorithm with its parameters.
    var algorithm: PasswordAlgorithm { decoy.algorithm }

    /// What it costs, as a multiple of a hash with the usual parameters.
    var cost: Double { decoy.cost }

    /// Does the work.
    func perform(_ password: [UInt8]) throws { _ = try decoy.matches(password) }
}

extension StoredPassword {
    /// The work of a check; `nil` when there is nothing to compute.
    package var work: PasswordWork? { PasswordWork(of: self) }

    /// What a check costs, as a multiple of a hash with ``Argon2Parameters/owasp``.
    package var cost: Double { algorithm.implementation.cost(hash: hash) }
}

extension PasswordAlgorithm {
    // All decoy keys have one length. The time that a key costs is not measurable.
    fileprivate func withoutSecrets(hash: [UInt8]) -> (algorithm: PasswordAlgorithm, hash: [UInt8])? {
        switch self {
        case .argon2(let parameters):
            let parameters = parameters.withoutSecrets
            return (.argon2(parameters), [UInt8](repeating: 0, count: parameters.hashLength))
        case .firebaseScrypt(let parameters):
            let parameters = parameters.withoutSecrets
            return (.firebaseScrypt(parameters), [UInt8](repeating: 0, count: parameters.signerKey.count))
        case .bcrypt: return Bcrypt.decoy(of: hash).map { (self, $0) }
        case .hmac(let parameters):
            return (.hmac(parameters.withoutSecrets), [UInt8](repeating: 0, count: parameters.function.byteCount))
        case .digest(let parameters): return (self, [UInt8](repeating: 0, count: parameters.function.byteCount))
        // Lengths that cost the same are one kind.
        case .standardScrypt(let parameters):
            let parameters = parameters.withoutLength
            return (.standardScrypt(parameters), [UInt8](repeating: 0, count: parameters.derivedKeyLength))
        case .pbkdf2(let parameters): return (self, [UInt8](repeating: 0, count: parameters.wholeLength(hash)))
        case .unusable: return nil
        }
    }
}
