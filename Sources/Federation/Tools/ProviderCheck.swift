import Foundation
package import Project
import Tokens

/// Checks an identity provider for an operator: everything that a sign-in needs, except a user.
package struct ProviderCheck: Sendable {
    package struct Finding: Sendable, Hashable {
        /// The subject of the check, such as `keys`.
        package let subject: String
        package let isGood: Bool
        /// The result as a text for people.
        package let text: String
    }

    let environment: ServerEnvironment

    // `Docs/Contract/rulings.md` 3.
    private static let maximumSkewSeconds: Int64 = 60

    package init(environment: ServerEnvironment) { self.environment = environment }

    /// Runs all checks.
    ///
    /// - Returns: The findings, in the order of a sign-in's steps.
    package func findings(
        _ registration: ClientRegistration,
        at provider: any AuthorizationProvider,
        redirectURI: String
    ) async -> [Finding] {
        var findings: [Finding] = []
        let keys = provider.keys(for: registration)
        if let keys { findings += await self.keys(keys) }
        if case .discovery(let issuer) = keys { findings += await metadata(of: issuer) }
        let (flow, profile) = await flow(registration, provider)
        findings.append(flow)
        if let profile {
            let proof = await proof(profile, registration, provider)
            if let client = await client(proof, redirectURI: redirectURI) { findings.append(client) }
        }
        if let callback = registration.saml?.assertionConsumerURL, !bytesEqual(callback, redirectURI) {
            let text = "spConfig.callbackUri is \(callback) and not this server's handler"
            let effect = "the SDKs' popups and redirects are refused"
            findings.append(Finding(subject: "callback", isGood: false, text: "\(text): \(effect)"))
        }
        findings += provider.remarks(on: registration)
        if let secret = registration.clientSecret, secret != secret.trimmingCharacters(in: .whitespacesAndNewlines) {
            findings.append(Finding(subject: "secret", isGood: false, text: "the client secret begins or ends with white space"))
        }
        return findings
    }

    private func keys(_ source: KeySource) async -> [Finding] {
        do {
            let set = try await KeySetFetcher(http: environment.http).fetch(source).keySet
            let algorithms = Set(set.keys.map(\.algorithm.rawValue)).sorted().joined(separator: ", ")
            let found = Finding(subject: "keys", isGood: true, text: "\(set.keys.count) usable keys (\(algorithms))")
            guard let announced = set.announcedAlgorithms,
                !set.keys.contains(where: { announced.contains($0.algorithm) })
            else { return [found] }
            let text = "no key is of an algorithm that the provider announces: every ID token would be refused"
            return [found, Finding(subject: "keys", isGood: false, text: text)]
        } catch {
            return [
                Finding(
                    subject: "keys",
                    isGood: false,
                    text: "\(source): \(Self.reason(error)); users would see INVALID_IDP_RESPONSE"
                )
            ]
        }
    }

    private func metadata(of issuer: String) async -> [Finding] {
        let url = PublishedDocument.discoveryURL(of: issuer)
        do {
            let document = try await PublishedDocument.fetch(url, over: environment.http)
            let metadata = try ProviderMetadata(document.content, issuer: issuer)
            let authorization = try metadata.requireAuthorizationEndpoint()
            let token = metadata.tokenEndpoint ?? "none"
            var findings = [
                Finding(
                    subject: "endpoints",
                    isGood: true,
                    text: "authorization at \(authorization), token at \(token)"
                )
            ]
            if let date = document.answer.header("Date").flatMap(Self.seconds) {
                let skew = environment.now().seconds - date
                let isGood = abs(skew) <= Self.maximumSkewSeconds
                findings.append(
                    Finding(
                        subject: "clock",
                        isGood: isGood,
                        text: isGood
                            ? "this machine and the provider are \(abs(skew)) seconds apart"
                            : "this machine is \(abs(skew)) seconds \(skew > 0 ? "ahead" : "behind"): ID tokens would be refused"
                    )
                )
            }
            return findings
        } catch {
            return [Finding(subject: "endpoints", isGood: false, text: "\(url): \(Self.reason(error))")]
        }
    }

    private func flow(
        _ registration: ClientRegistration,
        _ provider: any AuthorizationProvider
    ) async -> (Finding, AuthorizationProfile?) {
        do {
            let selection = AuthorizationSelection(wantsCode: registration.usesCode)
            let profile = try await provider.profile(for: registration, selection)
            let secret = profile.authentication == nil ? "without a client secret" : "with a client secret"
            let signature = profile.saml?.signingKey == nil ? "with requests that are not signed" : "with signed requests"
            let how = profile.saml == nil ? secret : signature
            let text = "\(profile.grant.rawValue) at \(profile.authorizationEndpoint), \(how)"
            return (Finding(subject: "flow", isGood: true, text: text), profile)
        } catch {
            return (Finding(subject: "flow", isGood: false, text: Self.reason(error)), nil)
        }
    }

    // A flow without codes leaves the secret aside. Native apps' codes may be exchanged with it, so that it is tried out all the same.
    private func proof(
        _ profile: AuthorizationProfile,
        _ registration: ClientRegistration,
        _ provider: any AuthorizationProvider
    ) async -> AuthorizationProfile {
        guard profile.tokenEndpoint == nil, registration.clientSecret != nil else { return profile }
        let selection = AuthorizationSelection(wantsCode: true)
        return (try? await provider.profile(for: registration.withCode, selection)) ?? profile
    }

    static func reason(_ error: any Error) -> String {
        switch error {
        case let error as APIError: error.message
        case let error as ProviderError: error.cause.map { "\(error.reason) (\(reason($0)))" } ?? error.reason
        case KeySetFetcher.Invalid.status(let status): "answered with status \(status)"
        case KeySetFetcher.Invalid.json: "answered with something that is not the JSON expected"
        case KeySetFetcher.Invalid.issuer: "the discovery document is of another issuer"
        case KeySetFetcher.Invalid.noKeys: "publishes no usable keys"
        case OutboundError.forbiddenURL: "the URL is not https"
        case OutboundError.forbiddenAddress: "the address is one of a private network (outbound.allowPrivateNetworks)"
        case OutboundError.unknownName: "the name of the host is not found"
        case OutboundError.connectionRefused: "the connection was refused: nothing listens there"
        case OutboundError.certificate(let fault): "\(fault)"
        case OutboundError.unreachable: "the connection failed or broke"
        case OutboundError.timedOut: "did not answer in time"
        case OutboundError.tooLarge: "answered with too much"
        default: "failed"
        }
    }

    // RFC 9110 §5.6.7, the preferred form.
    private static func seconds(_ date: String) -> Int64? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.date(from: date).map { Int64($0.timeIntervalSince1970) }
    }
}
