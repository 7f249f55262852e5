import NIOCore

/// A client's bytes of HTTP/2, read only as far as it takes to find its settings: bounds what these let a client ask of its server for as
/// long as a connection lasts (threat case RES-14).
///
/// A client says how large a table of sent fields its server may keep for it (RFC 9113 §6.5.2). NIO's encoder takes all that is allowed,
/// fills it with every answer and searches it from its beginning, so that a huge table costs more with every request and never gets
/// smaller. What the client allows is lowered before NIO sees it; a server may always keep less (RFC 7541 §4.2). A connection with more
/// SETTINGS than any client sends, each of which has to be acknowledged, is ended.
struct SettingsFrames {
    /// The largest table of sent fields that the server keeps, and its size without settings (RFC 9113 §6.5.2).
    static let largestTable: UInt32 = 4096
    /// The most SETTINGS frames of a connection. Clients send one or a few.
    static let mostFrames = 256

    // RFC 9113 §3.4 and §4.1.
    private static let prefaceBytes = 24
    private static let headBytes = 9
    private static let settingBytes = 6
    private static let settingsType: UInt8 = 4
    private static let headerTableSize: UInt16 = 1

    private enum Place {
        /// In front of a frame's head.
        case head
        /// Among the settings of a frame with this many bytes left.
        case settings(Int)
        /// In what is not read, with this many bytes left.
        case passing(Int)
    }

    private var place = Place.passing(Self.prefaceBytes)
    // The beginning of a head or a setting whose rest has not come.
    private var held = ByteBuffer()
    private var count = 0

    /// Lowers the size of the table where the settings allow a larger one.
    ///
    /// - Returns: Without the beginning of a head or a setting that is not complete; `nil` for a connection that has sent too
    ///   many settings.
    mutating func bounded(_ bytes: ByteBuffer) -> ByteBuffer? {
        var all = bytes
        if held.readableBytes > 0 {
            held.writeImmutableBuffer(bytes)
            all = held
            held = ByteBuffer()
        }
        var index = all.readerIndex
        while index < all.writerIndex {
            let left = all.writerIndex - index
            switch place {
            case .passing(let rest):
                index += min(rest, left)
                place = rest > left ? .passing(rest - left) : .head
            case .head where left >= Self.headBytes:
                guard enter(all, at: index) else { return nil }
                index += Self.headBytes
            case .settings(let rest) where rest >= Self.settingBytes && left >= Self.settingBytes:
                lower(&all, at: index)
                index += Self.settingBytes
                place = rest > Self.settingBytes ? .settings(rest - Self.settingBytes) : .head
            case .settings(let rest) where rest < Self.settingBytes:
                // No settings have this length, which the connection is ended for.
                place = .passing(rest)
            case .head, .settings:
                let incomplete = all.getSlice(at: index, length: left)
                all.moveWriterIndex(to: index)
                held = incomplete ?? ByteBuffer()
            }
        }
        return all
    }

    private mutating func enter(_ bytes: ByteBuffer, at index: Int) -> Bool {
        let length = bytes.getBytes(at: index, length: 3)?.reduce(0) { $0 << 8 | Int($1) } ?? 0
        let isSettings = bytes.getInteger(at: index + 3, as: UInt8.self) == Self.settingsType
        if isSettings { count += 1 }
        place = length == 0 ? .head : isSettings ? .settings(length) : .passing(length)
        return count <= Self.mostFrames
    }

    private func lower(_ bytes: inout ByteBuffer, at index: Int) {
        guard bytes.getInteger(at: index, as: UInt16.self) == Self.headerTableSize,
            let size = bytes.getInteger(at: index + 2, as: UInt32.self), size > Self.largestTable
        else { return }
        bytes.setInteger(Self.largestTable, at: index + 2)
    }
}
