extension PageTexts {
    static let german = PageTexts(
        direction: "ltr",
        resetPassword: Action(
            title: "Neues Passwort wählen",
            lead: { "Wählen Sie ein neues Passwort für \($0)." },
            button: "Passwort speichern",
            done: { _ in "Ihr Passwort wurde geändert. Sie können sich jetzt damit anmelden." }
        ),
        verifyEmail: Action(
            title: "E-Mail-Adresse bestätigen",
            lead: { "Bitte bestätigen Sie, dass \($0) Ihre E-Mail-Adresse ist." },
            button: "Adresse bestätigen",
            done: { "\($0) ist bestätigt." }
        ),
        changeEmail: Action(
            title: "Neue E-Mail-Adresse bestätigen",
            lead: { "Bitte bestätigen Sie, dass \($0) die neue E-Mail-Adresse Ihres Kontos werden soll." },
            button: "Neue Adresse bestätigen",
            done: { "Die E-Mail-Adresse Ihres Kontos ist jetzt \($0)." }
        ),
        recoverEmail: Action(
            title: "E-Mail-Adresse wiederherstellen",
            lead: { "Die E-Mail-Adresse Ihres Kontos wurde geändert. Sie können sie auf \($0) zurücksetzen." },
            button: "Adresse wiederherstellen",
            done: { "Die E-Mail-Adresse Ihres Kontos ist wieder \($0)." }
        ),
        secureAccount: Action(
            title: "Ihr Konto absichern",
            lead: {
                "Ihr Konto \($0) wurde geändert. Wenn Sie das nicht waren, können Sie alle Sitzungen beenden und entfernen, was in letzter Zeit hinzugefügt wurde."
            },
            button: "Konto absichern",
            done: { "Alle Sitzungen Ihres Kontos \($0) sind beendet, und was in letzter Zeit hinzugefügt wurde, ist entfernt." }
        ),
        removeSecondFactor: Action(
            title: "Zweiten Anmeldeschritt entfernen",
            lead: {
                "Zu Ihrem Konto \($0) wurde ein zweiter Anmeldeschritt hinzugefügt. Wenn Sie das nicht waren, entfernen Sie ihn."
            },
            button: "Zweiten Schritt entfernen",
            done: { _ in "Der zweite Anmeldeschritt wurde entfernt." }
        ),
        signIn: Message(
            title: "Anmelden",
            text: "Fahren Sie in der App fort, um die Anmeldung abzuschließen."
        ),
        offerReset: Action(
            title: "Neues Passwort wählen",
            lead: {
                "Wenn jemand anderes Ihre Adresse geändert hat, kennt diese Person vielleicht auch Ihr Passwort. Wir können Ihnen an \($0) einen Link für ein neues senden."
            },
            button: "Link für ein neues Passwort senden",
            done: { "Falls es ein Konto mit der Adresse \($0) gibt, ist ein Link dorthin unterwegs." }
        ),
        removedLead: "Ebenfalls entfernt, da nach der letzten Bestätigung Ihrer Adresse hinzugefügt:",
        passkeys: "Passkeys",
        phoneNumber: "die Telefonnummer",
        newPassword: "Neues Passwort",
        requirements: Requirements(
            minimumLength: { "mindestens \($0) Zeichen" },
            maximumLength: { "höchstens \($0) Zeichen" },
            lowercase: "einen Kleinbuchstaben (a–z)",
            uppercase: "einen Großbuchstaben (A–Z)",
            digit: "eine Ziffer (0–9)",
            symbol: "ein Sonderzeichen wie ! oder ?"
        ),
        requirementsLead: "Das Passwort braucht:",
        unmetLead: "Dieses Passwort kann nicht verwendet werden. Es braucht noch:",
        next: "Weiter",
        invalidLink: Message(
            title: "Dieser Link funktioniert nicht mehr",
            text:
                "Er ist abgelaufen, wurde schon benutzt oder durch einen neueren ersetzt. Bitte fordern Sie einen neuen Link an."
        ),
        incompleteLink: Message(
            title: "Dieser Link ist unvollständig",
            text: "Bitte öffnen Sie ihn noch einmal aus der E-Mail oder kopieren Sie ihn ganz."
        ),
        openInApp: Message(
            title: "Öffnen Sie diesen Link in der App",
            text: "Bitte öffnen Sie ihn auf dem Gerät und in der App, in der Sie ihn angefordert haben."
        ),
        disabledAccount: Message(
            title: "Dieses Konto ist gesperrt",
            text: "Bitte wenden Sie sich an den Betreiber der App."
        ),
        addressTaken: Message(
            title: "Diese Adresse ist vergeben",
            text: "Inzwischen hat ein anderes Konto diese E-Mail-Adresse."
        ),
        notAvailable: Message(
            title: "Das ist nicht verfügbar",
            text: "Die App bietet das zurzeit nicht an."
        ),
        tooManyAttempts: Message(
            title: "Zu viele Versuche",
            text: "Bitte warten Sie eine Weile und versuchen Sie es dann noch einmal."
        ),
        foreignForm: Message(
            title: "Dieses Formular kam von einer anderen Seite",
            text: "Bitte öffnen Sie den Link in Ihrer E-Mail noch einmal."
        ),
        failure: Message(
            title: "Etwas ist schiefgegangen",
            text: "Bitte versuchen Sie es gleich noch einmal. Der Link in Ihrer E-Mail gilt weiterhin."
        )
    )
}
