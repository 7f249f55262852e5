import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing

extension ProjectConfigTests {
    @Test("is refused when it cannot be meant, and then nothing has changed")
    func refused() async throws {
        let eleven = JSONValue.object(JSONObject(naming: (0..<11).map { ("+1555555010\($0)", "123456") }))
        let uri = "INVALID_BLOCKING_FUNCTION : ((Expected an absolute URI with valid scheme and host.))"
        let template: JSONValue = ["subject": "a\r\nBcc: x@y.z"]
        let cases: [(String, JSONValue, String)] = [
            (
                "blockingFunctions", ["triggers": ["beforeLunch": ["functionUri": "https://a.example"]]],
                "INVALID_BLOCKING_FUNCTION : ((Event type is invalid.))"
            ),
            ("blockingFunctions", ["triggers": ["beforeCreate": ["functionUri": "functions/x"]]], uri),
            ("blockingFunctions", ["triggers": ["beforeCreate": ["functionUri": "file:///etc/passwd"]]], uri),
            ("blockingFunctions", ["triggers": ["beforeCreate": [:]]], uri),
            ("signIn", ["phoneNumber": ["testPhoneNumbers": ["5555550100": "123456"]]], "INVALID_TESTING_PHONE_NUMBER"),
            ("signIn", ["phoneNumber": ["testPhoneNumbers": ["+15555550100": "12345"]]], "INVALID_TESTING_PHONE_NUMBER"),
            ("signIn", ["phoneNumber": ["testPhoneNumbers": ["+15555550100": "12345x"]]], "INVALID_TESTING_PHONE_NUMBER"),
            ("signIn", ["phoneNumber": ["testPhoneNumbers": eleven]], "INVALID_CONFIG : "),
            ("mfa", ["providerConfigs": [["totpProviderConfig": ["adjacentIntervals": 11]]]], "INVALID_CONFIG : "),
            ("mfa", ["providerConfigs": [["state": "ENABLED"], ["state": "ENABLED"]]], "INVALID_CONFIG : "),
            ("mfa", ["enabledProviders": ["TOTP"]], "INVALID_CONFIG : "),
            ("passwordPolicyConfig", ["passwordPolicyEnforcementState": "ENFORCE"], "INVALID_CONFIG : "),
            ("recaptchaConfig", ["emailPasswordEnforcementState": "MAYBE"], "INVALID_RECAPTCHA_ENFORCEMENT_STATE"),
            ("recaptchaConfig", ["managedRules": [["endScore": 0.1, "action": "ALLOW"]]], "INVALID_RECAPTCHA_ACTION"),
            ("recaptchaConfig", ["managedRules": [["endScore": 0.15, "action": "BLOCK"]]], "INVALID_CONFIG : "),
            ("recaptchaConfig", ["managedRules": [["endScore": 2, "action": "BLOCK"]]], "INVALID_CONFIG : "),
            ("recaptchaConfig", ["useAccountDefender": true], "RECAPTCHA_NOT_ENABLED"),
            ("recaptchaConfig", ["recaptchaKeys": [["key": "k", "type": "WEB"]]], "INVALID_CONFIG : "),
            ("smsRegionConfig", ["allowByDefault": [:], "allowlistOnly": [:]], "INVALID_CONFIG : "),
            ("smsRegionConfig", ["allowlistOnly": ["allowedRegions": ["USA"]]], "INVALID_CONFIG : "),
            ("authorizedDomains", ["https://a.example"], "INVALID_CONFIG : "),
            ("authorizedDomains", ["a.example:8080"], "INVALID_CONFIG : "),
            ("authorizedDomains", ["*.example"], "INVALID_CONFIG : "),
            ("authorizedDomains", [""], "INVALID_CONFIG : "),
            ("notification", ["sendEmail": ["method": "CUSTOM_SMTP"]], "INVALID_CONFIG : "),
            ("notification", ["sendEmail": ["smtp": ["port": 0]]], "INVALID_CONFIG : "),
            ("notification", ["sendEmail": ["smtp": ["host": "[::1]"]]], "INVALID_CONFIG : "),
            ("notification", ["sendEmail": ["smtp": ["host": "a/b"]]], "INVALID_CONFIG : "),
            ("notification", ["sendEmail": ["resetPasswordTemplate": template]], "INVALID_CONFIG : "),
            ("notification", ["sendEmail": ["callbackUri": "javascript:alert(1)"]], "INVALID_CONFIG : "),
            ("notification", ["defaultLocale": "not a locale"], "INVALID_CONFIG : "),
            ("quota", ["signUpQuotaConfig": ["quota": -1]], "INVALID_CONFIG : "),
            ("quota", ["signUpQuotaConfig": ["quotaDuration": "soon"]], "INVALID_CONFIG : "),
        ]
        let server = try await TestServer.start()
        let before = try await server.admin("GET", "/config").json
        for (name, value, message) in cases {
            let refused = try await server.admin("PATCH", "/config?updateMask=\(name)", [name: value])
            #expect(refused.status == 400, "\(name) \(value.text)")
            #expect(refused.errorMessage?.hasPrefix(message) == true, "\(value.text): \(refused.errorMessage ?? "")")
        }
        // The rule on functions applies with any mask.
        let functions: JSONValue = ["blockingFunctions": ["triggers": ["x": ["functionUri": "https://a.example"]]]]
        let unmasked = try await server.admin("PATCH", "/config?updateMask=autodeleteAnonymousUsers", functions)
        #expect(unmasked.errorMessage?.hasPrefix("INVALID_BLOCKING_FUNCTION") == true)
        #expect(try await server.admin("GET", "/config").json == before)
    }

    @Test("answers hostile bodies with errors of the contract, never with one of its own")
    func hostile() async throws {
        let bodies = [
            "[]", "7", "null", "{", #"{"signIn":7}"#, #"{"signIn":[]}"#, #"{"authorizedDomains":{}}"#, #"{"mfa":{"state":{}}}"#,
            #"{"authorizedDomains":[null]}"#, #"{"authorizedDomains":["a\u0000b"]}"#, #"{"mfa":{"state":99}}"#,
            #"{"signIn":{"phoneNumber":{"testPhoneNumbers":{"+1\u00005":"123456"}}}}"#,
            #"{"notification":{"sendEmail":{"smtp":{"password":{"sealed":"x"}}}}}"#, #"{"autodeleteAnonymousUsers":"maybe"}"#,
            #"{"notification":{"sendEmail":{"smtp":{"port":"x"}}}}"#, #"{"a":1,"a":2}"#,
        ]
        let server = try await TestServer.start()
        let headers = [("Content-Type", "application/json"), ("Authorization", "Bearer \(TestServer.adminToken)")]
        for (method, path) in [
            ("PATCH", "/v2/projects/demo-test/config"), ("PATCH", "/v2/projects/demo-test/config?updateMask=signIn,mfa"),
        ] {
            for body in bodies {
                let answer = try await server.client.send(method, path, headers: headers, body: Data(body.utf8))
                #expect(answer.status == 400, "\(body): \(answer.status)")
                #expect(answer.errorMessage?.isEmpty == false)
            }
        }
        let long = String(repeating: "a,", count: 20_000)
        #expect(try await server.admin("PATCH", "/config?updateMask=\(long)", [:]).status >= 400)
        let deep = "signIn" + String(repeating: ".x", count: 4000)
        #expect(try await server.admin("PATCH", "/config?updateMask=\(deep)", [:]).status == 400)
        // Unknown members are ignored, as everywhere.
        #expect(try await server.admin("PATCH", "/config?updateMask=signIn.email", ["nonsense": 1]).status == 200)
    }
}
