/// Addresses that pages may lead to.
enum ConsolePath {
    /// Whether an address leads to this server: an absolute path, a query or a fragment.
    ///
    /// Browsers read `\` as `/` and drop tabs and line ends (URL Standard §4.4), so that `/\host` and `/<tab>/host` lead elsewhere.
    static func isSafe(_ path: String) -> Bool {
        let bytes = path.utf8
        guard bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }) else { return false }
        switch bytes.first {
        case UInt8(ascii: "?"), UInt8(ascii: "#"): return true
        case UInt8(ascii: "/"): return bytes.dropFirst().first != UInt8(ascii: "/")
        default: return false
        }
    }
}
