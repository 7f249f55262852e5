import Crypto
package import Foundation
import Project

/// A bucket of an object store, used from one thread, which its calls block. What passes by itself is tried again.
package final class S3Store {
    package struct Object: Sendable, Hashable {
        /// The whole name, from the bucket on.
        package let key: String
        /// In bytes.
        package let size: Int64
    }

    /// Bytes that a request carries either way, unless the object needs larger parts: so much of it is in memory at a time.
    package static let blockBytes = 8 << 20

    // Answers without content are a few hundred bytes, pages of listings some hundred kilobytes.
    private static let answerBytes = 4 << 20
    private static let maximumPages = 100
    private static let maximumPause = Duration.seconds(20)

    let bucket: String
    let configuration: S3Configuration
    private let url: String
    private let connection: S3Connection
    private let interruption: Interruption

    package init(_ bucket: String, _ configuration: S3Configuration, interruption: Interruption) {
        self.bucket = bucket
        url = configuration.url(ofBucket: bucket)
        self.configuration = configuration
        self.interruption = interruption
        connection = S3Connection(configuration, interruption: interruption)
    }

    /// A request before it is signed.
    struct Call {
        let method: S3Connection.Request.Method
        /// The object; empty for the bucket.
        var key = ""
        var query: [String: String] = [:]
        var headers: [(name: String, value: String)] = []
        var body: [UInt8] = []
        /// The largest content of an object in the answer; `nil` when it is no object that is asked for.
        var contentLimit: Int?
        var stallFactor = 1
        /// What is asked, for messages.
        let what: String
    }

    /// Sends a request, again if need be.
    func send(_ call: Call) throws -> (answer: S3Connection.Answer, tries: Int) {
        let request = request(call)
        var (pause, tries) = (configuration.patience.pause, 0)
        while true {
            tries += 1
            var failure: S3Failure
            do {
                let answer = try connection.send(request)
                // An upload's completion may fail behind a status of 200.
                let isRefusal = call.contentLimit == nil && Markup(answer.body).isRooted(at: "Error")
                if (200...299).contains(answer.status), !isRefusal { return (answer, tries) }
                failure = S3Failure(call.what, status: answer.status, body: answer.body)
            } catch let fault as S3Connection.Fault {
                failure = S3Failure(call.what, fault.reason, isTemporary: fault.isTemporary)
            }
            failure.tries = tries
            guard failure.isTemporary, tries < configuration.patience.tries else { throw failure }
            interruption.wait(pause)
            pause = min(pause * 2, Self.maximumPause)
        }
    }

    private func request(_ call: Call) -> S3Connection.Request {
        let query = call.query.map { (name: $0.key, value: $0.value) }.sorted { $0.name < $1.name }
        let digest = SHA256.hash(data: call.body)
        var headers = call.headers + [("x-amz-content-sha256", hexadecimal(digest))]
        if let token = configuration.sessionToken { headers.append(("x-amz-security-token", token)) }
        return S3Connection.Request(
            method: call.method,
            url: url + "/" + call.key + (query.isEmpty ? "" : "?" + PercentEncoding.form(query)),
            headers: headers,
            body: call.body,
            limit: call.contentLimit ?? Self.answerBytes,
            stallSeconds: configuration.patience.stallSeconds * call.stallFactor
        )
    }

    private func name(_ key: String) -> String { key.isEmpty ? "s3://\(bucket)" : "s3://\(bucket)/\(key)" }

    /// A message's beginning: what is done with an object.
    func action(_ verb: String, _ key: String) -> String { "\(verb) \(name(key))" }

    // MARK: Listing

    /// All objects whose names begin so, in the order of their names.
    package func list(_ prefix: String) throws -> [Object] {
        let what = action("listing", prefix)
        var (objects, after) = ([Object](), "")
        for _ in 0..<Self.maximumPages {
            var query = ["list-type": "2", "prefix": prefix]
            // A name of the listing instead of the store's token, whose characters not every version of libcurl signs right.
            if !after.isEmpty { query["start-after"] = after }
            let page = Markup(try send(Call(method: .get, query: query, what: what)).answer.body)
            guard page.isRooted(at: "ListBucketResult") else { throw S3Failure(what, "the answer is no listing") }
            for entry in page.all("Contents") {
                guard let key = entry.first("Key")?.text, let size = entry.first("Size")?.text.flatMap({ Int64($0) }) else {
                    throw S3Failure(what, "the answer cannot be read")
                }
                objects.append(Object(key: key, size: size))
            }
            guard page.first("IsTruncated")?.text == "true" else { return objects }
            guard let last = objects.last?.key, last != after else { throw S3Failure(what, "the listing does not go on") }
            after = last
        }
        throw S3Failure(what, "there are too many names")
    }

    /// The size of an object in bytes; `nil` when there is no such object.
    func size(of key: String) throws -> Int64? { try list(key).first { $0.key == key }?.size }

    package func remove(_ key: String) throws {
        _ = try send(Call(method: .delete, key: key, what: action("removing", key)))
    }

    // MARK: Reading

    /// Reads an object block by block. One that is replaced meanwhile is an error, and so is one that is not as long as its listing says:
    /// a store could otherwise send bytes without end.
    package func read(_ key: String, atMost most: Int64 = .max, _ body: (Data) throws -> Void) throws {
        let what = action("reading", key)
        var (offset, total, tag) = (Int64(0), Int64.max, String?.none)
        while offset < total {
            var headers = [(name: "Range", value: "bytes=\(offset)-\(offset + Int64(Self.blockBytes) - 1)")]
            if let tag { headers.append(("If-Match", tag)) }
            let call = Call(method: .get, key: key, headers: headers, contentLimit: Self.blockBytes, what: what)
            let answer = try send(call).answer
            guard answer.status == 206, let range = answer.contentRange.flatMap(ContentRange.init), let found = answer.etag,
                range.first == offset, range.last - range.first + 1 == Int64(answer.body.count), !answer.body.isEmpty,
                total == .max || total == range.total
            else { throw S3Failure(what, "the store answered another piece than was asked for") }
            if offset == 0 {
                guard range.total <= most else {
                    throw S3Failure(what, "it has \(range.total) bytes, and there is room for \(most)")
                }
                guard try size(of: key) == range.total else { throw S3Failure(what, "it is not as long as its listing says") }
            }
            try body(Data(answer.body))
            offset += Int64(answer.body.count)
            (total, tag) = (range.total, found)
        }
    }
}

/// `bytes FIRST-LAST/TOTAL` (RFC 9110 §14.4)
private struct ContentRange {
    let first: Int64
    let last: Int64
    let total: Int64

    init?(_ text: String) {
        guard let match = text.wholeMatch(of: /bytes ([0-9]{1,18})-([0-9]{1,18})\/([0-9]{1,18})/), let first = Int64(match.1),
            let last = Int64(match.2), let total = Int64(match.3), first <= last, last < total
        else { return nil }
        (self.first, self.last, self.total) = (first, last, total)
    }
}
