package import Project
package import Storage

/// Where sealed values rest in the store.
package struct SealedPlace: Sendable, Hashable {
    package let column: SealedColumn
    /// The name of the members that hold the values, where the column holds JSON.
    package let member: MemberName?

    init(_ column: SealedColumn, member: MemberName? = nil) {
        self.column = column
        self.member = member
    }
}

extension TokenSealer.Purpose {
    /// Where the store keeps values of the purpose. Those that only clients hold have no place; they end by themselves.
    package var places: [SealedPlace] {
        switch self {
        case .signingKey: [SealedPlace(.signingKey)]
        case .configurationSecret: [SealedPlace(.resource, member: "sealed")]
        case .serviceAccountKey: [SealedPlace(.resource, member: "heldKey")]
        case .totpSecret: [SealedPlace(.secondFactors, member: "sealedSecret")]
        case .operatorTOTP: [SealedPlace(.operatorTOTP)]
        case .outboxMessage: [SealedPlace(.email), SealedPlace(.textMessage)]
        case .authorizationFlow: [SealedPlace(.flowSecrets), SealedPlace(.flowAnswer)]
        case .flowProof: [SealedPlace(.flowProof)]
        case .oobCode: [SealedPlace(.shownOOBCode)]
        case .shownSMSCode: [SealedPlace(.shownSMSCode)]
        // The store keeps hashes under the key of smsCode. They cannot be made anew, and end within minutes.
        case .smsCode: []
        // Records of the audit trail stay as they were written.
        case .auditDigest: []
        // Digests under the key of importDigest cannot be made anew either: the next import takes them for those of another key.
        case .importDigest: []
        case .pendingCredential, .mfaPendingCredential, .totpEnrollment, .passkeyEnrollment, .passkeySignIn, .smsSession,
            .temporaryProof, .appVerification, .pageToken, .serviceAccountAccess, .operatorCeremony, .operatorEnrollment:
            []
        }
    }
}
