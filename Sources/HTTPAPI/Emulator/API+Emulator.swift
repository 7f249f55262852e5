import Accounts
import Project

extension API {
    /// The emulator's own paths: one line for each endpoint.
    static func addEmulator(_ useCases: UseCases, _ listener: ListenerContext, to table: inout RouteTable) {
        let (auth, runtime) = (listener.auth, useCases.runtime)
        EmulatorStatus().add(to: &table)
        for level in AdminLevel.allCases { table.add(ClearAccounts(level: level, reset: useCases.emulator.accountReset)) }
        VerificationCodes(codes: useCases.codes.sms, configurations: runtime.configurations, auth: auth).add(to: &table)
        EmulatorCodes(listing: useCases.emulator.oobCodeListing, auth: auth).add(to: &table)
        EmulatorWidget(browser: useCases.operators.browser, auth: auth, environment: runtime.environment).add(to: &table)
        EmulatorAction(
            actions: useCases.codes.emailActions,
            listing: useCases.emulator.oobCodeListing,
            auth: auth
        ).add(to: &table)
    }
}
