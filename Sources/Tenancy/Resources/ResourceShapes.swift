import OrderedCollections
import Project

/// The resources of the v2 configuration API, member by member (`Docs/Contract/admin-config.md` §3 to §12).
extension ResourceShape {
    /// The project's `Config`. It includes the members that only the server writes, because a file may be made from an answer.
    static let config = object([
        "name": .text, "subtype": .text, "defaultHostingSite": .text,
        "signIn": .object([
            "email": .object(["enabled": .bool, "passwordRequired": .bool]),
            "phoneNumber": .object(["enabled": .bool, "testPhoneNumbers": .map(.text)]),
            "anonymous": .object(["enabled": .bool]),
            "allowDuplicateEmails": .bool,
            "hashConfig": hash,
        ]),
        "notification": .object([
            "defaultLocale": .text, "sendEmail": sendEmail,
            "sendSms": .object(["useDeviceLocale": .bool, "smsTemplate": .object(["content": .text])]),
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
            "triggers": .map(.object(["functionUri": .text, "updateTime": .text])),
            "forwardInboundCredentials": .object(["idToken": .bool, "accessToken": .bool, "refreshToken": .bool]),
        ]),
        "smsRegionConfig": smsRegions,
        "autodeleteAnonymousUsers": .bool,
        "recaptchaConfig": recaptcha,
        "passwordPolicyConfig": passwordPolicy,
        "emailPrivacyConfig": emailPrivacy,
        "mobileLinksConfig": mobileLinks,
    ])

    /// A `Tenant`'s own members.
    static let tenantMembers: ResourceShape.Members = [
        "name": .text, "tenantId": .text, "hashConfig": hash, "displayName": .text, "allowPasswordSignup": .bool,
        "enableEmailLinkSignin": .bool, "enableAnonymousUser": .bool,
        "disableAuth": .bool, "mfaConfig": mfa, "testPhoneNumbers": .map(.text),
        "inheritance": .object(["emailSendingConfig": .bool]), "client": client, "smsRegionConfig": smsRegions,
        "recaptchaConfig": recaptcha, "passwordPolicyConfig": passwordPolicy, "emailPrivacyConfig": emailPrivacy,
        "monitoring": monitoring, "autodeleteAnonymousUsers": .bool, "mobileLinksConfig": mobileLinks,
    ]

    /// A `defaultSupportedIdpConfigs` resource. `additionalClientIds`, `issuer`, `allowedTenants` and `oauth2Config` are
    /// additions of Postern, see `IdPConfig`.
    static let defaultSupportedIdpConfig = object([
        "name": .text, "enabled": .bool, "clientId": .text, "clientSecret": .text, "additionalClientIds": .list(.text),
        "issuer": .url, "allowedTenants": .list(.text),
        "oauth2Config": .object(["enabled": .bool, "allowClientAccessTokens": .bool]),
        "appleSignInConfig": .object([
            "bundleIds": .list(.text),
            "codeFlowConfig": .object(["teamId": .text, "keyId": .text, "privateKey": .text]),
        ]),
    ])

    /// An `oauthIdpConfigs` resource; `warnings`, `additionalClientIds` and `scopes` are additions of Postern.
    static let oauthIdpConfig = object([
        "name": .text, "enabled": .bool, "displayName": .text, "warnings": .list(.text), "issuer": .url, "clientId": .text,
        "clientSecret": .text, "additionalClientIds": .list(.text), "scopes": .list(.text),
        "responseType": .object(["idToken": .bool, "code": .bool, "token": .bool]),
    ])

    /// An `inboundSamlConfigs` resource; `warnings`, `emailDomains`, `ssoBinding`, `acceptSha1` and `nameIdFormat` are additions of
    /// Postern, see `SAMLConfig`.
    static let inboundSamlConfig = object([
        "name": .text, "enabled": .bool, "displayName": .text, "warnings": .list(.text),
        "emailDomains": .list(.text),
        "idpConfig": .object([
            "idpEntityId": .text, "ssoUrl": .url, "ssoBinding": .word(SAMLConfig.Binding.allCases.map(\.rawValue)),
            "signRequest": .bool, "acceptSha1": .bool, "nameIdFormat": .text,
            "idpCertificates": .list(.object(["x509Certificate": .text])),
        ]),
        "spConfig": .object([
            "spEntityId": .text, "callbackUri": .url,
            "spCertificates": .list(.object(["x509Certificate": .text, "expiresAt": .text])),
        ]),
    ])

    /// A service account, which signs custom tokens. This resource is an addition of Postern.
    static let serviceAccount = object(["publicKey": .text])

    private static let hash = object([
        "algorithm": .text, "signerKey": .text, "saltSeparator": .text, "rounds": .integer, "memoryCost": .integer,
    ])
    private static let monitoring = object(["requestLogging": .object(["enabled": .bool])])
    private static let client = object([
        "apiKey": .text, "firebaseSubdomain": .text,
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
                "schemaVersion": .integer,
            ])
        ),
        "lastUpdateTime": .text,
    ])

    private static let enforcement = code(["OFF", "AUDIT", "ENFORCE"], .invalidRecaptchaEnforcementState)
    private static let recaptchaAction = code(["BLOCK"], .invalidRecaptchaAction)

    private static let recaptcha = object([
        "emailPasswordEnforcementState": enforcement, "phoneEnforcementState": enforcement,
        "managedRules": .list(.object(["endScore": .number, "action": recaptchaAction])),
        "recaptchaKeys": .list(.object(["key": .text, "type": .word(["WEB", "IOS", "ANDROID"])])),
        "useAccountDefender": .bool, "useSmsBotScore": .bool, "useSmsTollFraudProtection": .bool,
        "tollFraudManagedRules": .list(.object(["startScore": .number, "action": recaptchaAction])),
    ])

    private static let template = object([
        "senderLocalPart": .text, "subject": .text, "senderDisplayName": .text, "body": .text,
        "bodyFormat": .word(["PLAIN_TEXT", "HTML"]), "replyTo": .text, "customized": .bool,
    ])

    private static let sendEmail = object([
        "method": .word(["DEFAULT", "CUSTOM_SMTP"]),
        "smtp": .object([
            "senderEmail": .text, "host": .text, "port": .integer, "username": .text, "password": .text,
            "securityMode": .word(["SSL", "START_TLS"]),
        ]),
        "resetPasswordTemplate": template, "verifyEmailTemplate": template, "changeEmailTemplate": template,
        "legacyResetPasswordTemplate": template, "revertSecondFactorAdditionTemplate": template,
        "callbackUri": .text,
        "dnsInfo": .object([
            "useCustomDomain": .bool, "customDomain": .text, "pendingCustomDomain": .text, "customDomainState": .text,
            "domainVerificationRequestTime": .text,
        ]),
    ])
}
