package import Project

/// What a verified assertion says. All of it was read from the bytes that the provider signed.
package struct SAMLAssertion: Sendable, Equatable {
    /// One attribute. Providers may send a name more than once; the values are then those of all, in order.
    package struct Attribute: Sendable, Equatable {
        package let name: String
        package var values: [String]

        package init(name: String, values: [String]) {
            self.name = name
            self.values = values
        }
    }

    /// The assertion's id, which is accepted once.
    package var id: String
    /// The entity id of the provider.
    package var issuer: String
    /// Who signed in, without the white space around it.
    package var nameID: String
    /// The URI of the kind of name; `unspecified` where the provider says none.
    package var nameIDFormat: String
    /// The session at the provider, where it has told one.
    package var sessionIndex: String?
    /// When the user signed in at the provider.
    package var authnInstant: Timestamp
    /// Until when the assertion's id must be remembered: it is not accepted later, or a day from now its flow is long over.
    package var notOnOrAfter: Timestamp
    /// The user's attributes, in the order of their first values.
    package var attributes: [Attribute]

    /// The values of an attribute; none where the provider sent no such attribute.
    package func values(_ name: String) -> [String] { attributes.first { $0.name.isExactly(name) }?.values ?? [] }
}
