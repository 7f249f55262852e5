package import HTTPTypes
package import Hummingbird
import Messaging
import NIOCore

extension HTML {
    package static let contentType = "text/html; charset=utf-8"

    /// The response with the document whose root element this is.
    package func response(_ status: HTTPResponse.Status, _ headers: HTTPFields) -> Response {
        var headers = headers
        headers[.contentType] = Self.contentType
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: document)))
    }

    /// The document whose root element this is.
    package var document: String {
        var writer = HTMLWriter()
        writer.write(self)
        return "<!DOCTYPE html>\n" + String(decoding: writer.bytes, as: UTF8.self)
    }
}

/// Writes HTML; what is no name is escaped here.
private struct HTMLWriter {
    private(set) var bytes: [UInt8] = []

    // Elements without content and end (HTML §13.1.2).
    private static let void: Set = ["input", "link", "meta"]
    // Elements after which a line end would be seen as a space, or divide what stands in one line.
    private static let inline: Set = ["a", "bdi", "code", "dt", "span", "strong", "time"]

    mutating func write(_ html: HTML) {
        switch html {
        case .text(let text): escape(text)
        case .several(let pieces): for piece in pieces { write(piece) }
        case .data(let value): raw(ScriptData.text(value))
        case .source(let source): bytes += source
        case .element(let name, let attributes, let content):
            raw("<\(name)")
            for (name, value) in attributes.pairs { write(name, value) }
            raw(">")
            // Browsers drop the first line end of this element (HTML §13.2.6.4.7).
            if name == "textarea" { raw("\n") }
            write(content)
            if !Self.void.contains(name) { raw("</\(name)>") }
            if !Self.inline.contains(name) { raw("\n") }
        }
    }

    private mutating func write(_ name: String, _ value: String?) {
        raw(" \(name)")
        guard let value else { return }
        raw("=\"")
        escape(value)
        raw("\"")
    }

    // HTML allows no control characters but tabs and line ends (HTML §13.1.1).
    private mutating func escape(_ text: String) {
        for byte in HTMLText.escape(text).utf8 {
            if byte < 0x20, byte != 0x09, byte != 0x0A, byte != 0x0D { raw("\u{FFFD}") } else { bytes.append(byte) }
        }
    }

    private mutating func raw(_ text: String) { bytes += text.utf8 }
}
