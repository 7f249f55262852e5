/// Every call that Postern makes to another server goes through this closure.
///
/// Implementations follow no redirects, keep to the limits, and refuse addresses that ``NetworkGuard`` refuses.
package struct OutboundHTTP: Sendable {
    package typealias Send = @Sendable (Request, Limits) async throws -> Response

    private let send: Send

    package init(send: @escaping Send) { self.send = send }

    /// Sends a request and collects its answer. Any status is an answer.
    package func callAsFunction(_ request: Request, limits: Limits = Limits()) async throws -> Response {
        try await send(request, limits)
    }

    package struct Request: Sendable {
        package var method: String
        package var url: String
        package var headers: [(name: String, value: String)]
        package var body: [UInt8]
        /// The peer speaks HTTP/2 only. Over `https` ALPN negotiates it; over `http` it is used without negotiation (ruling 2).
        package var needsHTTP2 = false

        package init(method: String = "GET", url: String, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
            self.method = method
            self.url = url
            self.headers = headers
            self.body = body
        }
    }

    /// Bounds of one call.
    package struct Limits: Sendable {
        /// Time until the last byte of the answer; `nil` takes `outbound.timeoutSeconds`.
        package var timeout: Duration?
        /// Largest body accepted, in bytes.
        package var maximumBodyBytes: Int

        package init(timeout: Duration? = nil, maximumBodyBytes: Int = 1 << 20) {
            self.timeout = timeout
            self.maximumBodyBytes = maximumBodyBytes
        }
    }

    /// A collected answer.
    package struct Response: Sendable {
        package var status: Int
        package var headers: [(name: String, value: String)]
        package var body: [UInt8]

        package init(status: Int, headers: [(name: String, value: String)], body: [UInt8]) {
            self.status = status
            self.headers = headers
            self.body = body
        }

        /// The first header of that name, compared without regard to case.
        package func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }

        /// The body as JSON. A byte order mark ahead of it is skipped (RFC 8259 §8.1).
        package func json() throws -> JSONValue {
            try JSONValue.parse(body.starts(with: Self.byteOrderMark) ? body.dropFirst(Self.byteOrderMark.count) : body[...])
        }

        private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    }
}

/// Why an outgoing call got no answer. No case carries anything of the peer's body.
package enum OutboundError: Error, Equatable, Sendable {
    /// The URL is not absolute, or its scheme is not allowed (`Docs/Contract/rulings.md` 1).
    case forbiddenURL
    /// The host's name leads to an address that Postern must not reach.
    case forbiddenAddress
    /// The host's name leads to no address.
    case unknownName
    /// Nothing listens at the host's address and port.
    case connectionRefused
    /// The peer's certificate is not accepted.
    case certificate(CertificateFault)
    /// The connection failed or broke for another reason.
    case unreachable
    /// The answer did not arrive in time.
    case timedOut
    /// The answer is larger than allowed.
    case tooLarge

    /// Why a peer's certificate is not accepted.
    package enum CertificateFault: Equatable, Sendable {
        /// It is of no authority that is trusted here, or for another reason not to be trusted.
        case untrusted
        /// It is for another host.
        case otherName
        /// It was good until then.
        case ended(Timestamp)
        /// It is good from then on.
        case early(Timestamp)
    }
}

extension OutboundError: CustomStringConvertible {
    /// The reason in words, for the log.
    package var description: String {
        switch self {
        case .forbiddenURL: "the URL is not permitted"
        case .forbiddenAddress: "the address is not permitted"
        case .unknownName: "the name of the host was not found"
        case .connectionRefused: "the connection was refused"
        case .certificate(let fault): "\(fault)"
        case .unreachable: "the server could not be reached"
        case .timedOut: "the server did not answer in time"
        case .tooLarge: "the answer was too large"
        }
    }
}

extension OutboundError.CertificateFault: CustomStringConvertible {
    /// The reason in words, for operators.
    package var description: String {
        switch self {
        case .untrusted: "the certificate is of no authority that is trusted here (outbound.caFile)"
        case .otherName: "the certificate is for another host"
        case .ended(let time): "the certificate has ended at \(time.rfc3339)"
        case .early(let time): "the certificate is good from \(time.rfc3339) on: is this machine's clock right?"
        }
    }
}
