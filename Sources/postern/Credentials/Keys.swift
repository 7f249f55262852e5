import ArgumentParser
import Project
import Server
import Settings
import Storage
import Tokens

/// `postern keys`: the keys that sign ID tokens. Works beside a running server, which applies changes within two seconds.
struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show, rotate or revoke the keys that sign ID tokens or SAML requests, or replace the master key.",
        subcommands: [List.self, Rotate.self, Revoke.self, SAML.self, Rewrap.self]
    )

    /// `postern keys list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the keys and what they do.")

        @OptionGroup var config: ConfigOption
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            try await Keys.withKeyRing(config, onlyReads: true) { ring, _ in
                let forIDTokens = Set(ring.published.map(\.record.kid))
                let keys = ring.publishedForCookies.map {
                    Keys.describe($0.record, verifiesIDTokens: forIDTokens.contains($0.record.kid))
                }
                if json {
                    print(JSONValue.object(["keys": .array(keys)]).text)
                } else {
                    for key in keys { print("\(key["kid"]?.string ?? "")  \(key["state"]?.string ?? "")") }
                }
            }
        }
    }

    /// `postern keys revoke`.
    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Forget a key that others may know: nothing that it signed is good any more.",
            discussion: """
                Running servers refuse its ID tokens and session cookies within two seconds. Refresh tokens are not signed: apps get new ID \
                tokens with theirs, and nobody is signed out but by session cookies. Other services refuse the key once they fetch the key \
                set again, which may take an hour.
                """
        )

        @OptionGroup var config: ConfigOption
        @Argument(help: "The key's id, as keys list shows it.") var kid: String
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            try await Keys.withKeyRing(config) { ring, context in
                if try ring.current().kid == kid { Keys.warnOfYoungSuccessor(in: ring) }
                do {
                    let signing = try await ring.revoke(kid, context: context)
                    print(json ? JSONValue.object(["kid": .string(signing)]).text : "\(kid) is revoked; \(signing) signs now")
                } catch is KeyRing.UnknownKey {
                    throw CommandFailure("there is no key \(TerminalText.printable(kid))")
                }
            }
        }
    }

    // How long verifiers may cache the key documents.
    private static let verifiersCache = Duration.seconds(3600)

    private static let youngSuccessor = """
        warning: the key that signs from now on was published less than an hour ago; verifiers that keep key sets that long may refuse \
        its tokens until they fetch them again
        """

    static func warnOfYoungSuccessor(in ring: KeyRing) {
        guard let next = ring.published.first(where: { $0.record.activatedAt == nil }),
            ServerEnvironment.systemClock() < next.record.createdAt.advanced(by: verifiersCache)
        else { return }
        StandardError.write(youngSuccessor)
    }

    private static func describe(_ record: SigningKeyRecord, verifiesIDTokens: Bool) -> JSONValue {
        let retired = verifiesIDTokens ? "retired" : "session cookies only"
        let state = record.activatedAt == nil ? "next" : record.retiredAt == nil ? "signing" : retired
        var members: JSONObject = [
            "kid": .string(record.kid), "state": .string(state), "createdAt": .string(record.createdAt.rfc3339),
        ]
        members["activatedAt"] = (record.activatedAt?.rfc3339).map(JSONValue.string)
        members["retiredAt"] = (record.retiredAt?.rfc3339).map(JSONValue.string)
        return .object(members)
    }

    static func withKeyRing(
        _ config: ConfigOption,
        onlyReads: Bool = false,
        _ body: (KeyRing, CallContext) async throws -> Void
    ) async throws {
        try await CommandStore.withDatabase(config) { database, environment, settings in
            let ring = try StoreKeys(settings, of: database, environment: environment).ring
            if onlyReads { try await ring.loadForCommand(makesKeys: false) } else { try await ring.load() }
            try await body(ring, .commandLine(projectID: settings.project.id, tenant: nil))
        }
    }
}
