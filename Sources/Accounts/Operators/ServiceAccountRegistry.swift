package import Project
package import Storage
package import Tokens

/// A service account, without its private key.
package struct ServiceAccount: Sendable, Hashable {
    package let email: String
    package let keyID: String
    package let createdAt: String
    /// Whether the store holds the account's own private key, sealed. Otherwise only the key file has it, and ``ServiceAccountSigning``
    /// signs with another key, made when it is first asked for.
    package let isHeld: Bool
    /// The id of the account's second key, whose private half the store holds; `nil` when the key file has the only one.
    package var serverKeyID: String?

    package var json: JSONValue {
        var json: JSONValue = [
            "email": .string(email), "keyId": .string(keyID), "createdAt": .string(createdAt), "held": .bool(isHeld),
        ]
        if let serverKeyID { json["serverKeyId"] = .string(serverKeyID) }
        return json
    }
}

/// Creates, lists and removes a project's service accounts. They sign custom tokens (`Docs/Contract/tokens.md` §4), and get
/// access tokens with which they are administrators.
package struct ServiceAccountRegistry: Sendable {
    private let database: any Database
    private let environment: ServerEnvironment
    private let context: CallContext

    /// - Parameter context: The call that creates or removes service accounts: it names their project and the actor for the audit trail.
    package init(database: any Database, environment: ServerEnvironment, context: CallContext) {
        self.database = database
        self.environment = environment
        self.context = context
    }

    private var scope: Scope { context.scope.project }

    /// The path of the endpoint where service accounts get access tokens.
    package static let tokenPath = "/oauth2/token"

    struct StoredKeys: Sendable, Equatable {
        /// The account's own, PEM.
        let publicKey: String?
        /// The private key that Postern holds, sealed.
        let heldKey: String?
        /// Its public half, PEM, where it is not the account's own.
        let heldPublicKey: String?

        init(_ document: JSONValue) {
            publicKey = document["publicKey"]?.string
            heldKey = document[Self.heldKeyMember]?.string
            heldPublicKey = document[Self.heldPublicKeyMember]?.string
        }

        fileprivate static let heldKeyMember = MemberName("heldKey")
        fileprivate static let heldPublicKeyMember = MemberName("heldPublicKey")
    }

    /// Why an account was not created or removed.
    package enum RegistryError: Error, Equatable, CustomStringConvertible {
        case invalidName(String)
        case exists(String)
        case missing(String)

        package var description: String {
            switch self {
            case .invalidName(let name):
                "\(name) is not a valid name: use 1 to 30 lower-case letters, digits or hyphens, the first a letter"
            case .exists(let email): "the service account \(email) exists; delete it first, or choose another name"
            case .missing(let email): "there is no service account \(email)"
            }
        }
    }

    /// The e-mail of an account, in Google's form.
    ///
    /// - Returns: `NAME@PROJECT.iam.gserviceaccount.com`.
    package func email(of name: String) throws -> String {
        // An expression is for short texts.
        guard name.utf8.count <= 30, name.wholeMatch(of: /[a-z]([a-z0-9-]{0,28}[a-z0-9])?/) != nil else {
            throw RegistryError.invalidName(String(name.prefix(100)))
        }
        return "\(name)@\(scope.projectID).iam.gserviceaccount.com"
    }

    /// Creates an account with a new key.
    ///
    /// - Returns: The account, and the key file in Google's format, which alone has the private key.
    package func create(
        _ name: String,
        publicURL: String,
        also part: TransactionPart? = nil
    ) async throws -> (account: ServiceAccount, keyFile: JSONValue) {
        try context.requireEveryRight()
        let email = try email(of: name)
        let pair = try ServiceAccountKeyPair()
        let account = try await store(email, pair, heldKey: nil, also: part)
        return (account, keyFile(account, privateKey: pair.privateKey, publicURL: publicURL))
    }

    /// Creates an account whose new key stays here: the store keeps it sealed, and nobody is given it.
    package func createHeld(
        _ name: String,
        sealer: TokenSealer,
        also part: TransactionPart? = nil
    ) async throws -> ServiceAccount {
        try context.requireEveryRight()
        let email = try email(of: name)
        let pair = try ServiceAccountKeyPair()
        let sealed = try sealer.seal(pair.privateKeyDER, for: .serviceAccountKey, scope: scope)
        return try await store(email, pair, heldKey: sealed, also: part)
    }

    private func store(
        _ email: String,
        _ pair: ServiceAccountKeyPair,
        heldKey: String?,
        also part: TransactionPart?
    ) async throws -> ServiceAccount {
        let now = environment.now()
        let account = ServiceAccount(email: email, keyID: pair.keyID, createdAt: now.rfc3339, isHeld: heldKey != nil)
        var document = account.json.merging(["publicKey": .string(pair.publicKey)])
        document[StoredKeys.heldKeyMember] = heldKey.map(JSONValue.string)
        let record = ResourceRecord(kind: .serviceAccount, resourceID: email, document: document)
        let event = event(.serviceAccountCreated, email, at: now)
        let scope = scope
        try await database.write { transaction in
            try part?(transaction)
            guard try transaction.resource(scope, kind: .serviceAccount, resourceID: email) == nil else {
                throw RegistryError.exists(email)
            }
            try transaction.putResource(scope, record, at: now)
            try transaction.insertAuditEvent(scope, event)
        }
        return account
    }

    /// Makes a key that stays here, sealed, for an account whose own private key only its key file has. Google's accounts have such
    /// keys from the start.
    func addHeldKey(to email: String, sealer: TokenSealer) async throws {
        let pair = try ServiceAccountKeyPair()
        let sealed = try sealer.seal(pair.privateKeyDER, for: .serviceAccountKey, scope: scope)
        let now = environment.now()
        let event = event(.serviceAccountKeyAdded, email, at: now)
        let scope = scope
        try await database.write { transaction in
            guard var document = try transaction.resource(scope, kind: .serviceAccount, resourceID: email) else {
                throw RegistryError.missing(email)
            }
            // Another call, or another node, made one meanwhile.
            guard StoredKeys(document).heldKey == nil else { return }
            document[StoredKeys.heldKeyMember] = .string(sealed)
            document[StoredKeys.heldPublicKeyMember] = .string(pair.publicKey)
            let record = ResourceRecord(kind: .serviceAccount, resourceID: email, document: document)
            try transaction.putResource(scope, record, at: now)
            try transaction.insertAuditEvent(scope, event)
        }
    }

    package func list() async throws -> [ServiceAccount] {
        let scope = scope
        return try await database.read { try $0.resources(scope) }.filter { $0.kind == .serviceAccount }.map { record in
            let keys = StoredKeys(record.document)
            return ServiceAccount(
                email: record.resourceID,
                keyID: record.document["keyId"]?.string ?? "",
                createdAt: record.document["createdAt"]?.string ?? "",
                isHeld: keys.heldKey != nil && keys.heldPublicKey == nil,
                serverKeyID: keys.heldPublicKey.flatMap { ServiceAccountPublicKey(pem: $0)?.keyID }
            )
        }
    }

    /// Removes an account. A second later its tokens sign nobody in; users who have signed in stay signed in.
    ///
    /// - Parameter name: The account's name, or its whole e-mail.
    @discardableResult
    package func delete(_ name: String) async throws -> String {
        try context.requireEveryRight()
        let email = try name.contains("@") ? name : email(of: name)
        let event = event(.serviceAccountDeleted, email, at: environment.now())
        let scope = scope
        try await database.write { transaction in
            guard try transaction.deleteResource(scope, kind: .serviceAccount, resourceID: email) else {
                throw RegistryError.missing(email)
            }
            try transaction.insertAuditEvent(scope, event)
        }
        return email
    }

    private func event(_ kind: AuditEvent.Kind, _ email: String, at time: Timestamp) -> AuditEvent {
        context.auditEvent(kind, ["email": .string(email)], by: environment, at: time)
    }

    // The members that Google's libraries need. Google's own addresses are left out, because nothing must be sent there.
    private func keyFile(_ account: ServiceAccount, privateKey: String, publicURL: String) -> JSONValue {
        let number = environment.random(20).map { String($0 % 10) }.joined()
        return [
            "type": "service_account",
            "project_id": .string(scope.projectID),
            "private_key_id": .string(account.keyID),
            "private_key": .string(privateKey),
            "client_email": .string(account.email),
            "client_id": .string("1" + number),
            "token_uri": .string(publicURL + Self.tokenPath),
            "universe_domain": "googleapis.com",
        ]
    }
}
