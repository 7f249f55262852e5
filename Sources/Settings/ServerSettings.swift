package import Project

/// `server.*`: the listeners and the server's public address.
package struct ServerSettings: Sendable {
    /// A PEM certificate chain and its key.
    package struct TLS: Sendable {
        /// Path of the certificate chain, leaf first.
        package let certificateFile: String
        package let privateKeyFile: String
    }

    /// The private listener, where the Admin SDKs' `Bearer owner` is accepted.
    package struct AdminListener: Sendable {
        /// Address or name to bind.
        package let host: String
        /// Port to bind; 0 for any free one.
        package let port: Int
    }

    /// Address or name to bind.
    package let host: String
    /// Port to bind; 0 for any free one.
    package let port: Int
    /// `nil` when the server does not serve HTTPS itself.
    package let tls: TLS?
    /// `server.publicURL`; `nil` when it is not set. See ``publicURL(boundTo:)``.
    package let configuredPublicURL: WebURL?
    /// Proxies whose `X-Forwarded-For` is trusted, and for sign-in flows `X-Forwarded-Host`.
    package let trustedProxies: [CIDR]
    /// Largest request body of administrators, in bytes.
    package let maxBodyBytes: Int
    /// The private listener; `nil` when there is none.
    package let admin: AdminListener?

    /// The base of every link and redirect URI: the configured one, or `http(s)://HOST:PORT` with the bound port.
    package func publicURL(boundTo port: Int) -> WebURL {
        configuredPublicURL ?? WebURL(isSecure: tls != nil, host: host, port: port)
    }

    init(_ reader: SettingsReader, development: DevelopmentSettings) {
        host = reader.value("host", .host, default: "127.0.0.1", "address to listen on")
        port = reader.value("port", .integer(in: 0...65535), default: 9099, "port to listen on; 0 takes any free one")
        configuredPublicURL = reader.optional(
            "publicURL",
            .baseURL,
            otherwise: "`http://HOST:PORT`, `https` with TLS",
            "base of every link, redirect URI and issuer document"
        )
        tls = Self.tls(reader.section("tls"))
        trustedProxies = reader.value(
            "trustedProxies",
            .list(of: "addresses or CIDR blocks") { CIDR($0) },
            default: [],
            otherwise: "none",
            "proxies whose `X-Forwarded-For` is believed, and for sign-in flows `X-Forwarded-Host`"
        )
        maxBodyBytes = reader.value(
            "maxBodyBytes",
            .integer(in: 1024...1_073_741_824),
            default: 1_048_576,
            "larger request bodies of administrators are refused with 413; batch import has its own limit"
        )
        let adminHost = reader.optional("adminHost", .host, "address of a second, private listener for administrators")
        let adminPort = reader.optional("adminPort", .integer(in: 0...65535), "port of that listener; 0 takes any free one")
        admin = adminHost.flatMap { host in adminPort.map { AdminListener(host: host, port: $0) } }

        if let url = configuredPublicURL, WebAddress(url.text) == nil {
            reader.refuse("publicURL", "expected a host of letters, digits and hyphens (xn--… for other letters), or an address")
        }
        reader.requireTogether("adminHost", "adminPort")
        if let admin, admin.port != 0, admin.port == port, admin.host == host {
            reader.refuse("adminPort", "expected an address other than server.host and server.port")
        }
        refuseRemoteDevelopment(reader, development)
        if reader.rules?.warnsOfExposure == true, let admin,
            IPAddress(admin.host).map({ $0.isUnspecified || $0.isGloballyReachable }) == true
        {
            reader.warn("server.adminHost is \(admin.host): every client that reaches port \(admin.port) is an administrator")
        }
        if reader.rules?.warnsOfExposure == true, configuredPublicURL == nil, IPAddress(host)?.isUnspecified == true {
            reader.warn("server.publicURL is not set, so links will point at \(publicURL(boundTo: port))")
        }
    }

    private static func tls(_ reader: SettingsReader) -> TLS? {
        let certificate = reader.optional(
            "certificateFile",
            .path,
            "PEM certificate chain; serves HTTPS with HTTP/1.1 and HTTP/2"
        )
        let key = reader.optional("privateKeyFile", .path, "PEM private key of that certificate")
        reader.warnOfReaders("privateKeyFile", key)
        reader.requireTogether("certificateFile", "privateKeyFile")
        return certificate.flatMap { certificate in key.map { TLS(certificateFile: certificate, privateKeyFile: $0) } }
    }

    /// Development mode trusts every client that can reach it, so by default only this machine may (threat EMU-05).
    private func refuseRemoteDevelopment(_ reader: SettingsReader, _ development: DevelopmentSettings) {
        guard reader.rules?.staysOnLoopback == true, !development.allowRemote else { return }
        for (name, host) in [("host", host), ("adminHost", admin?.host ?? "localhost")] where !Self.isLoopback(host) {
            reader.refuse(name, "expected a loopback address when mode is development, or development.allowRemote: true")
        }
    }

    private static func isLoopback(_ host: String) -> Bool {
        IPAddress(host)?.isLoopback ?? (host.lowercased() == "localhost")
    }
}
