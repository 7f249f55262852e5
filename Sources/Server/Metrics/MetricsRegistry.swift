import CoreMetrics
import Project

/// Keeps what the server counts, and writes it in Prometheus' text format 0.0.4.
///
/// Behind swift-metrics' seam, so that another backend can take its place. The number of series is bounded: what would go beyond
/// is not kept, whatever a mistaken label might hold.
final class MetricsRegistry: MetricsFactory {
    private struct Key: Hashable {
        let label: String
        let dimensions: [Dimension]
    }

    struct Dimension: Hashable {
        let name: String
        let value: String
    }

    private static let maximumSeries = 10_000

    private let series = LockedState<[Key: any MetricSeries]>([:])

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        find(label, dimensions) { CounterSeries() } ?? NOOPMetricsHandler.instance
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        find(label, dimensions) { GaugeSeries() } ?? NOOPMetricsHandler.instance
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        if !aggregate { return find(label, dimensions) { GaugeSeries() } ?? NOOPMetricsHandler.instance }
        return find(label, dimensions) { HistogramSeries() } ?? NOOPMetricsHandler.instance
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        find(label, dimensions) { HistogramSeries() } ?? NOOPMetricsHandler.instance
    }

    // Destroying an instrument does not remove its values.
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    private func find<S: MetricSeries>(_ label: String, _ dimensions: [(String, String)], make: () -> S) -> S? {
        let key = Key(label: label, dimensions: dimensions.map { Dimension(name: $0.0, value: $0.1) })
        return series.withLock { series in
            if let known = series[key] { return known as? S }
            guard series.count < Self.maximumSeries else { return nil }
            let made = make()
            series[key] = made
            return made
        }
    }

    /// Everything, sorted by name and labels.
    var text: String {
        let families = Dictionary(grouping: series.withLock { Array($0) }, by: \.key.label)
        var text = ""
        for (label, members) in families.sorted(by: { $0.key < $1.key }) {
            guard let first = members.first else { continue }
            if let help = MetricHelp.texts[label] { text += "# HELP \(label) \(help)\n" }
            text += "# TYPE \(label) \(first.value.kind)\n"
            let lines = members.map { key, series in series.lines(label, key.dimensions) }
            text += lines.sorted { $0.lexicographicallyPrecedes($1) }.joined().map { $0 + "\n" }.joined()
        }
        return text
    }
}

/// The help texts of the metrics, for the readers of the page.
enum MetricHelp {
    static let texts = [
        "postern_http_requests_total": "Requests answered, by route, method and status.",
        "postern_http_request_duration_seconds": "Time from a request to its answer.",
        "postern_http_requests_in_flight": "Requests that are being answered.",
        "postern_refusals_total": "Requests refused, by the code that the client was told.",
        "postern_sign_ins_total": "Completed sign-ins and links, by provider.",
        "postern_sms_codes_sent_total": "Codes handed to the SMS transport, by the region of the number.",
        "postern_sms_codes_redeemed_total": "Codes that came back, by the region of the number.",
        "postern_key_set_fetches_total": "Fetches of identity providers' public keys.",
        "postern_password_hashes_running": "Passwords that are being hashed.",
        "postern_password_hashes_waiting": "Passwords that wait to be hashed.",
        "postern_outbox_waiting": "E-mails, text messages and events that wait or are on their way, by outbox.",
        "postern_database_waiting": "Transactions that wait for their turn.",
        "postern_build_info": "The version of the program, as a label; always 1.",
        "postern_tls_certificate_not_after_timestamp_seconds": "The Unix time at which the listener's certificate ends.",
        "process_resident_memory_bytes": "Resident memory.",
    ]
}
