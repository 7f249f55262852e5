import Project
import Tokens

/// When the certificates and keys of a provider's configuration end.
struct ProviderExpiry {
    let document: JSONValue
    let now: Timestamp
    let texts: ConsoleTexts

    private static let warnedBefore = Duration.seconds(30 * 86_400)

    /// What is shown for a provider.
    func blocks(_ id: String) -> [Block] {
        let certificates = (document["idpConfig"]?["idpCertificates"]?.array ?? []).map {
            $0["x509Certificate"]?.string.flatMap(CertificateText.init)?.expiresAt
        }
        var facts = certificates.map { Fact(label: texts["providers.certificateUntil"], value: $0.map(cell) ?? .none) }
        if let keyID = document["appleSignInConfig"]?["codeFlowConfig"]?["keyId"]?.string, !keyID.isEmpty {
            facts.append(
                Fact(label: texts.text("providers.appleKey", ["id": keyID]), value: .text(texts["providers.appleKeyText"]))
            )
        }
        return facts.isEmpty ? [] : [.facts(facts)]
    }

    private func cell(_ end: Timestamp) -> Cell {
        if end <= now { return .several([.time(end), .badge(text: texts["programs.state.expired"], tone: .negative)]) }
        guard end < now.advanced(by: Self.warnedBefore) else { return .time(end) }
        return .several([.time(end), .badge(text: texts["providers.expiresSoon"], tone: .caution)])
    }
}
