import CoreMetrics
import Foundation

/// The figures of the process that Prometheus' own libraries show, by the same names.
enum ProcessFigures {
    /// Sets them. The kernel tells most of them on Linux only; elsewhere those are left out.
    static func set(in registry: MetricsRegistry) {
        if let bytes = residentBytes { gauge("process_resident_memory_bytes", Double(bytes), registry) }
        if let count = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
            gauge("process_open_fds", Double(count), registry)
        }
        var limit = rlimit()
        #if canImport(Glibc)
            let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let files = RLIMIT_NOFILE
        #endif
        if getrlimit(files, &limit) == 0, limit.rlim_cur < UInt64(Int64.max) {
            gauge("process_max_fds", Double(limit.rlim_cur), registry)
        }
        // POSIX counts the processor time in millionths of a second.
        let time = clock()
        if time >= 0 { registry.set("process_cpu_seconds_total", total: Double(time) / 1_000_000) }
        if let start { gauge("process_start_time_seconds", start, registry) }
    }

    private static func gauge(_ label: String, _ value: Double, _ registry: MetricsRegistry) {
        Meter(label: label, factory: registry).set(value)
    }

    private static var residentBytes: Int? {
        fields("/proc/self/statm").dropFirst().first.flatMap { Int($0) }.map { $0 * Int(getpagesize()) }
    }

    // The start of the process after the start of the machine, in ticks: the twenty-second field (proc(5)). The second one may hold
    // spaces, and ends with the last parenthesis.
    private static let start: Double? = {
        guard let stat = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8),
            let end = stat.lastIndex(of: ")"),
            let ticks = stat[end...].split(separator: " ").dropFirst(20).first.flatMap({ Double($0) }),
            let machine = try? String(contentsOfFile: "/proc/stat", encoding: .utf8).split(separator: "\n")
                .first(where: { $0.hasPrefix("btime ") })?.dropFirst(6),
            let boot = Double(machine)
        else { return nil }
        return boot + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }()

    private static func fields(_ path: String) -> [Substring] {
        (try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: " ") ?? []
    }
}
