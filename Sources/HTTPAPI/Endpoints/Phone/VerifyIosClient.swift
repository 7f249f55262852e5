import Accounts
import Project

/// `accounts:verifyIosClient` (`Docs/Contract/phone-and-mfa.md` §3.2).
struct VerifyIosClient: Endpoint {
    static let summary = "Proves an iOS app by a silent push."
    static let route = Route(
        access: .apiKeyOrAdmin(.changeUsers),
        path: "v1/accounts:verifyIosClient",
        legacyName: "verifyClient"
    )

    let verification: IOSAppVerification

    struct Body: ProtoDecodable {
        let appToken: String?
        let isSandbox: Bool

        init(_ body: ProtoObject) throws {
            appToken = try body.text("appToken")
            isSandbox = try body.bool("isSandbox") ?? false
        }
    }

    // The iOS SDK crashes when one of these members is missing or is not a text.
    struct Answer: Codable {
        let receipt: String
        let suggestedTimeout: String
    }

    func handle(_ body: Body, _ context: CallContext) async throws -> Answer {
        let result = try await verification.verify(deviceToken: body.appToken, isSandbox: body.isSandbox, context: context)
        return Answer(receipt: result.receipt, suggestedTimeout: String(result.suggestedTimeout))
    }
}
