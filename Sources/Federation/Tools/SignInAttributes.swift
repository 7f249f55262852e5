import Project

/// A provider's own attributes of a user, as `firebase.sign_in_attributes` carries them.
///
/// Every ID token of ours carries the attributes, in a header of every request. Attributes that do not fit are left out.
struct SignInAttributes: Sendable {
    private static let maximumBytes = 16 * 1024

    /// What an attribute says, where providers do not agree upon its name.
    enum Meaning {
        case email
        case displayName
        case givenName
        case surname

        // SAML 1's names, which Shibboleth and pysaml2 still write.
        private static let basic = "urn:mace:dir:attribute-def:"

        // What Entra ID and ADFS, eduPerson (RFC 4524, RFC 2798) and hand-made configurations call it; the first one counts.
        var names: [String] {
            switch self {
            case .email:
                [
                    "email", "mail", "emailAddress", "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
                    "urn:oid:0.9.2342.19200300.100.1.3", "urn:oid:1.2.840.113549.1.9.1",
                ] + ["mail", "email", "emailAddress", "rfc822Mailbox", "pkcs9email"].map { Self.basic + $0 }
            case .displayName:
                [
                    "displayName", "name", "http://schemas.microsoft.com/identity/claims/displayname",
                    "urn:oid:2.16.840.1.113730.3.1.241", "cn", "urn:oid:2.5.4.3",
                ] + ["displayName", "name", "cn", "commonName"].map { Self.basic + $0 }
            case .givenName:
                [
                    "givenName", "firstName", "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname",
                    "urn:oid:2.5.4.42",
                ] + ["givenName", "gn"].map { Self.basic + $0 }
            case .surname:
                [
                    "sn", "surname", "lastName", "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/surname",
                    "urn:oid:2.5.4.4",
                ] + ["sn", "surname"].map { Self.basic + $0 }
            }
        }
    }

    /// The attributes that fit, an object.
    let json: JSONValue
    private let all: [(name: String, values: [String])]

    /// SAML's attributes. One value is a text, and several are a list.
    init(_ attributes: [(name: String, values: [String])]) {
        all = attributes
        var gathered: [MemberName: [String]] = [:]
        for attribute in attributes { gathered[MemberName(attribute.name), default: []] += attribute.values }
        json = Self.fitting(
            gathered.map { name, values -> (MemberName, JSONValue) in
                (name, values.count == 1 ? .string(values[0]) : .array(values.map(JSONValue.string)))
            }
        )
    }

    /// Members that fit into ID tokens, by name.
    static func fitting(_ members: [(MemberName, JSONValue)]) -> JSONValue {
        var kept: JSONObject = [:]
        var room = maximumBytes - 2
        for (name, value) in members.sorted(by: { $0.0 < $1.0 }) {
            // Two bytes for colon and comma.
            let size = JSONValue.string(name.text).serialized().count + value.serialized().count + 2
            guard size <= room else { continue }
            room -= size
            kept[name] = value
        }
        return .object(kept)
    }

    /// The values of the attributes with a meaning, the most telling name first.
    func values(of meaning: Meaning) -> [String] {
        meaning.names.flatMap { name in all.filter { bytesEqual($0.name, name) }.flatMap(\.values) }
    }
}
