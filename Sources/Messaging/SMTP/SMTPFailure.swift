import CCurl

/// Decides from libcurl's code and the server's last reply whether another attempt makes sense.
enum SMTPFailure {
    // 530, 534, 535, 538: authentication or encryption is wrong (RFC 4954 §6). An operator can correct that, so the mail waits.
    private static let configurationReplies: Set<Int> = [530, 534, 535, 538]

    static func error(_ code: CURLcode, reply: Int, submission: SMTPSubmission) -> DeliveryError {
        if submission.isCancelled { return .temporary("cancelled") }
        let text = String(cString: curl_easy_strerror(code))
        let reason = reply > 0 ? "\(text) (SMTP reply \(reply))" : text
        return isRefusal(code, reply: reply, submission: submission) ? .permanent(reason) : .temporary(reason)
    }

    // A 5xx concerns this message only as an answer to MAIL, RCPT, DATA or the content. libcurl reports the first three as a send
    // error and the last as a weird reply. It reports a bad greeting as a weird reply too, but that comes before any content.
    private static func isRefusal(_ code: CURLcode, reply: Int, submission: SMTPSubmission) -> Bool {
        guard (500...599).contains(reply), !configurationReplies.contains(reply) else { return false }
        return code == CURLE_SEND_ERROR || (code == CURLE_WEIRD_SERVER_REPLY && submission.hasBegunContent)
    }
}
