import Foundation
import Project
import Tokens

/// Asks the project's blocking functions. It fails closed: without a valid answer the sign-in is refused
/// (`Docs/Contract/admin-config.md` §10, rulings 13).
///
/// A call goes over the network, so it must not happen inside a transaction or under a lock: a function may call this server
/// back.
package struct BlockingFunctionCaller: Sendable {
    let environment: ServerEnvironment
    let mode: ModeRules
    let issuer: TokenIssuer

    private static let limits = OutboundHTTP.Limits(timeout: .seconds(7), maximumBodyBytes: 1 << 16)
    private static let lifetimeSeconds: Int64 = 600
    // The longest text of a refusal that is passed on.
    private static let longestRefusal = 4096

    /// Asks the function of an event.
    ///
    /// - Throws: `APIError` `BLOCKING_FUNCTION_ERROR_RESPONSE`, `CAPTCHA_CHECK_FAILED`, and those of custom claims.
    func ask(
        _ event: BlockingFunctions.Event,
        of functions: BlockingFunctions,
        _ claims: JSONObject,
        context: CallContext
    ) async throws -> BlockingFunctionAnswer {
        guard let address = functions[event] else { return BlockingFunctionAnswer(mode: mode) }
        let request = try request(event, address, claims, context)
        let said = try await TracedOperation.hook.trace(["postern.hook.event": event.rawValue]) { try await answer(to: request) }
        return try BlockingFunctionAnswer(said, to: event, mode: mode)
    }

    /// Asks the function of an event about a user who does not exist.
    ///
    /// - Returns: The status of the answer, `nil` without an answer; and the reason, where the function did not agree.
    func test(
        _ event: BlockingFunctions.Event,
        of functions: BlockingFunctions,
        context: CallContext
    ) async throws -> (status: Int?, refusal: String?) {
        guard let address = functions[event] else { return (nil, nil) }
        let request = try request(event, address, Self.testClaims(event, at: environment.now()), context)
        let response: OutboundHTTP.Response
        do { response = try await environment.http(request, limits: Self.limits) } catch { return (nil, "\(error)") }
        do {
            _ = try BlockingFunctionAnswer(try content(of: response, from: address), to: event, mode: mode)
            return (response.status, nil)
        } catch let error as APIError {
            return (response.status, error.message)
        }
    }

    // The names are those that documentation uses, so that a function which stores what it is told can tell them.
    private static func testClaims(_ event: BlockingFunctions.Event, at now: Timestamp) -> JSONObject {
        switch event {
        case .beforeSendEmail: return ["email": "test@example.com", "email_type": "EMAIL_SIGN_IN"]
        case .beforeSendSMS: return ["phone_number": "+15555550100", "sms_type": "SIGN_IN_OR_SIGN_UP"]
        case .beforeCreate, .beforeSignIn:
            let record: JSONValue = [
                "uid": "postern-test", "email": "test@example.com", "email_verified": false, "disabled": false,
                "provider_data": [], "custom_claims": [:], "metadata": ["creation_time": .integer(now.milliseconds)],
            ]
            return ["sub": "postern-test", "sign_in_method": "password", "user_record": record]
        }
    }

    private func request(
        _ event: BlockingFunctions.Event,
        _ address: String,
        _ claims: JSONObject,
        _ context: CallContext
    ) throws -> OutboundHTTP.Request {
        let token = try issuer.serialize(.object(claims.merging(common(event, address, context)) { $1 }))
        let body: JSONValue = ["data": ["jwt": .string(token)]]
        return OutboundHTTP.Request(
            method: "POST",
            url: address,
            headers: [("Content-Type", "application/json")],
            body: Array(body.serialized())
        )
    }

    // The claims of every event (§10.3).
    private func common(
        _ event: BlockingFunctions.Event,
        _ address: String,
        _ context: CallContext
    ) -> JSONObject {
        let now = environment.now().seconds
        var claims: JSONObject = [
            "iss": .string(issuer.issuer(projectID: context.scope.projectID)), "aud": .string(address),
            "iat": .integer(now), "exp": .integer(now + Self.lifetimeSeconds),
            "event_id": .string(environment.randomText(length: 16)), "event_type": .string(event.rawValue),
            "locale": .string(context.locale ?? "en"),
        ]
        claims["ip_address"] = context.address.map(JSONValue.string)
        claims["user_agent"] = context.userAgent.map(JSONValue.string)
        claims["tenant_id"] = context.scope.tenantID.map(JSONValue.string)
        return claims
    }

    private func answer(to request: OutboundHTTP.Request) async throws -> JSONValue {
        let response: OutboundHTTP.Response
        do {
            response = try await environment.http(request, limits: Self.limits)
        } catch OutboundError.timedOut {
            throw broken("Deadline exceeded making request to \(Self.shown(request.url)).")
        } catch OutboundError.tooLarge {
            throw broken("Response body is too large.")
        } catch {
            throw broken("Failed to make request to \(Self.shown(request.url)).", cause: error)
        }
        return try content(of: response, from: request.url)
    }

    private func content(of response: OutboundHTTP.Response, from url: String) throws -> JSONValue {
        switch response.status {
        case 200..<300:
            guard let answer = try? JSONValue.parse(response.body), isAnswer(answer) else {
                throw broken("Response body is not valid JSON.")
            }
            return answer
        case 300..<400:
            throw broken("HTTP request to \(Self.shown(url)) returned HTTP error \(response.status): ")
        default:
            // The function's own text is for the user, and SDKs parse it, so it is passed on.
            let text = String(decoding: response.body, as: UTF8.self).prefix(Self.longestRefusal)
            throw BlockingFunctionAnswer.refusal(
                "HTTP request to \(Self.shown(url)) returned HTTP error \(response.status): \(text)"
            )
        }
    }

    // A function's address as strangers are told it. Its query may hold a key, as an Azure function's `code`, and so may a user's name
    // and password.
    private static func shown(_ url: String) -> String {
        let place = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard let colon = place.firstIndex(of: UInt8(ascii: ":")), place[colon...].starts(with: "://".utf8) else {
            return String(Substring(place))
        }
        let start = place.index(colon, offsetBy: 3)
        let end = place[start...].firstIndex(of: UInt8(ascii: "/")) ?? place.endIndex
        guard let at = place[start..<end].lastIndex(of: UInt8(ascii: "@")) else { return String(Substring(place)) }
        return String(Substring(place[..<start])) + String(Substring(place[place.index(after: at)...]))
    }

    // The emulator treats a list, text, number or boolean as an empty answer.
    private func isAnswer(_ answer: JSONValue) -> Bool {
        answer.object != nil || (mode.takesAnyFunctionAnswer && answer != .null)
    }

    private func broken(_ text: String, cause: (any Error)? = nil) -> APIError {
        var error = BlockingFunctionAnswer.refusal(text, cause: cause)
        if let status = mode.statusOfFailedFunction { error.status = status }
        return error
    }
}
