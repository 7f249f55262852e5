/// An object store that speaks Amazon S3's REST API, who asks it, and how long it may take.
package struct S3Configuration: Sendable {
    /// How long the store is waited for.
    package struct Patience: Sendable {
        /// Until the connection is set up, including TLS, in seconds.
        package var connectSeconds = 10
        /// Without a byte in either direction before the request is given up, in seconds. Completing an upload may take ten times it.
        package var stallSeconds = 60
        /// For one request in all, in seconds. A request carries ``S3Store/blockBytes`` or so.
        package var totalSeconds = 900
        /// How often a request is sent before its failure is final.
        package var tries = 6
        /// The time before the second try. Each further pause is twice as long.
        package var pause = Duration.seconds(1)

        package init() {}
    }

    /// The base URL, without a slash at its end.
    package let endpoint: String
    /// The region of signatures: letters, digits and hyphens.
    package let region: String
    package let accessKeyID: String
    package let secretAccessKey: String
    /// `nil` for lasting credentials.
    package let sessionToken: String?
    /// Whether the bucket is the first part of the path, and not of the host name.
    package let usesPathStyle: Bool
    /// Path of a PEM bundle that is trusted besides the system's roots.
    package let caFile: String?
    package var patience: Patience

    package init(
        endpoint: String,
        region: String,
        accessKeyID: String,
        secretAccessKey: String,
        sessionToken: String? = nil,
        usesPathStyle: Bool,
        caFile: String? = nil,
        patience: Patience = Patience()
    ) {
        self.endpoint = endpoint
        self.region = region
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
        self.usesPathStyle = usesPathStyle
        self.caFile = caFile
        self.patience = patience
    }

    /// The URL of a bucket. A dot in its name would not fit the store's certificate as a part of the host name.
    func url(ofBucket bucket: String) -> String {
        guard !usesPathStyle, !bucket.contains("."), let colon = endpoint.firstRange(of: "://") else {
            return "\(endpoint)/\(bucket)"
        }
        return "\(endpoint[..<colon.upperBound])\(bucket).\(endpoint[colon.upperBound...])"
    }
}
