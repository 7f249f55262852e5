import Testing

@testable import Project

@Suite("Phone numbers")
struct PhoneNumberTests {
    @Test(
        "have one form",
        arguments: [
            ("+1 (650) 555-1234", "+16505551234"), ("+447700900123", "+447700900123"), ("+4915112345678", "+4915112345678"),
            ("+2908123", "+2908123"), ("+683 4000", "+6834000"), ("+39 06 6982", "+39066982"), (" +16505551234 ", "+16505551234"),
            ("(+1) 650 555-1234", "+16505551234"),
        ]
    )
    func canonical(text: String, number: String) { #expect(PhoneNumber.canonical(text, mode: .production) == number) }

    @Test(
        "that cannot be are refused",
        arguments: [
            nil, "", "+", "16505551234", "0016505551234", "+1650555123", "+165055512345", "+1.650.555.1234", "+16505551234;ext=5",
            "+１６５０５５５１２３４", "+٤٤٧٧٠٠٩٠٠١٢٣", "+2104000000", "+999999999", "+87012345678", "++16505551234", "+1\n6505551234",
            "+12345678901234567890123456789012345678901234567890123456789012345",
        ]
    )
    func refused(text: String?) { #expect(PhoneNumber.canonical(text, mode: .production) == nil) }

    @Test(
        "belong to regions, also where several share a calling code",
        arguments: [
            ("+16505551234", "US"), ("+14165551234", "CA"), ("+18765551234", "JM"), ("+77012345678", "KZ"),
            ("+79161234567", "RU"), ("+390669812345", "VA"), ("+390612345678", "IT"), ("+447700900123", "JE"),
            ("+447911123456", "GG"), ("+447123456789", "GB"), ("+35818123456", "AX"), ("+5997123456", "BQ"),
        ]
    )
    func regions(number: String, region: String) { #expect(PhoneNumber.region(of: number) == region) }

    @Test("in development need only begin with a plus")
    func development() {
        #expect(PhoneNumber.canonical("+1", mode: .development) == "+1")
        #expect(PhoneNumber.canonical("1", mode: .development) == nil)
        #expect(PhoneNumber.canonical(" +1", mode: .development) == nil)
        #expect(PhoneNumber.canonical(nil, mode: .development) == nil)
    }

    @Test("that are fictional need not be possible, and have codes of six digits; an allow list that is mistyped allows nobody")
    func policy() {
        let settings: JSONValue = [
            "signIn": [
                "phoneNumber": [
                    "testPhoneNumbers": [
                        "+1 234-5678": "123456", "+16505550100": "12345", "+16505550101": "1234567", "1": "123456",
                    ]
                ]
            ],
            "smsRegionConfig": ["allowlistOnly": ["allowedRegion": ["US"]]],
        ]
        let policy = PhonePolicy(project: settings, tenant: nil, mode: .production)
        #expect(policy.testCodes == ["+12345678": "123456"])
        #expect(policy.canonical("+1 2345678", mode: .production) == "+12345678")
        #expect(policy.canonical("+12345679", mode: .production) == nil)
        #expect(!policy.allowsMessages(to: "+16505551234"))
        #expect(!policy.allowsSignIn)
        let tenant = PhonePolicy(project: settings, tenant: [:], mode: .production)
        #expect(tenant.testCodes.isEmpty)
        #expect(tenant.allowsMessages(to: "+16505551234"))
    }
}
