import CZlib

/// Inflates a gzip stream (RFC 1952) piece by piece, so that its reader can stop at any size. One small stream may inflate to a thousand
/// times as much.
package final class GzipInflater {
    /// The bytes are no gzip stream, or something comes after it.
    package struct Malformed: Error {}

    /// Whether the stream has been read to its end, with the right checksum.
    package private(set) var isComplete = false

    private let stream: UnsafeMutablePointer<z_stream>

    // The largest window, and gzip's form alone.
    private static let windowBits: Int32 = 15 + 16

    /// Makes an inflater of one stream.
    package init() throws(Malformed) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(stream, Self.windowBits, ZLIB_VERSION, size) == Z_OK else { throw Malformed() }
    }

    deinit {
        inflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    /// Inflates the next piece.
    ///
    /// - Parameter input: What was read of it is removed.
    /// - Returns: A shorter one than asked for needs more input, or is the last.
    package func inflate(_ input: inout ArraySlice<UInt8>, atMost count: Int) throws(Malformed) -> [UInt8] {
        if isComplete {
            guard input.isEmpty else { throw Malformed() }
            return []
        }
        var status = Z_OK
        var unread = 0
        let piece = [UInt8](unsafeUninitializedCapacity: count) { output, written in
            input.withUnsafeBufferPointer { bytes in
                // The library does not write there, though its type says so.
                stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
                stream.pointee.avail_in = UInt32(clamping: bytes.count)
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = UInt32(clamping: count)
                status = CZlib.inflate(stream, Z_NO_FLUSH)
                unread = Int(stream.pointee.avail_in)
                written = count - Int(stream.pointee.avail_out)
            }
        }
        input = input.suffix(unread)
        switch status {
        case Z_STREAM_END:
            isComplete = true
            guard input.isEmpty else { throw Malformed() }
        // No progress without more input.
        case Z_OK, Z_BUF_ERROR: break
        default: throw Malformed()
        }
        return piece
    }
}
