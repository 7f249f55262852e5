/// What is known of a metric beside its values.
struct Metric: Sendable {
    /// Its name on the page, in Prometheus' form.
    let label: String
    /// What it says, for the readers of the page.
    let help: String?
    /// The bounds of its buckets, if it is a histogram.
    let bounds: [Double]
    /// How many sets of labels are told apart. What comes beyond is counted as one, whose labels say `other`.
    let mostMembers: Int
    /// Its name in OpenTelemetry's conventions, where they have one.
    private let conventionalName: String?

    // Those of OpenTelemetry's conventions for HTTP that a monitor needs: each bound is a series for every route, method and status.
    private static let requestSeconds = [0.005, 0.025, 0.1, 0.5, 2.5, 10]
    // The bounds of OpenTelemetry's conventions for HTTP, with two finer ones.
    private static let seconds = [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
    ]
    private static let counts: [Double] = [1, 2, 4, 8, 16, 32, 64, 128, 256]

    private init(
        _ label: String,
        _ help: String?,
        bounds: [Double] = seconds,
        mostMembers: Int = 16,
        conventionalName: String? = nil
    ) {
        self.mostMembers = mostMembers
        self.label = label
        self.help = help
        self.bounds = bounds
        self.conventionalName = conventionalName
    }

    /// Its unit in UCUM, by the ending of the label.
    var unit: String {
        let base = label.hasSuffix("_total") ? String(label.dropLast("_total".count)) : label
        return if base.hasSuffix("_seconds") { "s" } else if base.hasSuffix("_bytes") { "By" } else { "1" }
    }

    /// Its name in OTLP. Collectors append unit and `_total` again where they write for Prometheus.
    var exportedName: String {
        if let conventionalName { return conventionalName }
        var name = label
        for suffix in ["_total", "_seconds", "_bytes"] where name.hasSuffix(suffix) { name.removeLast(suffix.count) }
        return name
    }

    /// The name of a label in OTLP.
    static func exportedDimension(_ name: String) -> String {
        switch name {
        case "http_request_method": "http.request.method"
        case "http_route": "http.route"
        case "http_response_status_code": "http.response.status_code"
        default: name
        }
    }

    /// The metric of a label; one that is not in the list has no help.
    static func named(_ label: String) -> Metric { byLabel[label] ?? Metric(label, nil) }

    private static let byLabel = Dictionary(uniqueKeysWithValues: all.map { ($0.label, $0) })

    /// Every metric.
    static let all = [
        Metric(
            "http_server_request_duration_seconds",
            "Time from a request to its answer, by method, route and status.",
            bounds: requestSeconds,
            // `RequestMetrics` has a bound of its own.
            mostMembers: 28,
            conventionalName: "http.server.request.duration"
        ),
        Metric(
            "http_server_active_requests",
            "Requests that are being answered.",
            conventionalName: "http.server.active_requests"
        ),
        Metric("postern_refusals_total", "Requests refused, by the code that the client was told.", mostMembers: 40),
        Metric(
            "postern_audit_dropped_total",
            "Refusals that the audit trail has no record of, because too many waited for the store."
        ),
        Metric(
            "postern_audit_blocked_total",
            "Times that a chain of the audit trail was left alone or forwarded anew because somebody else had changed it, by work."
        ),
        Metric("postern_throttle_hits_total", "Requests refused because a limit was reached, by limit."),
        Metric("postern_sign_ins_total", "Completed sign-ins and links, by provider."),
        Metric("postern_sign_in_refusals_total", "Sign-ins refused, by provider and code."),
        Metric("postern_sessions_begun_total", "Sessions begun."),
        Metric("postern_sessions_ended_total", "Sessions that were ended, by their users, by changes and by newer ones."),
        Metric("postern_session_refreshes_total", "Refresh tokens exchanged."),
        Metric("postern_sms_codes_sent_total", "Codes handed to the SMS transport, by the region of the number."),
        Metric("postern_sms_codes_redeemed_total", "Codes that came back, by the region of the number."),
        Metric("postern_key_set_fetches_total", "Fetches of identity providers' public keys, by outcome."),
        Metric("postern_key_set_lookups_total", "Look-ups of identity providers' public keys, by outcome."),
        Metric("postern_password_hash_duration_seconds", "Time of a password's check or hash, with the wait for a thread."),
        Metric("postern_password_hashes_total", "Hashes with the default parameters."),
        Metric("postern_password_hashes_running", "Passwords that are being hashed."),
        Metric("postern_password_hashes_waiting", "Passwords that wait to be hashed."),
        Metric("postern_outbox_waiting", "E-mails, text messages and events that wait or are on their way, by outbox."),
        Metric("postern_outbox_deliveries_total", "Attempts to deliver a message of an outbox, by outcome."),
        Metric("postern_database_waiting", "Transactions that wait for their turn."),
        Metric("postern_database_connections", "Connections of the store, by kind."),
        Metric("postern_database_connections_in_use", "Connections of the store that have a transaction, by kind."),
        Metric("postern_database_commit_duration_seconds", "Time of a commit."),
        Metric("postern_database_commit_writes", "Writes that one commit made durable.", bounds: counts),
        Metric("postern_database_standbys", "Standbys of the database server."),
        Metric("postern_database_replication_lag_seconds", "By how much the slowest standby is behind."),
        Metric("postern_certificate_expiration_timestamp_seconds", "When the listener's certificate expires."),
        Metric("postern_signing_key_rotation_timestamp_seconds", "When the key that signs ID tokens is due to be replaced."),
        Metric(
            "postern_saml_certificate_expiry_timestamp_seconds",
            "When the first certificate ends that enabled SAML providers sign with (role idp), or that we sign with (role sp); 0 for none."
        ),
        Metric("postern_telemetry_dropped_total", "Spans and log records that were not sent, by signal."),
        Metric("postern_clock_believed", "Whether the system's clock is believed; 0 after a jump."),
        Metric("postern_clock_lead_seconds", "By how much the system's clock has left the time that is believed."),
        Metric("postern_build_info", "The version of the program, as a label; always 1."),
        Metric("process_resident_memory_bytes", "Resident memory."),
        Metric("process_cpu_seconds_total", "Processor time of the process."),
        Metric("process_open_fds", "Open file descriptors."),
        Metric("process_max_fds", "File descriptors that the process may open."),
        Metric("process_start_time_seconds", "Start of the process, in seconds since 1970."),
    ]
}
