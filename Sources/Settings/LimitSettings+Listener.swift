extension LimitSettings {
    /// `limits.connections.*`: open connections of the public listener.
    package struct Connections: Sendable {
        /// All connections. A listener takes three quarters of the process's file descriptors, 10,000 at most, and keeps 128 of them for
        /// health checks and for connections that are ending.
        package let total: Int
        /// Connections of one client address, or of one /64 of IPv6.
        package let perAddress: Int

        init(_ reader: SettingsReader) {
            total = reader.value(
                "total",
                .integer(in: 16...10_000),
                default: 10_000,
                """
                open connections, at most 9872, and at most three quarters of the file descriptors less 128; when all are taken, \
                those that wait for their clients are ended, the oldest first
                """
            )
            perAddress = reader.value(
                "perAddress",
                .integer(in: 1...10_000),
                default: 1024,
                "of them, those of one client address (IPv6: one /64); trusted proxies have no such share"
            )
        }
    }

    /// `limits.bodies.*`: bytes of requests and answers in memory.
    package struct Bodies: Sendable {
        /// Bytes of all clients together.
        package let totalBytes: Int
        /// Bytes of one client address, or of one /64 of IPv6, also behind trusted proxies.
        package let perAddressBytes: Int
        /// Largest request body of calls that are not an administrator's.
        package let publicBytes: Int

        init(_ reader: SettingsReader) {
            totalBytes = reader.value(
                "totalBytes",
                .integer(in: 1_048_576...17_179_869_184),
                default: 67_108_864,
                "bytes of requests and answers in progress; beyond that those that wait for their clients are ended, or it is 503"
            )
            perAddressBytes = reader.value(
                "perAddressBytes",
                .integer(in: 131_072...17_179_869_184),
                default: 8_388_608,
                "of them, those of one client address (IPv6: one /64), administrators excepted; beyond that as above, or it is 429"
            )
            publicBytes = reader.value(
                "publicBytes",
                .integer(in: 1024...1_073_741_824),
                default: 65_536,
                "larger request bodies are refused with 413 unless an administrator sends them"
            )
        }
    }
}
