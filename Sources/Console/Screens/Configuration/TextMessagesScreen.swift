/// Text messages: the regions they may go to, and fictional numbers for tests.
struct TextMessagesScreen: SettingsScreen {
    let tools: ConsoleTools

    static let path = "/console/sms"
    static let section = ConsoleSection.sms
    static let project = regions + [ConfigField("signIn.phoneNumber.testPhoneNumbers", .map, "testNumbers")]
    static let tenant = regions + [ConfigField("testPhoneNumbers", .map, "testNumbers")]

    private static let regions = [
        ConfigField("smsRegionConfig.allowByDefault.disallowedRegions", .list, "disallowedRegions"),
        ConfigField("smsRegionConfig.allowlistOnly.allowedRegions", .list, "allowedRegions"),
    ]
}
