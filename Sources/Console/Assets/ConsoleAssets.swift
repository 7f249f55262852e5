import HTTPTypes
import Hummingbird
import NIOCore
import Project

/// The style sheet and the scripts of the console. Their paths hold a hash of their content, so that browsers keep them.
enum ConsoleAssets {
    /// The scripts of every page: ES modules.
    static let scripts = ["enhance.js", "passkeys.js", "live.js", "upload.js", "continue.js"]

    private struct File {
        let type: String
        let bytes: [UInt8]
        /// The entity tag (RFC 9110 §8.8.3).
        let tag: String

        init(_ type: String, _ bytes: [UInt8]) {
            self.type = "\(type); charset=utf-8"
            self.bytes = bytes
            tag = "\"\(hexadecimal(sha256(bytes)))\""
        }
    }

    private static let files = [
        "console.css": File("text/css", PackageResources.console_css),
        "enhance.js": File("text/javascript", PackageResources.enhance_js),
        "passkeys.js": File("text/javascript", PackageResources.passkeys_js),
        "live.js": File("text/javascript", PackageResources.live_js),
        "upload.js": File("text/javascript", PackageResources.upload_js),
        "continue.js": File("text/javascript", PackageResources.continue_js),
    ]

    /// The hash in the paths: of all files, 16 hexadecimal digits.
    static let version = String(
        hexadecimal(sha256(files.sorted { $0.key < $1.key }.flatMap { Array($0.key.utf8) + $0.value.bytes })).prefix(16)
    )

    /// The size of all files in bytes.
    static let size = files.values.reduce(0) { $0 + $1.bytes.count }

    static func path(_ name: String) -> String { "/console/assets/\(version)/\(name)" }

    /// Answers a request for `/console/assets/VERSION/NAME`.
    ///
    /// While servers of two releases run side by side, a page of one may ask the other for its files. It gets the other's, and browsers
    /// keep those for this page only.
    ///
    /// - Returns: The file, 304 when the browser has it, or 404.
    static func response(_ name: String, version: String, _ request: Request) -> Response {
        guard let file = files[name] else { return Response(status: .notFound) }
        let headers: HTTPFields = [
            .eTag: file.tag, .xContentTypeOptions: "nosniff", .crossOriginResourcePolicy: "same-origin",
            .cacheControl: version == self.version ? "public, max-age=31536000, immutable" : "no-cache",
        ]
        let known = request.headers[.ifNoneMatch] ?? ""
        let tags = known.split(separator: ",").map { tag in
            let tag = tag.drop { $0 == " " }
            return (tag.hasPrefix("W/") ? tag.dropFirst(2) : tag).prefix { $0 != " " }
        }
        if tags.contains(where: { $0 == file.tag || $0 == "*" }) { return Response(status: .notModified, headers: headers) }
        var fields = headers
        fields[.contentType] = file.type
        return Response(status: .ok, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes)))
    }
}
