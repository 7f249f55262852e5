import Accounts
import HTTPTypes
import Testing

@testable import HTTPAPI

@Suite("What an administrator's call needs")
struct AdminNeedTests {
    @Test("follows from the method and from what the path is about")
    func usual() {
        #expect(Lookup.route.adminNeed == .readUsers)
        for route in [
            SignUp.route, UpdateAccount.route, DeleteAccount.route, SendOobCode.route, SignInWithPassword.route,
            SignInWithCustomToken.route, ResetPassword.route,
        ] {
            #expect(route.adminNeed == .changeUsers)
        }
        #expect(ProjectConfiguration.route.adminNeed == .readConfiguration)
        #expect(DownloadAccount.route.adminNeed == .readUsers)
        #expect(UploadAccount.route.adminNeed == .changeUsers)
        #expect(Route(method: .post, host: .identityToolkit, legacyName: "unknown").adminNeed == .everything)
        let project = "v1/projects/{project}"
        for (need, calls) in [
            AdminNeed.readUsers: [(true, "\(project)/accounts:batchGet"), (false, "\(project):queryAccounts")],
            .changeUsers: [
                (false, "\(project)/accounts:batchDelete"), (false, "\(project):createSessionCookie"),
                (false, "\(project)/accounts"),
                (false, "v2/accounts/mfaEnrollment:withdraw"),
            ],
            .readConfiguration: [(true, "v2/projects/{project}/tenants"), (true, "v2/projects/{project}/config")],
            .changeConfiguration: [(false, "v2/projects/{project}/oauthIdpConfigs"), (false, "v1/projects:new")],
            .everything: [(false, "v2/anything:new"), (true, "v2/anything"), (false, ""), (true, "")],
        ] {
            for (isGet, path) in calls { #expect(AdminNeed(method: isGet ? .get : .post, path: path) == need, "\(path)") }
        }
    }

    @Test("is met by the scopes that name it, and reading by either kind of change")
    func scopes() {
        let met: [AdminNeed: [AdminScopes]] = [
            .readUsers: [.read, .users, .all], .changeUsers: [.users, .all], .readConfiguration: [.read, .config, .all],
            .changeConfiguration: [.config, .all], .everything: [.all],
        ]
        for need in AdminNeed.allCases {
            for scopes: AdminScopes in [[], .read, .users, .config, .all] {
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
}
