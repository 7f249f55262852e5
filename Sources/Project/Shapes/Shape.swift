package import OrderedCollections

/// The shape of a JSON document: which members it may have, and what each of them may hold.
///
/// Requests are read by it, files are checked by it, answers are made from it, and the API's description and the console's forms
/// say what it says.
package struct Shape: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case any
        case bool
        case integer
        /// A 64-bit integer, which Google's own descriptions have as a text.
        case int64
        case number
        /// A text of at most this many bytes.
        case text(Format?, bytes: Int?)
        /// A text of at most this many characters, counted as Unicode scalars, because visible characters have no fixed size.
        case shortText(Int)
        /// One of these names, which requests may also give by index.
        case enumeration([String])
        /// One of these words. A request may name it by index; index 0 stands for no value. Any other text is refused with the error code,
        /// or as an unknown word where no code is given.
        case word([String], otherwise: ErrorCode?)
        indirect case list(Shape, atMost: Int)
        /// An object with any names and values of one shape.
        indirect case map(Shape)
        /// These members and no others, each of them optional. Answers have them in this order.
        case object(Members)
    }

    /// What a text is, as OpenAPI names it.
    package enum Format: String, Sendable, Hashable {
        case uri
        /// Only its hash is stored, so it may have U+0000 and has a length of its own.
        case password
        case dateTime = "date-time"
    }

    /// What a member is besides its kind.
    package enum Mark: Sendable, Hashable {
        /// Only the server writes it; requests are read without it.
        case outputOnly
        /// It is sealed before it is stored, and never shown.
        case secret
        /// A text of several lines.
        case long
        /// Without it the object around it is nothing.
        case essential
    }

    package typealias Members = OrderedDictionary<String, Shape>

    package let kind: Kind
    package private(set) var marks: Set<Mark> = []

    /// The most bytes of a resource's text. The longest texts are mail templates.
    package static let maximumTextBytes = 64 * 1024
    /// The most elements of a resource's list.
    package static let maximumElements = 1000

    private init(_ kind: Kind) { self.kind = kind }

    /// This shape with a mark.
    package func marked(_ mark: Mark) -> Shape {
        var shape = self
        shape.marks.insert(mark)
        return shape
    }
}

extension Shape {
    package static let any = Shape(.any)
    package static let bool = Shape(.bool)
    package static let integer = Shape(.integer)
    package static let int64 = Shape(.int64)
    package static let number = Shape(.number)
    /// A text of a resource.
    package static let text = Shape(.text(nil, bytes: maximumTextBytes))
    /// A text whose length is not said.
    package static let string = Shape(.text(nil, bytes: nil))
    /// An absolute `http` or `https` URL.
    package static let url = Shape(.text(.uri, bytes: maximumTextBytes))
    package static let secret = Shape.text.marked(.secret)
    /// An object of which nothing is known yet.
    package static let anyObject = object([:])

    package static func text(_ format: Format? = nil, bytes: Int?) -> Shape { Shape(.text(format, bytes: bytes)) }
    package static func shortText(_ characters: Int) -> Shape { Shape(.shortText(characters)) }
    package static func enumeration(_ names: [String]) -> Shape { Shape(.enumeration(names)) }
    package static func word(_ words: [String], otherwise error: ErrorCode? = nil) -> Shape {
        Shape(.word(words, otherwise: error))
    }
    package static func list(_ shape: Shape, atMost count: Int = maximumElements) -> Shape { Shape(.list(shape, atMost: count)) }
    package static func map(_ shape: Shape) -> Shape { Shape(.map(shape)) }
    package static func object(_ members: Members) -> Shape { Shape(.object(members)) }
    package static func object(naming members: [(String, Shape)]) -> Shape {
        object(Members(uniqueKeysWithValues: members))
    }
}
