import CZlib

/// Compresses as clients do (RFC 1952).
package enum Gzip {
    /// One gzip stream.
    package static func stream(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var input = Array(bytes)
        // The library keeps the address.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer { stream.deallocate() }
        let size = Int32(MemoryLayout<z_stream>.size)
        let status = deflateInit2_(stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
        precondition(status == Z_OK, "zlib compresses")
        defer { deflateEnd(stream) }
        return [UInt8](unsafeUninitializedCapacity: Int(deflateBound(stream, UInt(input.count)))) { output, count in
            input.withUnsafeMutableBufferPointer { bytes in
                stream.pointee.next_in = bytes.baseAddress
                stream.pointee.avail_in = UInt32(bytes.count)
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = UInt32(output.count)
                precondition(deflate(stream, Z_FINISH) == Z_STREAM_END, "the bound is large enough")
            }
            count = output.count - Int(stream.pointee.avail_out)
        }
    }
}
