import Testing

@testable import Project

@Suite("The numbering plan")
struct NumberingPlanTests {
    @Test("is of one release of the metadata, in all its tables and in the numbers that it is tried with")
    func release() {
        let tables = [NumberingPlan.countryTable, NumberingPlan.prefixTable, NumberingPlan.premiumTable]
        #expect(tables.map(NumberingPlan.release) == [NumberingPlan.release, NumberingPlan.release, NumberingPlan.release])
        #expect(NumberingPlanSamples.release == NumberingPlan.release)
    }

    @Test("takes mobile, fixed and VoIP numbers of every region, and knows whose they are")
    func ordinary() {
        // The first line of a table names its release.
        let samples = NumberingPlan.entries(of: "\(NumberingPlanSamples.release)\n\(NumberingPlanSamples.ordinary)")
        #expect(samples.count > 230 && samples.first?.first == "US")
        for sample in samples {
            for digits in sample.dropFirst() {
                #expect(PhoneNumber.canonical("+" + digits, mode: .production) == "+" + digits)
                #expect(PhoneNumber.region(of: "+" + digits) == sample[0], "\(digits)")
                #expect(PhoneNumber.takesMessages("+" + digits), "\(digits)")
            }
        }
    }

    @Test("refuses the premium-rate numbers of every region")
    func premium() {
        let samples = NumberingPlanSamples.premium.split(whereSeparator: \.isWhitespace)
        #expect(samples.count > 100)
        for digits in samples {
            let isNumber = PhoneNumber.canonical("+\(digits)", mode: .production) != nil
            #expect(!isNumber || !PhoneNumber.takesMessages("+\(digits)"), "\(digits)")
        }
    }

    @Test(
        "tells numbers apart where regions share a calling code",
        arguments: [
            // New area codes of Canada.
            ("+12572345678", "CA"), ("+19422345678", "CA"),
            // Mobile ranges of which a part belongs to the Crown dependencies and the rest to the mainland.
            ("+447457012345", "GB"), ("+447457512345", "GB"), ("+447457612345", "IM"), ("+447457712345", "GB"),
            ("+447457912345", "GB"), ("+447700012345", "GB"), ("+447700112345", "GB"), ("+447700312345", "JE"),
            ("+447700712345", "JE"), ("+447700900123", "GB"), ("+447911012345", "GB"), ("+447911112345", "GG"),
            ("+447911212345", "GB"), ("+447911712345", "GG"), ("+447911812345", "GB"), ("+447924123456", "IM"),
            // VoIP ranges with their own lengths.
            ("+886701012345", "TW"), ("+8867012345678", "TW"), ("+88670101234567", "TW"), ("+2454012345", "GW"),
            ("+212528812345", "EH"), ("+212522123456", "MA"),
        ]
    )
    func vectors(number: String, region: String) {
        #expect(PhoneNumber.canonical(number, mode: .production) == number)
        #expect(PhoneNumber.region(of: number) == region)
        #expect(PhoneNumber.takesMessages(number))
    }

    @Test("lets an allow list for Canada reach its new area codes")
    func newAreaCodes() {
        let settings: JSONValue = ["smsRegionConfig": ["allowlistOnly": ["allowedRegions": ["CA"]]]]
        let policy = PhonePolicy(project: settings, tenant: nil, mode: .production)
        #expect(policy.allowsMessages(to: "+12572345678") && policy.allowsMessages(to: "+19422345678"))
        #expect(!policy.allowsMessages(to: "+12125551234"))
    }
}
