import Project

/// Where a SAML provider's responses may arrive: at `spConfig.callbackUri`, and where that is the handler, at the handler on every host
/// that may have it (`Docs/Providers/SAML.md`).
struct SAMLConsumers {
    // A thousand domains would make the public document a large one, which anybody may ask for at no cost.
    private static let maximum = 64

    private let callback: String
    private let address: WebAddress?
    private let hosts: AuthorizedHosts
    private let own: WebAddress?

    /// - Parameter callback: `spConfig.callbackUri`.
    init(callback: String, domains: [String], publicURL: String) {
        self.callback = callback
        address = WebAddress(callback)
        hosts = AuthorizedHosts(domains, publicURL: publicURL)
        own = WebAddress(publicURL)
    }

    /// Whether `callbackUri` is the handler on an authorized host.
    var isHandler: Bool {
        guard let address else { return false }
        return bytesEqual(address.rest, HandlerDelivery.path) && hosts.contains(address.host)
    }

    /// The addresses for the metadata, `callbackUri` first. Hosts below an authorized one and other ports are not known ahead. A host
    /// of this machine stands there only where it is the server's own: no provider's response has to go to one in production.
    var listed: [String] {
        guard isHandler, let own else { return [callback] }
        let hosts = [own.authority] + hosts.listed.filter { !$0.isThisMachine }.map { Authority(host: $0, port: nil) }
        let scheme = own.isSecure ? "https" : "http"
        var seen: Set = [callback]
        let others = hosts.map { "\(scheme)://\($0)\(HandlerDelivery.path)" }.filter { seen.insert($0).inserted }
        return [callback] + others.prefix(Self.maximum - 1)
    }
}

extension HostName {
    fileprivate var isThisMachine: Bool { address?.isLoopback ?? (text == "localhost") }
}
