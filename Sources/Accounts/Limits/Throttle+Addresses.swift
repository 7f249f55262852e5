package import Project
import Storage

/// A look-up of an address that has been counted.
package struct AddressLookUp: Sendable {
    /// `nil` when nothing is limited.
    fileprivate let counted: Counted?

    fileprivate struct Counted: Sendable {
        let scope: Scope
        /// By the network and the wider ones.
        let networks: [CountedBucket]
    }
}

extension Throttle {
    /// Counts a call whose answer says whether an address has an account, before the address is looked up: a sign-up, or a provider's user
    /// with an address that is not proven. The contract requires these answers, which must not help to test lists of addresses (threat
    /// cases ENU-02, ENU-07). Beyond the limit the answer is the same for a taken address and for a free one.
    ///
    /// - Returns: The look-up, for ``toldNothing(_:)``.
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER` beyond as many in an hour as there may be sign-ups.
    package func addressLookUp(context: CallContext) async throws -> AddressLookUp {
        guard isOn, !context.isPrivileged else { return AddressLookUp(counted: nil) }
        let now = environment.steadyNow()
        // Tenants share the count.
        let (network, scope) = (ClientNetwork(context.address), context.scope.project)
        let networks = try await database.write { [self] transaction throws in
            try transaction.count(.lookUps, of: network, scope, at: now, limits)
        }
        return AddressLookUp(counted: AddressLookUp.Counted(scope: scope, networks: networks))
    }

    /// Reports that the answer says nothing about the address: the count is undone.
    func toldNothing(_ lookUp: AddressLookUp) async throws {
        guard let counted = lookUp.counted else { return }
        try await database.write { try $0.takeBack(counted.networks, counted.scope) }
    }
}
