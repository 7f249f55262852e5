/// The two spellings of member names in proto3 JSON.
package enum MemberSpelling {
    /// `sms_region_config` as `smsRegionConfig`; a name without underscores stays as it is.
    package static func camel(_ name: String) -> String {
        guard name.utf8.contains(UInt8(ascii: "_")) else { return name }
        let parts = name.split(separator: "_")
        guard let first = parts.first else { return name }
        return first + parts.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// `idToken` as `id_token`.
    package static func snake(_ name: String) -> String {
        var text: [UInt8] = []
        for byte in name.utf8 {
            let isUpperCase = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            if isUpperCase { text.append(UInt8(ascii: "_")) }
            text.append(isUpperCase ? byte | 0x20 : byte)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
