package import Foundation
import Project

/// An object on its way into a store, in parts. It appears in the store when it is whole, or never.
package final class S3Upload {
    // docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html
    private static let maximumParts = 10_000
    private static let maximumPartBytes = 64 << 20

    private let store: S3Store
    private let key: String
    private let id: String
    private let partBytes: Int
    private var waiting: [UInt8] = []
    private var tags: [String] = []
    private var sent: Int64 = 0

    fileprivate init(_ store: S3Store, _ key: String, id: String, partBytes: Int) {
        self.store = store
        self.key = key
        self.id = id
        self.partBytes = partBytes
        waiting.reserveCapacity(partBytes)
    }

    /// The size of parts, so that their number is allowed; `nil` when the object is too large.
    static func partBytes(for bytes: Int64) -> Int? {
        let needed = (bytes + Int64(maximumParts) - 1) / Int64(maximumParts)
        return needed > maximumPartBytes ? nil : max(Int(needed), S3Store.blockBytes)
    }

    /// Sends the next bytes of the object, as soon as they fill a part.
    package func write(_ data: Data) throws {
        var rest = data[...]
        while !rest.isEmpty {
            let piece = rest.prefix(partBytes - waiting.count)
            waiting += piece
            rest = rest.dropFirst(piece.count)
            if waiting.count == partBytes { try sendPart() }
        }
    }

    private func sendPart() throws {
        let number = tags.count + 1
        let what = store.action("writing part \(number) of", key)
        let call = S3Store.Call(
            method: .put,
            key: key,
            query: ["partNumber": "\(number)", "uploadId": id],
            headers: [("Content-Type", "application/octet-stream")],
            body: waiting,
            what: what
        )
        // The tag goes into the document that completes the upload.
        guard let tag = try store.send(call).answer.etag, tag.wholeMatch(of: /"?[A-Za-z0-9+\/=._-]{1,200}"?/) != nil else {
            throw S3Failure(what, "the store answered no tag")
        }
        tags.append(tag)
        sent += Int64(waiting.count)
        waiting.removeAll(keepingCapacity: true)
    }

    /// Makes the object of its parts, and makes sure that it is there with its size.
    fileprivate func finish() throws -> Int64 {
        if !waiting.isEmpty || tags.isEmpty { try sendPart() }
        do {
            try complete()
        } catch let failure as S3Failure where failure.tries > 1 {
            // A try whose answer was lost may have made the object; then the upload is unknown now, or the object no longer new.
            guard try store.size(of: key) == sent else { throw failure }
        }
        guard try store.size(of: key) == sent else {
            throw S3Failure(store.action("completing", key), "the object is not there with its \(sent) bytes")
        }
        return sent
    }

    private func complete() throws {
        do {
            try complete(onlyNew: true)
        } catch let failure as S3Failure where failure.status == 501 {
            // The store does not know the condition.
            try complete(onlyNew: false)
        }
    }

    private func complete(onlyNew: Bool) throws {
        let parts = tags.enumerated().map { number, tag in
            "<Part><PartNumber>\(number + 1)</PartNumber><ETag>\(tag.replacing("\"", with: "&quot;"))</ETag></Part>"
        }
        let namespace = "http://s3.amazonaws.com/doc/2006-03-01/"
        let document = "<CompleteMultipartUpload xmlns=\"\(namespace)\">\(parts.joined())</CompleteMultipartUpload>"
        let what = store.action("completing", key)
        let answer = try store.send(
            S3Store.Call(
                method: .post,
                key: key,
                query: ["uploadId": id],
                headers: [("Content-Type", "application/xml")] + (onlyNew ? [("If-None-Match", "*")] : []),
                body: Array(document.utf8),
                // The store joins the parts before it answers.
                stallFactor: 10,
                what: what
            )
        ).answer
        guard Markup(answer.body).isRooted(at: "CompleteMultipartUploadResult") else {
            throw S3Failure(what, "the answer cannot be read")
        }
    }
}

extension S3Store {
    /// Writes a new object. When anything fails, its parts are removed, and no object appears.
    ///
    /// - Parameter bytes: The most bytes it may have; parts are as large as they need to be.
    /// - Returns: The size in bytes.
    package func write(_ key: String, atMost bytes: Int64, _ body: (S3Upload) throws -> Void) throws -> Int64 {
        let what = action("writing", key)
        guard let partBytes = S3Upload.partBytes(for: bytes) else { throw S3Failure(what, "it would be too large") }
        guard try size(of: key) == nil else { throw S3Failure(what, "it is there already; nothing is overwritten") }
        let (id, tries) = try begin(key, what)
        let upload = S3Upload(self, key, id: id, partBytes: partBytes)
        do {
            // A try whose answer was lost may have begun another upload of this object, which nobody else writes.
            if tries > 1 { try abandon(key, try uploads(of: key).filter { $0 != id }) }
            try body(upload)
            return try upload.finish()
        } catch {
            throw Abandoned(reason: error, leftover: Result { try abandon(key, [id]) })
        }
    }

    private func begin(_ key: String, _ what: String) throws -> (id: String, tries: Int) {
        let headers = [(name: "Content-Type", value: "application/octet-stream")]
        let begun: (answer: S3Connection.Answer, tries: Int)
        do {
            begun = try send(Call(method: .post, key: key, query: ["uploads": ""], headers: headers, what: what))
        } catch let failure as S3Failure where failure.tries > 1 {
            throw Abandoned(reason: failure, leftover: Result { try abandon(key, try uninterrupted.uploads(of: key)) })
        }
        guard let id = Markup(begun.answer.body).first("UploadId")?.text, !id.isEmpty, id.utf8.count <= 2048 else {
            throw S3Failure(what, "the answer has no upload")
        }
        return (id, begun.tries)
    }

    // The work may have been interrupted; removing what it left is not.
    private var uninterrupted: S3Store { S3Store(bucket, configuration, interruption: Interruption()) }

    /// An upload that failed, and was removed or not.
    private struct Abandoned: Error, CustomStringConvertible {
        let reason: any Error
        let leftover: Result<Void, any Error>

        var description: String {
            guard case .failure(let error) = leftover else { return "\(reason)" }
            return "\(reason); its parts may be left in the store (\(error))"
        }
    }

    private func abandon(_ key: String, _ ids: [String]) throws {
        let store = uninterrupted
        for id in ids {
            do {
                _ = try store.send(Call(method: .delete, key: key, query: ["uploadId": id], what: action("abandoning", key)))
            } catch let failure as S3Failure where failure.code == "NoSuchUpload" {
                // An earlier try removed it.
            }
        }
    }

    private func uploads(of key: String) throws -> [String] {
        let query = ["prefix": key, "uploads": ""]
        let list = Markup(try send(Call(method: .get, query: query, what: action("abandoning", key))).answer.body)
        return list.all("Upload").filter { $0.first("Key")?.text == key }.compactMap { $0.first("UploadId")?.text }
    }
}
