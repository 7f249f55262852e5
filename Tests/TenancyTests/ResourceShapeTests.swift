import Federation
import Project
import Testing

@testable import Tenancy

@Suite("Shapes of resources")
struct ResourceShapeTests {
    @Test("have no provider whose secret would be stored as it is")
    func sealed() {
        for facts in Providers.all.map({ $0.facts }) {
            #expect(ConfigurationSecrets.paths.contains(facts.secretPath), "\(facts.id)")
        }
        #expect(Shape.oauthIdpConfig.secretPaths == [["clientSecret"]])
        #expect(Shape.config.secretPaths == [["notification", "sendEmail", "smtp", "password"]])
    }

    @Test("lead paths of masks to members, in either spelling, and stop at what only the server writes")
    func targets() {
        let shape = Shape.config
        #expect(shape.target(of: ["sms_region_config", "allow_by_default"]) == .member(["smsRegionConfig", "allowByDefault"]))
        #expect(shape.target(of: ["signIn", "hashConfig", "rounds"]) == .outputOnly)
        #expect(shape.target(of: ["blockingFunctions", "triggers", "beforeCreate", "updateTime"]) == .outputOnly)
        for path in [["other"], ["signIn", "email", "enabled", "more"], ["authorizedDomains", "0"], []] {
            #expect(shape.target(of: path) == .nowhere, "\(path)")
        }
    }

    @Test("lead to the shapes of members, and a digit is a place in a list")
    func members() {
        #expect(Shape.inboundSamlConfig.member(at: ["idpConfig", "ssoUrl"]) == .url)
        let certificate = Shape.inboundSamlConfig.member(at: ["idpConfig", "idpCertificates", "0", "x509Certificate"])
        #expect(certificate == .text.marked(.long))
        #expect(Shape.tenant.member(at: ["testPhoneNumbers", "+1"]) == .text)
        #expect(Shape.tenant.member(at: ["testPhoneNumber"]) == nil)
    }
}
