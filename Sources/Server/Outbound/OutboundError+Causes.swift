import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix
import NIOSSL
import Project

extension OutboundError {
    /// What an error of the HTTP client means.
    init(of error: any Error) {
        switch error {
        case is NIOTooManyBytesError, NIOHTTPDecompression.DecompressionError.limit: self = .tooLarge
        case is CancellationError: self = .timedOut
        case let error as HTTPClientError where error == .deadlineExceeded || error == .connectTimeout: self = .timedOut
        case let error as NIOConnectionError: self = Self.connection(error)
        // Of a host that is written as an address.
        case let error as IOError where error.errnoCode == ECONNREFUSED: self = .connectionRefused
        case let error as NIOSSLExtraError where error == .failedToValidateHostname: self = .certificate(.otherName)
        case NIOSSLError.handshakeFailed(let reason): self = Self.handshake("\(reason)")
        default: self = .unreachable
        }
    }

    private static func connection(_ error: NIOConnectionError) -> OutboundError {
        let failures = error.connectionErrors.map(\.error)
        if failures.isEmpty, error.dnsAError != nil || error.dnsAAAAError != nil { return .unknownName }
        let isRefused = failures.contains { ($0 as? IOError)?.errnoCode == ECONNREFUSED }
        return isRefused ? .connectionRefused : .unreachable
    }

    // BoringSSL's errors have a text only.
    private static func handshake(_ reason: String) -> OutboundError {
        reason.contains("CERTIFICATE_VERIFY_FAILED") ? .certificate(.untrusted) : .unreachable
    }
}
