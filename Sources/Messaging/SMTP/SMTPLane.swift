import CCurl
import Dispatch

/// One connection to a submission server, which sends one message after the other on a dispatch queue of its own.
///
/// Unchecked: the handle is not `Sendable`, but it is used on the queue only, and freed after the last reference is gone.
final class SMTPLane: @unchecked Sendable {
    struct Options: Sendable {
        let server: SMTPServerConfiguration
        let timeouts: SMTPTransport.Timeouts
        let caFile: String?
        let connectTo: String?
    }

    // libcurl must be initialised once per process before its first use.
    private static let isInitialised = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    // An idle connection is not used again after this many seconds, because most servers hang up after five minutes.
    private static let connectionAge = 60

    private let options: Options
    private let queue: DispatchQueue
    private var handle: UnsafeMutableRawPointer?

    init(_ options: Options, number: Int) {
        self.options = options
        queue = DispatchQueue(label: "postern.smtp.\(number)")
    }

    deinit { if let handle { curl_easy_cleanup(handle) } }

    func send(_ submission: SMTPSubmission) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                queue.async { continuation.resume(with: Result { try self.perform(submission) }) }
            }
        } onCancel: {
            submission.cancel()
        }
    }

    private func perform(_ submission: SMTPSubmission) throws {
        guard !submission.isCancelled else { throw DeliveryError.temporary("cancelled") }
        guard Self.isInitialised, let handle = handle ?? curl_easy_init() else {
            throw DeliveryError.temporary("libcurl cannot be used")
        }
        self.handle = handle
        // Resets the options of the last message and keeps its connection.
        curl_easy_reset(handle)
        var recipients = curl_slist_append(nil, "<\(submission.recipient)>")
        defer { curl_slist_free_all(recipients) }
        var detour = options.connectTo.flatMap { curl_slist_append(nil, "::\($0)") }
        defer { curl_slist_free_all(detour) }
        let outcome = withExtendedLifetime(submission) { () -> CURLcode in
            let code = configure(handle, submission, recipients: &recipients, detour: &detour)
            return code == CURLE_OK ? curl_easy_perform(handle) : code
        }
        guard outcome != CURLE_OK else { return }
        throw SMTPFailure.error(outcome, reply: postern_curl_response_code(handle), submission: submission)
    }

    private func configure(
        _ handle: UnsafeMutableRawPointer,
        _ submission: SMTPSubmission,
        recipients: inout UnsafeMutablePointer<curl_slist>?,
        detour: inout UnsafeMutablePointer<curl_slist>?
    ) -> CURLcode {
        var texts = [
            (CURLOPT_URL, options.server.url(clientName: submission.clientName)),
            (CURLOPT_PROTOCOLS_STR, "smtp,smtps"),
            (CURLOPT_PROXY, ""),
            (CURLOPT_MAIL_FROM, "<\(submission.sender)>"),
        ]
        if let credentials = options.server.credentials {
            texts += [(CURLOPT_USERNAME, credentials.username), (CURLOPT_PASSWORD, credentials.password)]
        }
        // The system's directory of roots remains trusted besides the file.
        if let caFile = options.caFile { texts.append((CURLOPT_CAINFO, caFile)) }
        let mayBePlain = options.server.security == .startTLS && options.server.isLoopback
        let numbers = [
            (CURLOPT_NOSIGNAL, 1),
            (CURLOPT_USE_SSL, mayBePlain ? Int(CURLUSESSL_TRY.rawValue) : Int(CURLUSESSL_ALL.rawValue)),
            (CURLOPT_SSL_VERIFYPEER, 1),
            (CURLOPT_SSL_VERIFYHOST, 2),
            (CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
            (CURLOPT_CONNECTTIMEOUT_MS, options.timeouts.connect.wholeMilliseconds),
            (CURLOPT_TIMEOUT_MS, options.timeouts.total.wholeMilliseconds),
            (CURLOPT_SERVER_RESPONSE_TIMEOUT, max(1, options.timeouts.total.wholeMilliseconds / 1000)),
            (CURLOPT_MAXAGE_CONN, Self.connectionAge),
            (CURLOPT_UPLOAD, 1),
            (CURLOPT_NOPROGRESS, 0),
        ]
        let context = Unmanaged.passUnretained(submission).toOpaque()
        let codes =
            texts.map { postern_curl_set_text(handle, $0, $1) } + numbers.map { postern_curl_set_long(handle, $0, $1) } + [
                postern_curl_set_list(handle, CURLOPT_MAIL_RCPT, recipients),
                postern_curl_set_list(handle, CURLOPT_CONNECT_TO, detour),
                postern_curl_set_size(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(submission.content.count)),
                postern_curl_set_reader(
                    handle,
                    { buffer, size, count, context in
                        guard let buffer, let context else { return 0 }
                        let submission = Unmanaged<SMTPSubmission>.fromOpaque(context).takeUnretainedValue()
                        return submission.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
                    },
                    context
                ),
                postern_curl_set_progress(
                    handle,
                    { context, _, _, _, _ in
                        guard let context else { return 0 }
                        return Unmanaged<SMTPSubmission>.fromOpaque(context).takeUnretainedValue().isCancelled ? 1 : 0
                    },
                    context
                ),
            ]
        return codes.first { $0 != CURLE_OK } ?? CURLE_OK
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int { Int(self / .milliseconds(1)) }
}
