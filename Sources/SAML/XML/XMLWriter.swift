import CSAML

/// Writes a document through libxml2, which escapes what it is given.
final class XMLWriter {
    private let buffer: xmlBufferPtr
    private let writer: xmlTextWriterPtr
    private var failed = false

    init() throws {
        guard csaml_prepare() == CSAML_OK, let buffer = xmlBufferCreate() else { throw SAMLRequestError.library }
        guard let writer = xmlNewTextWriterMemory(buffer, 0) else {
            xmlBufferFree(buffer)
            throw SAMLRequestError.library
        }
        self.buffer = buffer
        self.writer = writer
        note(xmlTextWriterStartDocument(writer, "1.0", "UTF-8", nil))
    }

    deinit {
        xmlFreeTextWriter(writer)
        xmlBufferFree(buffer)
    }

    /// Writes an element.
    ///
    /// - Parameter attributes: In order, declarations of namespaces among them. Those without a value are left out.
    func element(
        _ name: String,
        _ attributes: [(name: String, value: String?)] = [],
        text: String? = nil,
        _ body: () throws -> Void = {}
    ) throws {
        note(xmlTextWriterStartElement(writer, name))
        for case (let name, let value?) in attributes { note(xmlTextWriterWriteAttribute(writer, name, try Self.checked(value))) }
        if let text { note(xmlTextWriterWriteString(writer, try Self.checked(text))) }
        try body()
        note(xmlTextWriterEndElement(writer))
    }

    /// Ends the document.
    func finish() throws -> [UInt8] {
        note(xmlTextWriterEndDocument(writer))
        note(xmlTextWriterFlush(writer))
        guard !failed, let content = xmlBufferContent(buffer) else { throw SAMLRequestError.library }
        return Array(UnsafeBufferPointer(start: content, count: Int(xmlBufferLength(buffer))))
    }

    private func note(_ result: Int32) { if result < 0 { failed = true } }

    // XML has no way to write the other characters, and the library would write a document that nobody can read.
    private static func checked(_ text: String) throws -> String {
        let isCharacter: (Unicode.Scalar) -> Bool = { scalar in
            switch scalar.value {
            case 0x09, 0x0A, 0x0D: true
            case 0xFFFE, 0xFFFF: false
            default: scalar.value >= 0x20
            }
        }
        guard text.unicodeScalars.allSatisfy(isCharacter) else { throw SAMLRequestError.text }
        return text
    }
}
