import Accounts
import Foundation
import HTTPTypes
import Hummingbird
import Messaging
import Project
import Storage

/// The parameters of an e-mail action link, from a query or from the form of a page (`Docs/Contract/web-handler.md` §8).
struct ActionParameters: Sendable {
    /// All pairs, in order.
    let pairs: [(name: String, value: String)]

    init(_ form: String) { pairs = FormEncoding.pairs(form[...].utf8) }

    /// The last value of a name. An empty value counts as absent, and so does one with U+0000, which no link contains and stores
    /// cannot keep.
    subscript(name: String) -> String? {
        pairs.last { $0.name == name }.flatMap { $0.value.isEmpty || $0.value.utf8.contains(0) ? nil : $0.value }
    }

    /// The type of the link; `nil` for an unknown one.
    var type: OOBRequestType? { self["mode"].flatMap { mode in OOBRequestType.allCases.first { $0.linkMode == mode } } }

    func language(_ request: Request) -> EmailLanguage {
        .negotiate(firebaseLocale: self["lang"], acceptLanguage: request.headers[.acceptLanguage])
    }

    /// Adds the link's other parameters to the app's address, as apps that complete a sign-in expect.
    func handOver(to address: URLComponents) -> URLComponents {
        let passed = pairs.filter { $0.name != "continueUrl" }
        let names = Set(passed.map(\.name))
        let own = (address.percentEncodedQuery ?? "").split(separator: "&").filter { pair in
            FormEncoding.pairs(pair.utf8).allSatisfy { !names.contains($0.name) }
        }
        var seen: Set<String> = []
        let added = passed.reversed().filter { seen.insert($0.name).inserted }.reversed().map { pair in
            "\(PercentEncoding.encode(pair.name))=\(PercentEncoding.encode(pair.value))"
        }
        var result = address
        if result.percentEncodedPath.isEmpty { result.percentEncodedPath = "/" }
        result.percentEncodedQuery = (own.map(String.init) + added).joined(separator: "&")
        return result
    }
}
