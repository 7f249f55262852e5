import SAML

/// What becomes of the response cases of spid-sp-test, by their names there. Read each entry against the case's own description.
enum SPIDCases {
    /// Cases that are refused by Italy's SPID profile alone: SAML 2.0 allows them, and Postern accepts them. Each with its reason.
    static let demandedBySPIDOnly = [
        "3": "SPID wants the assertion signed; the signature of the response around it covers it, too (profiles §4.1.4.5).",
        "46": "SPID demands a Format of the NameID; SAML takes one without as unspecified (core §2.2.2).",
        "49": "SPID demands a NameQualifier of the NameID; SAML leaves it to the provider (core §2.2.2, §8.3.7).",
        "71": "SPID demands a Format of the assertion's Issuer; without one it is an entity (core §2.2.5).",
        "76": "SPID demands NotBefore in Conditions; SAML does not (core §2.5.1.2).",
        "97": "SPID has AuthnContext classes of its own; whoever asks for none is content with any (core §3.3.2.2.1).",
        "99": "SPID demands attributes with values; SAML has attributes without (core §2.7.3.1).",
    ]

    /// The checks that refuse the others. A case that is refused for another reason than its own shows nothing.
    static let refusals: [SAMLRefusal: [String]] = [
        .unsigned: ["2"],
        .signature: ["4", "5", "100"],
        .notAResponse: ["xsw1", "xsw2", "xsw3", "xsw4", "xsw5", "xsw6", "xsw7", "xsw8"],
        .transforms: ["xslt"],
        .missingID: ["8", "9", "33", "34"],
        .version: ["10", "35"],
        .time: ["11", "12", "13", "36", "37", "38", "63", "64", "65", "75", "77", "79", "81"],
        .issuedBeforeRequest: ["14", "39"],
        .issuedInFuture: ["15", "40"],
        .responseInResponseTo: ["16", "17", "18"],
        .destination: ["19", "20", "21"],
        .status: ["22", "23", "24", "26"],
        .responseIssuer: ["27", "28", "29", "30"],
        .noAssertion: ["32"],
        .nameID: ["41", "43", "44"],
        .subject: ["42"],
        .nameIDFormat: ["45", "47"],
        .nameQualifier: ["48"],
        .confirmation: ["51", "52", "53", "54", "55", "56"],
        .recipient: ["57", "58", "59"],
        .inResponseTo: ["60", "61", "62"],
        .confirmationExpired: ["66"],
        .issuer: ["68", "69", "70", "72"],
        .audience: ["73", "83", "85", "86", "87"],
        .conditions: ["74"],
        .notYetValid: ["78", "80", "82"],
        .authenticationContext: ["88", "90", "92", "93"],
        .authentication: ["89"],
        .emptyStatement: ["98"],
        .statusAuthnFailed: ["104", "105", "106", "107", "108", "111"],
        .duplicateID: ["xsw1 with namespaces", "xsw7 with namespaces", "xsw8 with namespaces"],
        .nestedResponse: ["xsw2 with namespaces"],
        .severalAssertions: ["xsw3 with namespaces", "xsw4 with namespaces", "xsw5 with namespaces", "xsw6 with namespaces"],
    ]

    /// The check that refuses a case; `nil` for those that are accepted.
    static func refusal(of name: String) -> SAMLRefusal? { refusals.first { $0.value.contains(name) }?.key }
}
