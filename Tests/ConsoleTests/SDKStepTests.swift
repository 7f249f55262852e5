import Testing

@testable import Console

@Suite("The steps of the SDKs in the console")
struct SDKStepTests {
    @Test("are those of the documentation's pages, with the server's own values in place of the example's")
    func filledIn() throws {
        let steps = SDKStep.all
        #expect(steps.count == 9)
        #expect(steps.map(\.name).contains("Admin SDK for Node") && steps.first?.name == "Web")
        for step in steps {
            #expect(step.example.contains("auth.example.com"), "\(step.name)")
            let lines = step.lines(url: "https://sign-in.shop.test:8443", projectID: "shop-1", apiKey: "key-of-the-shop")
            #expect(lines.contains("sign-in.shop.test:8443"), "\(step.name)")
            #expect(!lines.contains("example.com") && !lines.contains("create_user"), "\(step.name): \(lines)")
            #expect(!lines.contains("my-project") && !lines.contains("my-api-key"), "\(step.name)")
        }
        let web = try #require(steps.first).lines(url: "https://a.test", projectID: "my-api-key", apiKey: "my-project")
        #expect(web.contains(#"apiKey: "my-project", authDomain: "a.test", projectId: "my-api-key""#), "\(web)")
    }

    @Test("name no setting of the emulator, with which an SDK verifies no token")
    func noEmulator() {
        for step in SDKStep.all {
            for word in ["Emulator", "EMULATOR", "9099", "Bearer owner"] { #expect(!step.example.contains(word), "\(step.name)") }
        }
    }
}
