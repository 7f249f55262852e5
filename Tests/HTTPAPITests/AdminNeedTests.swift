import HTTPTypes
import Project
import Testing

@testable import HTTPAPI

@Suite("What an administrator's call needs")
struct AdminNeedTests {
    @Test("stands on the route, and is every scope where the route is not for administrators")
    func declared() {
        #expect(Lookup.route.access.need == .readUsers)
        #expect(SignUp.route.access.need == .changeUsers)
        #expect(ProjectConfiguration.route.access.need == .readConfiguration)
        for access in [SecureToken.route.access, Route.emulator(.get, "projects/{project}/config").access] {
            #expect(access.need == .everything)
        }
    }

    @Test("is met by the scopes that name it, and reading by either kind of change")
    func scopes() {
        let met: [AdminNeed: [AdminScopes]] = [
            .readUsers: [.read, .edit, .users, .all], .changeUsers: [.edit, .users, .all], .deleteUsers: [.delete, .users, .all],
            .readConfiguration: [.read, .config, .all], .changeConfiguration: [.config, .all], .everything: [.all],
        ]
        for need in AdminNeed.allCases {
            for scopes: AdminScopes in [[], .read, .edit, .delete, .users, .config, .all] {
                #expect(need.isMet(by: scopes) == met[need]?.contains(scopes), "\(need) \(scopes.words)")
            }
        }
    }

    @Test("scopes that cannot be read open nothing")
    func unreadable() {
        #expect(AdminScopes(text: "read users") == [.read, .users])
        #expect(AdminScopes(text: "all") == .all)
        for text in ["", " ", "write", "read root", "READ"] { #expect(AdminScopes(text: text) == nil) }
        #expect(AdminScopes.all.words == ["read", "users", "config"])
    }

    @Test("deleting is a scope of its own, which the scope of users holds")
    func deletion() {
        #expect(DeleteAccount.route.access.need == .deleteUsers && BatchDelete.route.access.need == .deleteUsers)
        #expect(AdminScopes.users == [.edit, .delete])
        for text in ["edit", "delete", "read edit config", "users"] {
            #expect(AdminScopes(text: text)?.words.joined(separator: " ") == text)
        }
        #expect(AdminScopes(text: "delete edit")?.words == ["users"])
    }
}
