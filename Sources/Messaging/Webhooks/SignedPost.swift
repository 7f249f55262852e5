import Project

/// A post to the operator's own server, signed so that it cannot be forged (`Docs/Contract/rulings.md` 16).
enum SignedPost {
    /// Makes a request.
    ///
    /// - Parameters:
    ///   - secret: The key of the signature: HMAC-SHA256 over the time, a dot and the body.
    ///   - time: Receivers refuse old posts.
    static func request(_ body: [UInt8], to url: String, secret: String, at time: Timestamp) -> OutboundHTTP.Request {
        let signature = hexadecimal(hmacSHA256(Array("\(time.seconds).".utf8) + body, key: secret.utf8))
        return OutboundHTTP.Request(
            method: "POST",
            url: url,
            headers: [("Content-Type", "application/json"), ("Postern-Signature", "t=\(time.seconds),v1=\(signature)")],
            body: body
        )
    }
}
