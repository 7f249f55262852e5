import HTTPTypes
import NIOCore

/// A screen whose script sends bytes in place of a form. The token of the session comes in a header, which other sites' pages cannot set.
protocol PieceReceiver {
    /// In bytes.
    var largestPiece: Int { get }

    /// Takes bytes.
    func receive(_ piece: ByteBuffer, _ visit: ConsoleVisit) async throws -> ConsoleAnswer
}

extension HTTPField.Name {
    /// The token of the session, as ``Form/csrfField`` has it in forms.
    static let formToken = constant("X-Console-Form")
}
