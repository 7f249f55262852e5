/// Administrators, imports, and the configuration of projects, tenants and providers.
extension ModeRules {
    /// Whether second factors that an administrator gives an account need a verified address, and are limited in number.
    package var checksGivenSecondFactors: Bool { rule(production: true, development: false) }

    /// Whether a page size of -1 lists everything at once.
    package var listsEverythingAtOnce: Bool { rule(production: false, development: true) }

    /// Whether an import reads `federatedId` where `rawId` is missing.
    package var readsFederatedIDs: Bool { rule(production: true, development: false) }

    /// Whether an import takes the emulator's password hashes, and needs no `hashAlgorithm`.
    package var importsEmulatorHashes: Bool { rule(production: false, development: true) }

    /// Whether a tenant is made when a call first names it, with every sign-in method on.
    package var makesTenantsOnFirstUse: Bool { rule(production: false, development: true) }

    /// Whether `multiTenant.allowTenants: false` switches the administration of tenants off.
    package var heedsTenantSwitch: Bool { rule(production: true, development: false) }

    /// Whether a tenant must have a name of Firebase's form, with which its id begins.
    package var tenantsHaveNames: Bool { rule(production: true, development: false) }

    /// Whether a field that a mask names and the body leaves out is cleared, and a mask that names an unknown field is refused.
    package var updatesAreStrict: Bool { rule(production: true, development: false) }

    /// Whether a new test number must be one that no account has.
    package var checksTestNumbers: Bool { rule(production: true, development: false) }

    /// Whether SAML certificates and callbacks, Apple's key, and an issuer's discovery document, if it can be reached, are checked before
    /// they are stored.
    package var checksProviderConfigurations: Bool { rule(production: true, development: false) }

    /// Whether configurations may name private addresses and plain http whatever `outbound.allowPrivateNetworks` says.
    package var configuresPrivateAddresses: Bool { rule(production: false, development: true) }

    /// Whether configurations show `false`, the emulator's defaults and a tenant's `tenantId`, and none of what Identity Platform adds.
    package var showsConfigurationAsEmulator: Bool { rule(production: false, development: true) }
}
