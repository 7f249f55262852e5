import HTTPTypes
import Hummingbird

extension Request {
    /// The token of an `Authorization: Bearer` header (RFC 6750 §2.1), empty when nothing follows; `nil` for other schemes.
    var bearerToken: String? {
        guard let header = headers[.authorization] else { return nil }
        let parts = header.split(separator: " ", maxSplits: 1)
        guard let scheme = parts.first, scheme.lowercased() == "bearer" else { return nil }
        return parts.count > 1 ? String(parts[1]) : ""
    }
}
