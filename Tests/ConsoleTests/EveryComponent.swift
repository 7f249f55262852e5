import Messaging
import Project

@testable import Console

/// A screen with every component, for tests and for looking at.
struct EveryComponent {
    /// What stands in each place that takes a text.
    var text: (String) -> String = { $0 }

    func context(_ language: EmailLanguage = .english) throws -> PageContext {
        let groups: [(String, [(ConsoleSection, String)])] = [
            ("People", [(.overview, "Overview"), (.users, "Users"), (.signInDiagnosis, "Why did this sign-in fail?")]),
            ("Sign-in", [(.signInMethods, "Sign-in methods"), (.tenants, "Tenants"), (.templates, "E-mail templates")]),
            ("Server", [(.keys, "Signing keys"), (.audit, "Audit trail"), (.backups, "Backups")]),
        ]
        return PageContext(
            texts: try ConsoleTexts.of(language),
            csrf: "token-of-the-session",
            project: text("shop-production"),
            operatorName: text("ada@example.com"),
            roleName: text("Administrator"),
            operatorLinks: [Link(text: text("Profile and sessions"), path: "/console/profile")],
            navigation: groups.flatMap { group, items in
                items.map { section, label in
                    NavigationItem(label: text(label), path: "/console/\(section)", section: section, group: text(group))
                }
            },
            isDevelopment: true,
            banners: [text("The key of Apple expires in 6 days.")]
        )
    }

    var page: ConsolePage {
        ConsolePage(
            title: text("Ada Lovelace"),
            section: .users,
            blocks: [
                .links([
                    Link(text: text("Profile"), path: "/console/users/1", isCurrent: true),
                    Link(text: text("Sessions"), path: "/console/users/1/sessions"),
                    Link(text: text("Events"), path: "/console/users/1/events"),
                ]),
                .paragraph(text("What the operators of this project see of one user.")),
                .columns([[.heading(text("Account")), .facts(facts)], [.heading(text("Activity")), .chart(chart)]]),
                .toolbar([
                    Form(action: "/console/users/1/reset", button: text("Send password reset")),
                    Form(action: "/console/users/1/disable", button: text("Disable")),
                    Form(
                        action: "/console/users/1/delete",
                        hidden: [(name: text("uid"), value: text("u1"))],
                        button: text("Delete"),
                        isDangerous: true,
                        confirmation: text("The user and all sessions are deleted.")
                    ),
                ]),
                .form(search), .table(table),
                .table(Table(caption: text("Sessions"), columns: [text("Device")], rows: [], emptyText: text("No sessions."))),
                .form(form), .form(passkey),
                .frame(title: text("Message"), path: "/console/templates/passwordReset/html"),
                .notice(Notice(kind: .information, text: text("Roles change at the next request."))),
                .notice(Notice(kind: .warning, text: text("Two users share this number."))),
                .notice(Notice(kind: .error, text: text("Nothing was saved."), items: [text("`sub` is reserved.")])),
                .code(
                    label: text("Initialize the SDK"),
                    text: "\n" + text("const app = initializeApp({ apiKey: 'demo' });") + "\n"
                ),
                .list(facts.map(\.value)),
                .details(summary: text("Technical details"), [.paragraph(text("Stored in format 3.")), .facts(facts)]),
            ],
            notice: Notice(kind: .success, text: text("The user was saved."))
        )
    }

    private var facts: [Fact] {
        [
            Fact(label: text("Name"), value: .foreign(text("Ada Lovelace"))),
            Fact(label: text("User id"), value: .code(text("Zk3v9QpXwYh1s8Lr"))),
            Fact(label: text("Tenant"), value: .link(text: text("Acme"), path: "/console/tenants/acme")),
            Fact(label: text("Last sign-in"), value: .time(Timestamp(seconds: 1_790_000_000))),
            Fact(
                label: text("State"),
                value: .several([
                    .badge(text: text("Enabled"), tone: .positive), .badge(text: text("Unverified"), tone: .caution),
                    .badge(text: text("Locked"), tone: .negative), .badge(text: text("Imported"), tone: .neutral),
                ])
            ),
            Fact(label: text("Sign-ins"), value: .number(1_234_567)),
            Fact(label: text("Phone"), value: .none),
            Fact(label: text("Note"), value: .text(text("Merged from another account"))),
        ]
    }

    private var chart: Chart {
        Chart(
            title: text("Sign-ins"),
            labels: (1...30).map { text("Nov \($0)") },
            series: ["password", "google.com", "apple.com"].enumerated().map { number, name in
                Chart.Series(name: text(name), values: (0..<30).map { Int64(($0 * 37 + number * 53) % 90 + 12) })
            }
        )
    }

    private var search: Form {
        Form(
            action: "/console/users",
            method: .get,
            fields: [
                Field(name: text("q"), label: text("Search"), value: text("ada"), hint: nil),
                Field(
                    name: text("state"),
                    label: text("State"),
                    kind: .select([
                        Field.Option(text: text("Any"), value: text("any")),
                        Field.Option(text: text("Disabled"), value: text("no")),
                    ]),
                    value: text("no")
                ),
                Field(name: text("since"), label: text("Created since"), kind: .date, value: text("2026-01-02")),
            ],
            button: text("Search"),
            isInline: true
        )
    }

    private var form: Form {
        Form(
            action: "/console/users/1",
            fields: [
                Field(
                    name: text("name"),
                    label: text("Display name"),
                    value: text("Ada Lovelace"),
                    hint: text("Apps show it."),
                    isRequired: true,
                    autocomplete: text("off"),
                    maximumLength: 256
                ),
                Field(
                    name: text("email"),
                    label: text("E-mail address"),
                    kind: .email,
                    value: text("ada@"),
                    hint: text("Changing it ends sessions."),
                    error: text("This is no address.")
                ),
                Field(name: text("password"), label: text("New password"), kind: .password, value: text("never shown")),
                Field(name: text("limit"), label: text("Limit"), kind: .number, value: text("5")),
                Field(
                    name: text("claims"),
                    label: text("Claims"),
                    kind: .textArea(rows: 4),
                    value: "\n" + text("{ \"role\": \"editor\" }"),
                    hint: text("At most 1000 bytes of JSON."),
                    isCode: true
                ),
                Field(name: text("uid"), label: text("User id"), value: text("u1"), isCode: true, isReadOnly: true),
                Field(name: text("file"), label: text("File"), kind: .file(accept: text(".json"))),
                Field(name: text("verified"), label: text("Address is verified"), kind: .checkbox, value: text("on")),
                Field(
                    name: text("region"),
                    label: text("Region"),
                    kind: .select([Field.Option(text: text("Europe"), value: text("eu"))]),
                    value: text("eu"),
                    isReadOnly: true
                ),
            ],
            hidden: [(name: text("revision"), value: text("7"))],
            button: text("Save"),
            legend: text("Edit the profile"),
            otherButtons: [
                Button(text: text("Check only"), name: text("do"), value: text("check")),
                Button(text: text("Reset"), name: text("do"), value: text("reset"), isDangerous: true),
            ]
        )
    }

    private var passkey: Form {
        Form(
            action: "/console/passkey",
            button: text("Add a passkey"),
            legend: text("Passkeys"),
            passkey: Form.Passkey(ceremony: .create, options: text("{\"challenge\":\"AAAA\"}"))
        )
    }

    private var table: Table {
        Table(
            caption: text("Users"),
            columns: ["User", "Id", "Provider", "Sign-ins", "Last seen", "State", ""].map(text),
            rows: (0..<6).map { number in
                [
                    .link(text: text(["Ada", "Grace", "Иван", "ليلى", "さくら", "Zoë"][number]), path: "/console/users/\(number)"),
                    .code(text("uid\(number * 7919)")), .foreign(text("google.com")), .number(Int64(number * number * 977)),
                    .time(Timestamp(seconds: 1_790_000_000 - Int64(number) * 90_000)),
                    .badge(text: text("Enabled"), tone: .positive),
                    .forms([Form(action: "/console/users/\(number)/disable", button: text("Disable"))]),
                ]
            },
            emptyText: text("Nobody."),
            selection: Table.Selection(
                action: "/console/users/selection",
                name: text("uid"),
                values: (0..<6).map { text("u\($0)") },
                labels: (0..<6).map { text("User \($0)") },
                buttons: [
                    Button(text: text("Disable"), name: text("do"), value: text("disable")),
                    Button(
                        text: text("Delete"),
                        name: text("do"),
                        value: text("delete"),
                        isDangerous: true,
                        confirmation: text("All checked users are deleted.")
                    ),
                ],
                hidden: [(name: text("filter"), value: text("ada"))]
            ),
            next: Link(text: text("Next page"), path: "/console/users?after=6")
        )
    }
}
