import Accounts
import Project
import Settings

/// What is around a screen: the navigation that a role sees, and the banners.
struct ConsoleNavigation: Sendable {
    let tools: ConsoleTools

    private struct Entry {
        let section: ConsoleSection
        let path: String
        let group: String
        var needs: AdminScopes = .read
        var isForOwners = false
        /// Whether it concerns the whole project, so that a tenant's operators have nothing to do there.
        var isOfProject = false
        var isForDevelopment = false
        var isForApprovals = false
    }

    private static let entries: [Entry] = [
        Entry(section: .overview, path: OverviewScreen.path, group: "users"),
        Entry(section: .users, path: UsersScreen.path, group: "users"),
        Entry(section: .imports, path: ImportScreen.path, group: "users", needs: .edit),
        Entry(section: .exports, path: ExportScreen.path, group: "users"),
        Entry(section: .signInDiagnosis, path: DiagnosisScreen.path, group: "users"),
        Entry(section: .signInMethods, path: MethodsScreen.path, group: "configuration"),
        Entry(section: .policies, path: PoliciesScreen.path, group: "configuration"),
        Entry(section: .templates, path: TemplatesScreen.path, group: "configuration", isOfProject: true),
        Entry(section: .sms, path: TextMessagesScreen.path, group: "configuration"),
        Entry(section: .domains, path: DomainsScreen.path, group: "configuration", isOfProject: true),
        Entry(section: .tenants, path: TenantsScreen.path, group: "configuration", isOfProject: true),
        Entry(section: .hooks, path: HooksScreen.path, group: "configuration", isOfProject: true),
        Entry(section: .serviceAccounts, path: ServiceAccountsScreen.path, group: "configuration", isOfProject: true),
        Entry(section: .configuration, path: ConfigurationScreen.path, group: "configuration", needs: .config),
        Entry(section: .audit, path: AuditScreen.path, group: "operation"),
        Entry(section: .events, path: EventsScreen.path, group: "operation"),
        Entry(section: .keys, path: KeysScreen.path, group: "operation"),
        Entry(section: .backups, path: BackupsScreen.path, group: "operation", needs: .all, isOfProject: true),
        Entry(section: .development, path: DevelopmentScreen.path, group: "operation", needs: .all, isForDevelopment: true),
        Entry(section: .connect, path: ConnectScreen.path, group: "operation"),
        Entry(section: .operators, path: OperatorsScreen.path, group: "operation", needs: .all, isForOwners: true),
        Entry(section: .approvals, path: ApprovalsScreen.path, group: "operation", needs: .all, isForApprovals: true),
    ]

    func context(_ visit: ConsoleVisit) -> PageContext {
        let texts = visit.texts
        var context = PageContext(texts: texts, isDevelopment: tools.settings.mode.rules.hasDevelopmentTools)
        guard let person = visit.signedIn else { return context }
        context.csrf = person.formToken
        context.project = tools.projectID
        context.operatorName = person.email
        context.roleName = texts["role.\(person.role.rawValue)"]
        context.operatorLinks = [Link(text: texts["profile.title"], path: ProfileScreen.path)]
        context.banners = tools.settings.gaps
        context.navigation = Self.entries
            .filter { entry in
                person.role.scopes.isSuperset(of: entry.needs)
                    && (!entry.isOfProject || person.tenantID == nil)
                    && (!entry.isForOwners || person.role.managesOperators && person.tenantID == nil)
                    && (!entry.isForApprovals || tools.console.approvals.isRequired)
                    && (!entry.isForDevelopment || tools.settings.mode.rules.hasDevelopmentTools)
            }
            .map { entry in
                NavigationItem(
                    label: texts["section.\(entry.section.rawValue)"],
                    path: visit.link(entry.path),
                    section: entry.section,
                    group: texts["group.\(entry.group)"]
                )
            }
        return context
    }
}
