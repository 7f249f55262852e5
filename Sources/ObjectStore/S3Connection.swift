import CCurl
import Project

/// A connection to an object store, which sends one signed request after the other and blocks its thread meanwhile.
///
/// libcurl signs (AWS Signature Version 4). What it signs is written so that every version since 7.87 signs it right: queries sorted
/// and encoded as the signature demands, the hash of each body given, no header that is empty. TLS certificates are always verified,
/// redirects are not followed, and proxies and credential files of the process's environment are ignored.
final class S3Connection {
    /// One request.
    struct Request {
        enum Method: String { case get = "GET", put = "PUT", post = "POST", delete = "DELETE" }

        let method: Method
        let url: String
        /// The signature covers them.
        var headers: [(name: String, value: String)]
        var body: [UInt8] = []
        /// The largest body of an answer.
        let limit: Int
        let stallSeconds: Int
    }

    /// An answer with any status.
    struct Answer {
        let status: Int
        let body: [UInt8]
        let etag: String?
        let contentRange: String?
    }

    /// There was no answer.
    struct Fault: Error {
        let reason: String
        /// Whether another try makes sense.
        let isTemporary: Bool
    }

    // libcurl must be initialised once per process before its first use.
    private static let isInitialised = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    // A failure of these passes with no further try.
    private static let lasting: Set<UInt32> = Set(
        [
            CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM, CURLE_SSL_ISSUER_ERROR,
            CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_NOT_BUILT_IN,
            CURLE_UNKNOWN_OPTION,
        ].map(\.rawValue)
    )

    private let configuration: S3Configuration
    private let interruption: Interruption
    private var handle: UnsafeMutableRawPointer?

    init(_ configuration: S3Configuration, interruption: Interruption) {
        self.configuration = configuration
        self.interruption = interruption
    }

    deinit { if let handle { curl_easy_cleanup(handle) } }

    /// The answer as it comes in.
    private final class Reception {
        let limit: Int
        let interruption: Interruption
        var body: [UInt8] = []
        var isTooLarge = false

        init(limit: Int, interruption: Interruption) {
            self.limit = limit
            self.interruption = interruption
        }

        func take(_ bytes: UnsafeRawBufferPointer) -> Int {
            isTooLarge = bytes.count > limit - body.count
            guard !isTooLarge else { return 0 }
            body += bytes
            return bytes.count
        }
    }

    /// Sends a request.
    func send(_ request: Request) throws -> Answer {
        guard !interruption.hasCome else { throw Fault(reason: "interrupted", isTemporary: false) }
        guard Self.isInitialised, let handle = handle ?? curl_easy_init() else {
            throw Fault(reason: "libcurl cannot be used", isTemporary: false)
        }
        self.handle = handle
        // Resets the options of the last request and keeps its connection.
        curl_easy_reset(handle)
        var headers: UnsafeMutablePointer<curl_slist>?
        for header in request.headers { headers = curl_slist_append(headers, "\(header.name): \(header.value)") }
        defer { curl_slist_free_all(headers) }
        let reception = Reception(limit: request.limit, interruption: interruption)
        let code = withExtendedLifetime(reception) {
            // libcurl reads the body where it is.
            request.body.withUnsafeBytes { body in
                let code = configure(handle, request, body, headers, reception)
                return code == CURLE_OK ? curl_easy_perform(handle) : code
            }
        }
        guard code == CURLE_OK else { throw fault(code, reception) }
        return Answer(
            status: postern_curl_response_code(handle),
            body: reception.body,
            etag: header("ETag", handle),
            contentRange: header("Content-Range", handle)
        )
    }

    private func fault(_ code: CURLcode, _ reception: Reception) -> Fault {
        if interruption.hasCome { return Fault(reason: "interrupted", isTemporary: false) }
        if reception.isTooLarge { return Fault(reason: "the answer is larger than was asked for", isTemporary: false) }
        return Fault(reason: String(cString: curl_easy_strerror(code)), isTemporary: !Self.lasting.contains(code.rawValue))
    }

    private func header(_ name: String, _ handle: UnsafeMutableRawPointer) -> String? {
        var found: UnsafeMutablePointer<curl_header>?
        guard curl_easy_header(handle, name, 0, UInt32(CURLH_HEADER), -1, &found) == CURLHE_OK, let value = found?.pointee.value
        else { return nil }
        return String(validatingCString: value)
    }

    private func configure(
        _ handle: UnsafeMutableRawPointer,
        _ request: Request,
        _ body: UnsafeRawBufferPointer,
        _ headers: UnsafeMutablePointer<curl_slist>?,
        _ reception: Reception
    ) -> CURLcode {
        var texts = [
            (CURLOPT_URL, request.url),
            (CURLOPT_PROTOCOLS_STR, "http,https"),
            (CURLOPT_PROXY, ""),
            (CURLOPT_AWS_SIGV4, "aws:amz:\(configuration.region):s3"),
            (CURLOPT_USERNAME, configuration.accessKeyID),
            (CURLOPT_PASSWORD, configuration.secretAccessKey),
        ]
        // The system's directory of roots remains trusted besides the file.
        if let caFile = configuration.caFile { texts.append((CURLOPT_CAINFO, caFile)) }
        let patience = configuration.patience
        let numbers = [
            (CURLOPT_NOSIGNAL, 1),
            (CURLOPT_SSL_VERIFYPEER, 1),
            (CURLOPT_SSL_VERIFYHOST, 2),
            (CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
            (CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
            // The path is signed as it is written.
            (CURLOPT_PATH_AS_IS, 1),
            (CURLOPT_CONNECTTIMEOUT, patience.connectSeconds),
            (CURLOPT_LOW_SPEED_LIMIT, 1),
            (CURLOPT_LOW_SPEED_TIME, request.stallSeconds),
            (CURLOPT_TIMEOUT, patience.totalSeconds),
            (CURLOPT_NOPROGRESS, 0),
        ]
        let context = Unmanaged.passUnretained(reception).toOpaque()
        let codes =
            texts.map { postern_curl_set_text(handle, $0, $1) } + numbers.map { postern_curl_set_long(handle, $0, $1) }
            + method(handle, request, body) + [
                postern_curl_set_list(handle, CURLOPT_HTTPHEADER, headers),
                postern_curl_set_writer(
                    handle,
                    { bytes, size, count, context in
                        guard let bytes, let context else { return 0 }
                        let reception = Unmanaged<Reception>.fromOpaque(context).takeUnretainedValue()
                        return reception.take(UnsafeRawBufferPointer(start: bytes, count: size * count))
                    },
                    context
                ),
                postern_curl_set_progress(
                    handle,
                    { context, _, _, _, _ in
                        guard let context else { return 0 }
                        return Unmanaged<Reception>.fromOpaque(context).takeUnretainedValue().interruption.hasCome ? 1 : 0
                    },
                    context
                ),
            ]
        return codes.first { $0 != CURLE_OK } ?? CURLE_OK
    }

    private func method(
        _ handle: UnsafeMutableRawPointer,
        _ request: Request,
        _ body: UnsafeRawBufferPointer
    ) -> [CURLcode] {
        switch request.method {
        case .get: [postern_curl_set_long(handle, CURLOPT_HTTPGET, 1)]
        case .delete: [postern_curl_set_text(handle, CURLOPT_CUSTOMREQUEST, request.method.rawValue)]
        case .put, .post:
            [
                postern_curl_set_long(handle, CURLOPT_POST, 1),
                postern_curl_set_text(handle, CURLOPT_CUSTOMREQUEST, request.method.rawValue),
                postern_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)),
                // Without a pointer libcurl would read the body from standard input.
                body.isEmpty
                    ? postern_curl_set_text(handle, CURLOPT_COPYPOSTFIELDS, "")
                    : postern_curl_set_bytes(handle, CURLOPT_POSTFIELDS, body.baseAddress),
            ]
        }
    }
}
