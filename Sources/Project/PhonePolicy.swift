/// The part of a scope's configuration about phone numbers (`Docs/Contract/admin-config.md` §3 and §7).
package struct PhonePolicy: Sendable, Hashable {
    /// Signing in with a phone number is on (`signIn.phoneNumber.enabled`).
    package let allowsSignIn: Bool
    /// Fictional numbers in E.164, each with its fixed code.
    package let testCodes: [String: String]
    private let regions: Regions

    /// The regions that messages may go to (`smsRegionConfig`).
    private enum Regions: Hashable {
        case allBut(Set<String>)
        case only(Set<String>)
    }

    // `Docs/Contract/admin-config.md` §7.
    private static let maximumTestNumbers = 10

    /// Reads the resources.
    ///
    /// - Parameter mode: In development phone sign-in is on unless switched off.
    package init(project: JSONValue, tenant: JSONValue?, mode: ModeRules) {
        let settings = project["signIn"]?["phoneNumber"]
        allowsSignIn = settings?["enabled"]?.bool ?? mode.allowsMethodsByDefault
        let numbers = (tenant.map { $0["testPhoneNumbers"] } ?? settings?["testPhoneNumbers"])?.object ?? [:]
        var testCodes: [String: String] = [:]
        for (number, code) in numbers.sorted(by: { $0.key < $1.key }).prefix(Self.maximumTestNumbers) {
            guard let code = code.string, code.wholeMatch(of: /[0-9]{6}/) != nil, let number = Self.testNumber(number.text) else {
                continue
            }
            testCodes[number] = code
        }
        self.testCodes = testCodes
        let config = (tenant ?? project)["smsRegionConfig"]
        // A malformed allow list allows no region, rather than all of them.
        if let allowed = config?["allowlistOnly"], allowed != .null {
            regions = .only(Self.codes(allowed["allowedRegions"]))
        } else {
            regions = .allBut(Self.codes(config?["allowByDefault"]?["disallowedRegions"]))
        }
    }

    /// Reads a number as a client sends it. A configured fictional number need not be a possible one.
    package func canonical(_ text: String?, mode: ModeRules) -> String? {
        if let number = PhoneNumber.canonical(text, mode: mode) { return number }
        return text.flatMap(Self.testNumber).flatMap { testCodes[$0] == nil ? nil : $0 }
    }

    /// Whether messages may be sent to a number in E.164.
    package func allowsMessages(to number: String) -> Bool {
        let region = PhoneNumber.region(of: number)
        switch regions {
        case .allBut(let refused): return region.map { !refused.contains($0) } ?? refused.isEmpty
        case .only(let allowed): return region.map(allowed.contains) ?? false
        }
    }

    private static func testNumber(_ text: String) -> String? {
        let kept = text.filter { !" -()".contains($0) }
        return kept.wholeMatch(of: /\+[0-9]{7,15}/) == nil ? nil : kept
    }

    private static func codes(_ list: JSONValue?) -> Set<String> {
        Set((list?.array ?? []).compactMap { $0.string?.uppercased() })
    }
}
