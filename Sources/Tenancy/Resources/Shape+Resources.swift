import OrderedCollections
package import Project
package import Storage

/// The resources of the v2 configuration API, member by member (`Docs/Contract/admin-config.md` §3 to §12).
extension Shape {
    /// The project's `Config`. It includes the members that only the server writes, because a file may be made from an answer.
    package static let config = object([
        "name": serverText, "subtype": serverText, "defaultHostingSite": serverText,
        "signIn": .object([
            "email": .object(["enabled": .bool, "passwordRequired": .bool]),
            "phoneNumber": .object(["enabled": .bool, "testPhoneNumbers": .map(.text)]),
            "anonymous": .object(["enabled": .bool]),
            "allowDuplicateEmails": .bool,
            "hashConfig": hash,
        ]),
        "notification": .object([
            "defaultLocale": .text, "sendEmail": .object(sendEmail),
            "sendSms": .object(["useDeviceLocale": .bool, "smsTemplate": .object(["content": .text]).marked(.outputOnly)]),
        ]),
        "quota": .object([
            "signUpQuotaConfig": .object(["quota": .text, "startTime": .text, "quotaDuration": .text])
        ]),
        "monitoring": monitoring,
        "multiTenant": .object(["allowTenants": .bool, "defaultTenantLocation": .text]),
        "authorizedDomains": .list(.text),
        "client": client,
        "mfa": mfa,
        "blockingFunctions": .object([
            "triggers": .map(.object(["functionUri": .text.marked(.essential), "updateTime": serverText])),
            "forwardInboundCredentials": .object(["idToken": .bool, "accessToken": .bool, "refreshToken": .bool]),
        ]),
        "smsRegionConfig": smsRegions,
        "autodeleteAnonymousUsers": .bool,
        "recaptchaConfig": recaptcha,
        "passwordPolicyConfig": passwordPolicy,
        "emailPrivacyConfig": emailPrivacy,
        "mobileLinksConfig": mobileLinks,
    ])

    package static let tenant = object(tenantMembers)

    /// A `Tenant`'s own members.
    static let tenantMembers: Shape.Members = [
        "name": serverText, "tenantId": serverText, "hashConfig": hash, "displayName": .text, "allowPasswordSignup": .bool,
        "enableEmailLinkSignin": .bool, "enableAnonymousUser": .bool,
        "disableAuth": .bool, "mfaConfig": mfa, "testPhoneNumbers": .map(.text),
        "inheritance": .object(["emailSendingConfig": .bool]), "client": client, "smsRegionConfig": smsRegions,
        "recaptchaConfig": recaptcha, "passwordPolicyConfig": passwordPolicy, "emailPrivacyConfig": emailPrivacy,
        "monitoring": monitoring, "autodeleteAnonymousUsers": .bool, "mobileLinksConfig": mobileLinks,
    ]

    /// A `defaultSupportedIdpConfigs` resource. `additionalClientIds`, `issuer`, `allowedTenants` and `oauth2Config` are
    /// additions of Postern, see `IdPConfig`.
    static let defaultSupportedIdpConfig = object([
        "name": serverText, "enabled": .bool, "clientId": .text, "clientSecret": .secret, "additionalClientIds": .list(.text),
        "issuer": .url, "allowedTenants": .list(.text),
        "oauth2Config": .object(["enabled": .bool, "allowClientAccessTokens": .bool]),
        "appleSignInConfig": .object([
            "bundleIds": .list(.text),
            "codeFlowConfig": .object(["teamId": .text, "keyId": .text, "privateKey": .secret.marked(.long)]),
        ]),
    ])

    /// An `oauthIdpConfigs` resource; `warnings`, `additionalClientIds` and `scopes` are additions of Postern.
    static let oauthIdpConfig = object([
        "name": serverText, "enabled": .bool, "displayName": .text, "warnings": .list(.text).marked(.outputOnly),
        "issuer": .url, "clientId": .text, "clientSecret": .secret, "additionalClientIds": .list(.text), "scopes": .list(.text),
        "responseType": .object(["idToken": .bool, "code": .bool, "token": .bool]),
    ])

    /// An `inboundSamlConfigs` resource; `warnings`, `emailDomains`, `ssoBinding`, `acceptSha1` and `nameIdFormat` are additions of
    /// Postern, see `SAMLConfig`.
    static let inboundSamlConfig = object([
        "name": serverText, "enabled": .bool, "displayName": .text, "warnings": .list(.text).marked(.outputOnly),
        "emailDomains": .list(.text),
        "idpConfig": .object([
            "idpEntityId": .text, "ssoUrl": .url, "ssoBinding": .word(SAMLConfig.Binding.allCases.map(\.rawValue)),
            "signRequest": .bool, "acceptSha1": .bool, "nameIdFormat": .text,
            "idpCertificates": .list(.object(["x509Certificate": .text.marked(.long)])),
        ]),
        "spConfig": .object([
            "spEntityId": .text, "callbackUri": .url,
            "spCertificates": .list(.object(["x509Certificate": .text, "expiresAt": .text])).marked(.outputOnly),
        ]),
    ])

    /// What an `inboundSamlConfigs` resource may be made of: the address of a provider's metadata, or the metadata.
    package static let samlMetadata = object(["metadataUrl": .string, "metadata": .string.marked(.long)])

    /// A service account, which signs custom tokens. This resource is an addition of Postern.
    static let serviceAccount = object(["publicKey": .text])

    /// The IAM policy of a tenant.
    package static let policy = object([
        "version": .integer, "etag": .text, "bindings": .list(.object(["role": .text, "members": .list(.text)])),
    ])

    private static let serverText = text.marked(.outputOnly)
    private static let hash = object([
        "algorithm": .text, "signerKey": .text, "saltSeparator": .text, "rounds": .integer, "memoryCost": .integer,
    ]).marked(.outputOnly)
    private static let monitoring = object(["requestLogging": .object(["enabled": .bool])])
    private static let client = object([
        "apiKey": serverText, "firebaseSubdomain": serverText,
        "permissions": .object(["disabledUserSignup": .bool, "disabledUserDeletion": .bool]),
    ])
    private static let emailPrivacy = object(["enableImprovedEmailPrivacy": .bool])
    private static let mobileLinks = object(["domain": .word(["FIREBASE_DYNAMIC_LINK_DOMAIN", "HOSTING_DOMAIN"])])

    private static let smsRegions = object([
        "allowByDefault": .object(["disallowedRegions": .list(.text)]),
        "allowlistOnly": .object(["allowedRegions": .list(.text)]),
    ])

    private static let mfa = object([
        "state": .word(["DISABLED", "ENABLED", "MANDATORY"]),
        "enabledProviders": .list(.text),
        "providerConfigs": .list(
            .object([
                "state": .word(["DISABLED", "ENABLED", "MANDATORY"]),
                "totpProviderConfig": .object(["adjacentIntervals": .integer]),
            ])
        ),
    ])

    private static let passwordPolicy = object([
        "passwordPolicyEnforcementState": .word(["OFF", "ENFORCE"]),
        "forceUpgradeOnSignin": .bool,
        "passwordPolicyVersions": .list(
            .object([
                "customStrengthOptions": .object([
                    "containsLowercaseCharacter": .bool, "containsUppercaseCharacter": .bool,
                    "containsNumericCharacter": .bool, "containsNonAlphanumericCharacter": .bool,
                    "minPasswordLength": .integer, "maxPasswordLength": .integer,
                ]),
                "schemaVersion": .integer.marked(.outputOnly),
            ])
        ),
        "lastUpdateTime": serverText,
    ])

    private static let enforcement = word(["OFF", "AUDIT", "ENFORCE"], otherwise: .invalidRecaptchaEnforcementState)
    private static let recaptchaAction = word(["BLOCK"], otherwise: .invalidRecaptchaAction)

    private static let recaptcha = object([
        "emailPasswordEnforcementState": enforcement, "phoneEnforcementState": enforcement,
        "managedRules": .list(.object(["endScore": .number, "action": recaptchaAction])),
        "recaptchaKeys": .list(.object(["key": .text, "type": .word(["WEB", "IOS", "ANDROID"])])),
        "useAccountDefender": .bool, "useSmsBotScore": .bool, "useSmsTollFraudProtection": .bool,
        "tollFraudManagedRules": .list(.object(["startScore": .number, "action": recaptchaAction])),
    ])

    private static let template = object([
        "senderLocalPart": .text, "subject": .text, "senderDisplayName": .text, "body": .text.marked(.long),
        "bodyFormat": .word(["PLAIN_TEXT", "HTML"]), "replyTo": .text, "customized": .bool.marked(.outputOnly),
    ])

    /// The members of `notification.sendEmail` that are templates.
    static let mailTemplates = Array(sendEmail.filter { $0.value == template }.keys)

    private static let sendEmail: Shape.Members = [
        "method": .word(["DEFAULT", "CUSTOM_SMTP"]),
        "smtp": .object([
            "senderEmail": .text, "host": .text, "port": .integer, "username": .text, "password": .secret,
            "securityMode": .word(["SSL", "START_TLS"]),
        ]),
        "resetPasswordTemplate": template, "verifyEmailTemplate": template, "changeEmailTemplate": template,
        "legacyResetPasswordTemplate": template, "revertSecondFactorAdditionTemplate": template,
        "callbackUri": .text,
        "dnsInfo": .object([
            "useCustomDomain": .bool, "customDomain": serverText, "pendingCustomDomain": serverText,
            "customDomainState": serverText, "domainVerificationRequestTime": serverText,
        ]),
    ]
}

extension ResourceKind {
    /// The shape of such a resource.
    package var shape: Shape {
        switch self {
        case .config: .config
        case .tenant: .tenant
        case .defaultSupportedIdpConfig: .defaultSupportedIdpConfig
        case .oauthIdpConfig: .oauthIdpConfig
        case .inboundSamlConfig: .inboundSamlConfig
        case .iamPolicy: .policy
        case .serviceAccount: .serviceAccount
        }
    }
}
