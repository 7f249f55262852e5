extension PageTexts {
    static let english = PageTexts(
        direction: "ltr",
        resetPassword: Action(
            title: "Choose a new password",
            lead: { "Choose a new password for \($0)." },
            button: "Save password",
            done: { _ in "Your password was changed. You can now sign in with it." }
        ),
        verifyEmail: Action(
            title: "Confirm your e-mail address",
            lead: { "Please confirm that \($0) is your e-mail address." },
            button: "Confirm address",
            done: { "\($0) is confirmed." }
        ),
        changeEmail: Action(
            title: "Confirm your new e-mail address",
            lead: { "Please confirm that \($0) is to be the new e-mail address of your account." },
            button: "Confirm new address",
            done: { "The e-mail address of your account is now \($0)." }
        ),
        recoverEmail: Action(
            title: "Restore your e-mail address",
            lead: { "The e-mail address of your account was changed. You can set it back to \($0)." },
            button: "Restore address",
            done: { "The e-mail address of your account is \($0) again." }
        ),
        secureAccount: Action(
            title: "Secure your account",
            lead: {
                "Your account \($0) was changed. If it was not you, you can end every session and remove what was added recently."
            },
            button: "Secure account",
            done: { "Every session of your account \($0) has ended, and what was added recently was removed." }
        ),
        removeSecondFactor: Action(
            title: "Remove the second sign-in step",
            lead: { "A second sign-in step was added to your account \($0). If it was not you, remove it." },
            button: "Remove second step",
            done: { _ in "The second sign-in step was removed." }
        ),
        signIn: Message(
            title: "Sign in",
            text: "Continue in the app to finish signing in."
        ),
        offerReset: Action(
            title: "Choose a new password",
            lead: {
                "If somebody else changed your address, that person may know your password, too. We can send a link for a new one to \($0)."
            },
            button: "Send link for a new password",
            done: { "If there is an account with the address \($0), a link is on its way to it." }
        ),
        removedLead: "Also removed, because it was added after your address was last confirmed:",
        passkeys: "passkeys",
        phoneNumber: "the phone number",
        newPassword: "New password",
        requirements: Requirements(
            minimumLength: { "at least \($0) characters" },
            maximumLength: { "at most \($0) characters" },
            lowercase: "a lowercase letter (a–z)",
            uppercase: "an uppercase letter (A–Z)",
            digit: "a digit (0–9)",
            symbol: "a special character such as ! or ?"
        ),
        requirementsLead: "The password must have:",
        unmetLead: "This password cannot be used. It still lacks:",
        next: "Continue",
        invalidLink: Message(
            title: "This link no longer works",
            text: "It may have expired, been used already, or been replaced by a newer one. Please ask for a new link."
        ),
        incompleteLink: Message(
            title: "This link is not complete",
            text: "Please open it again from the e-mail, or copy all of it."
        ),
        openInApp: Message(
            title: "Open this link in the app",
            text: "Please open it on the device and in the app in which you asked for it."
        ),
        disabledAccount: Message(
            title: "This account is disabled",
            text: "Please contact those who run the app."
        ),
        addressTaken: Message(
            title: "This address is taken",
            text: "Another account has this e-mail address by now."
        ),
        notAvailable: Message(
            title: "This is not available",
            text: "The app does not offer this at the moment."
        ),
        tooManyAttempts: Message(
            title: "Too many attempts",
            text: "Please wait a while and try again."
        ),
        foreignForm: Message(
            title: "This form came from another page",
            text: "Please open the link in your e-mail again."
        ),
        failure: Message(
            title: "Something went wrong",
            text: "Please try again in a moment. The link in your e-mail still works."
        )
    )
}
