package import Project

/// A piece of HTML: what every page is made of.
///
/// Names of elements and attributes stand in the program. Texts, values and data are escaped where the piece is written (``document``)
/// and nowhere else.
package indirect enum HTML: Sendable {
    case text(String)
    case element(name: String, attributes: Attributes, content: HTML)
    case several([HTML])
    /// Data for scripts, as JSON: the content of a `script` element.
    case data(JSONValue)
    /// A script or style sheet of this server, written as it is; never a value.
    case source([UInt8])

    /// An element; `more` attributes follow the others.
    package init(
        _ name: StaticString,
        _ attributes: Attributes = [:],
        and more: Attributes = [:],
        @Builder _ content: () -> HTML = { .several([]) }
    ) {
        let attributes = Attributes(pairs: attributes.pairs + more.pairs)
        self = .element(name: "\(name)", attributes: attributes, content: content())
    }

    /// An element with a text.
    package init(_ name: StaticString, _ attributes: Attributes, and more: Attributes = [:], _ text: String) {
        self.init(name, attributes, and: more) { text }
    }

    /// An element with a text and no attributes.
    package init(_ name: StaticString, _ text: String) { self.init(name) { text } }

    /// Attributes in their order. One whose value is `true` is written without a value; one with `false` or `nil` is left out.
    package struct Attributes: ExpressibleByDictionaryLiteral, Sendable {
        let pairs: [(name: String, value: String?)]

        init(pairs: [(name: String, value: String?)]) { self.pairs = pairs }

        package init(dictionaryLiteral elements: (StaticString, (any AttributeValue)?)...) {
            pairs = elements.compactMap { name, value in
                switch value {
                case let text as String: ("\(name)", text)
                case let isSet as Bool where isSet: ("\(name)", nil)
                default: nil
                }
            }
        }
    }

    /// A text or whether the attribute is there.
    package protocol AttributeValue {}

    /// Makes one piece of the pieces, texts and lists in a closure.
    @resultBuilder
    package enum Builder {
        package static func buildExpression(_ html: HTML) -> HTML { html }
        package static func buildExpression(_ text: String) -> HTML { .text(text) }
        package static func buildExpression(_ pieces: [HTML]) -> HTML { .several(pieces) }
        package static func buildBlock(_ pieces: HTML...) -> HTML { .several(pieces) }
        package static func buildOptional(_ html: HTML?) -> HTML { html ?? .several([]) }
        package static func buildEither(first html: HTML) -> HTML { html }
        package static func buildEither(second html: HTML) -> HTML { html }
        package static func buildArray(_ pieces: [HTML]) -> HTML { .several(pieces) }
    }
}

extension String: HTML.AttributeValue {}
extension Bool: HTML.AttributeValue {}
