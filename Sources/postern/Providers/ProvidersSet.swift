import Accounts
import ArgumentParser
import Federation
import Foundation
import HTTPAPI
import Project
import Tenancy

extension ProvidersCommand {
    /// `postern providers set ID KEY=VALUE…`.
    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make or change a provider's configuration.",
            discussion: """
                Keys are the members of the API's resource, inner ones with dots: enabled=true clientId=… issuer=… \
                responseType.code=true appleSignInConfig.bundleIds=a,b. An empty value clears. The client secret, or Apple's private \
                key, comes from --secret-file or --secret-stdin: everybody on the machine sees arguments.
                """
        )

        @OptionGroup var options: Options
        @Argument(help: "google.com, apple.com, oidc.NAME…") var id: String
        @Argument(help: "KEY=VALUE") var values: [String] = []
        @Option(help: "The file that holds the secret.") var secretFile: String?
        @Flag(help: "Read the secret from standard input.") var secretStdin = false

        private static let maximumSecretBytes = 16_384

        func validate() throws {
            for value in values {
                guard let mark = value.firstIndex(of: "="), mark != value.startIndex else {
                    throw ValidationError("\(value) is not KEY=VALUE")
                }
                if ["clientsecret", "privatekey"].contains(where: value[..<mark].lowercased().hasSuffix) {
                    throw ValidationError("secrets come from --secret-file or --secret-stdin")
                }
            }
            guard !values.isEmpty || secretFile != nil || secretStdin else { throw ValidationError("nothing is to be set") }
            if secretFile != nil, secretStdin { throw ValidationError("--secret-file or --secret-stdin, not both") }
        }

        func run() async throws {
            var body: JSONValue = [:]
            var paths: [String] = []
            let collection = ProvidersCommand.collection(id)
            var settings = values.map { text -> (String, JSONValue) in
                let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                let names = parts[0].split(separator: ".").map(String.init)
                return (parts[0], Self.value(parts[1], of: collection.kind.shape.member(at: names)))
            }
            if let secret = try secret() {
                let path = Providers.facts(of: id)?.secretPath ?? ["clientSecret"]
                settings.append((path.joined(separator: "."), .string(secret)))
            }
            for (path, value) in settings {
                let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
                guard collection.hasMember(names) else {
                    throw CommandFailure(
                        "\(TerminalText.printable(path)) is nothing that can be set for \(TerminalText.printable(id))"
                    )
                }
                body = body.setting(value, at: names)
                paths.append(path)
            }
            let (request, mask) = (body, try FieldMask(paths.joined(separator: ",")))
            // In production, the rules fetch the keys of an OpenID provider.
            try await CommandStore.withUseCases(options.config, tenant: options.tenant, reachesOut: true) { workplace in
                let providers = workplace.useCases.operators.configuration.providers
                let context = workplace.context
                do {
                    _ = try await providers.get(collection, id: id, context: context)
                    _ = try await providers.update(collection, id: id, body: request, mask: mask, context: context)
                } catch let error as APIError where error.code == .configurationNotFound {
                    _ = try await providers.create(collection, id: id, body: request, context: context)
                }
                let provider = try await providers.get(collection, id: id, context: ProvidersCommand.context(workplace))
                print(options.json ? provider.text : "\(TerminalText.printable(id)) is configured")
            }
        }

        private func secret() throws -> String? {
            let data: Data?
            if let secretFile {
                guard let handle = FileHandle(forReadingAtPath: secretFile) else {
                    throw CommandFailure("cannot read \(TerminalText.path(secretFile))")
                }
                data = try handle.read(upToCount: Self.maximumSecretBytes)
            } else if secretStdin {
                data = try FileHandle.standardInput.read(upToCount: Self.maximumSecretBytes)
            } else {
                return nil
            }
            let text = String(decoding: data ?? Data(), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            guard !text.isEmpty else { throw CommandFailure("the secret is empty") }
            return text
        }

        private static func value(_ text: String, of shape: Shape?) -> JSONValue {
            switch text {
            case "": return .null
            case "true": return true
            case "false": return false
            default: break
            }
            if text.hasPrefix("[") || text.hasPrefix("{"), let document = try? JSONValue.parse(text.utf8) { return document }
            if shape == .list(.text) { return .array(text.split(separator: ",").map { .string(String($0)) }) }
            return .string(text)
        }
    }
}
