import Foundation

extension IPAddress {
    /// Reads an address in its usual text form: dotted decimal, or IPv6 (RFC 4291 §2.2). No port, no brackets, no zone.
    package init?(_ text: String) {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 {
            self.init(bytes: Array(bytes.prefix(4)))
        } else if inet_pton(AF_INET6, text, &bytes) == 1 {
            self.init(bytes: bytes)
        } else {
            return nil
        }
    }

    /// The address in its canonical form: dotted decimal, or as RFC 5952 has it.
    package var text: String {
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            guard let start = buffer.baseAddress, let end = inet_ntop(family, bytes, start, socklen_t(buffer.count)) else {
                preconditionFailure("an address of 4 or 16 bytes has a text")
            }
            return String(cString: end)
        }
    }

    /// Whether the address reaches this machine alone: 127.0.0.0/8 or ::1.
    package var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    }

    /// Whether a listener on it hears every interface: 0.0.0.0 or ::.
    package var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }
}
