import Accounts
import Project

extension API {
    /// The emulator's own paths: one line for each endpoint.
    static func addEmulator(
        _ services: Services,
        auth: CallerAuth,
        clientAddress: ClientAddress,
        environment: ServerEnvironment,
        to table: inout RouteTable
    ) {
        EmulatorStatus().add(to: &table)
        for level in AdminLevel.allCases { table.add(ClearAccounts(level: level, reset: services.accountReset)) }
        EmulatorCodes(listing: services.oobCodeListing, auth: auth).add(to: &table)
        EmulatorWidget(browser: services.accountBrowser, auth: auth, environment: environment).add(to: &table)
        EmulatorAction(
            actions: services.emailActions,
            listing: services.oobCodeListing,
            auth: auth,
            clientAddress: clientAddress
        ).add(to: &table)
    }
}
