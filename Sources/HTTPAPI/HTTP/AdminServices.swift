package import Accounts

/// The use cases of the administrators' endpoints.
package struct AdminServices: Sendable {
    package let creation: AccountCreation
    package let batchDeletion: BatchDeletion
    package let accountImport: AccountImport
    package let listing: AccountListing
    package let search: AccountSearch
    package let sessionCookies: SessionCookies

    package init(
        creation: AccountCreation,
        batchDeletion: BatchDeletion,
        accountImport: AccountImport,
        listing: AccountListing,
        search: AccountSearch,
        sessionCookies: SessionCookies
    ) {
        self.creation = creation
        self.batchDeletion = batchDeletion
        self.accountImport = accountImport
        self.listing = listing
        self.search = search
        self.sessionCookies = sessionCookies
    }
}
