import Foundation

/// The values for a message's text. Some were chosen by the user who asked for the message, who may not be its reader.
package struct EmailValues: Sendable, Hashable {
    package let appName: String
    /// The account's address.
    package let email: String
    /// The address that the account will get or has got.
    package let newEmail: String?
    /// The account's name. Built-in texts greet by it only if it looks like a name.
    package let displayName: String?
    /// The address of the link for the reader: `http` or `https`.
    package let link: String
    package let changes: [AccountAlteration]

    /// Takes the values without their control characters and without characters that reverse the direction of text.
    ///
    /// - Throws: ``EmailTemplateError/link`` when the link is not a web address.
    package init(
        appName: String,
        email: String,
        newEmail: String? = nil,
        displayName: String? = nil,
        link: String,
        changes: [AccountAlteration] = []
    ) throws {
        guard Self.isWebAddress(link) else { throw EmailTemplateError.link }
        self.appName = Self.clean(appName)
        self.email = Self.clean(email)
        self.newEmail = newEmail.map(Self.clean)
        self.displayName = displayName.map(Self.clean)
        self.link = link
        self.changes = changes
    }

    /// The display name, unless it could be an advertisement or a link: any user may choose one, and have mail sent to any
    /// address.
    var greetingName: String? {
        guard let name = displayName?.trimmingCharacters(in: .whitespaces), (1...60).contains(name.count) else { return nil }
        let suspicious: Set<Unicode.Scalar> = ["/", "\\", ":", "@", "<", ">", "%", "#", "!", "?", "=", "$", "€", "|"]
        guard name.unicodeScalars.allSatisfy({ !suspicious.contains($0) }) else { return nil }
        // A full stop before a letter could make a host name, as in `example.com`. In `J. R. Smith` a space follows it.
        guard name.firstMatch(of: /[.。．｡]\S/) == nil else { return nil }
        return name
    }

    static func clean(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where !isUnwanted(scalar) { scalars.append(scalar) }
        return String(scalars)
    }

    private static func isUnwanted(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        // Only the marks of direction are removed (UAX #9 §2). Joiners stay, because Arabic and Indian scripts need them.
        case .format: (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
        default: false
        }
    }

    private static func isWebAddress(_ link: String) -> Bool {
        guard link.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">") }),
            let components = URLComponents(string: link), let scheme = components.scheme?.lowercased()
        else { return false }
        return (scheme == "https" || scheme == "http") && components.host?.isEmpty == false
    }
}

/// Why a message's text cannot be made.
package enum EmailTemplateError: Error, Equatable, Sendable {
    /// The link is not a URL with `http` or `https`.
    case link
    /// A built-in text of the language is missing or damaged.
    case texts(String)
}
