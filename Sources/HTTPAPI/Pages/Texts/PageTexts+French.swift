extension PageTexts {
    static let french = PageTexts(
        direction: "ltr",
        resetPassword: Action(
            title: "Choisir un nouveau mot de passe",
            lead: { "Choisissez un nouveau mot de passe pour \($0)." },
            button: "Enregistrer le mot de passe",
            done: { _ in "Votre mot de passe a été modifié. Vous pouvez maintenant l’utiliser pour vous connecter." }
        ),
        verifyEmail: Action(
            title: "Confirmer votre adresse e-mail",
            lead: { "Veuillez confirmer que \($0) est bien votre adresse e-mail." },
            button: "Confirmer l’adresse",
            done: { "L’adresse \($0) est confirmée." }
        ),
        changeEmail: Action(
            title: "Confirmer votre nouvelle adresse e-mail",
            lead: { "Veuillez confirmer que \($0) doit devenir la nouvelle adresse e-mail de votre compte." },
            button: "Confirmer la nouvelle adresse",
            done: { "L’adresse e-mail de votre compte est désormais \($0)." }
        ),
        recoverEmail: Action(
            title: "Rétablir votre adresse e-mail",
            lead: { "L’adresse e-mail de votre compte a été modifiée. Vous pouvez rétablir \($0)." },
            button: "Rétablir l’adresse",
            done: { "L’adresse e-mail de votre compte est de nouveau \($0)." }
        ),
        secureAccount: Action(
            title: "Sécuriser votre compte",
            lead: {
                "Votre compte \($0) a été modifié. Si ce n’était pas vous, vous pouvez mettre fin à toutes les sessions et supprimer ce qui a été ajouté récemment."
            },
            button: "Sécuriser le compte",
            done: { "Toutes les sessions de votre compte \($0) sont terminées, et ce qui a été ajouté récemment a été supprimé." }
        ),
        removeSecondFactor: Action(
            title: "Supprimer la deuxième étape de connexion",
            lead: { "Une deuxième étape de connexion a été ajoutée à votre compte \($0). Si ce n’était pas vous, supprimez-la." },
            button: "Supprimer la deuxième étape",
            done: { _ in "La deuxième étape de connexion a été supprimée." }
        ),
        signIn: Message(
            title: "Se connecter",
            text: "Continuez dans l’application pour terminer la connexion."
        ),
        offerReset: Action(
            title: "Choisir un nouveau mot de passe",
            lead: {
                "Si quelqu’un d’autre a modifié votre adresse, cette personne connaît peut-être aussi votre mot de passe. Nous pouvons envoyer à \($0) un lien pour en choisir un nouveau."
            },
            button: "Envoyer un lien",
            done: { "Si un compte utilise l’adresse \($0), un lien vient d’y être envoyé." }
        ),
        removedLead: "Également supprimé, car ajouté après la dernière confirmation de votre adresse :",
        passkeys: "clés d’accès",
        phoneNumber: "le numéro de téléphone",
        newPassword: "Nouveau mot de passe",
        requirements: Requirements(
            minimumLength: { "au moins \($0) caractères" },
            maximumLength: { "au plus \($0) caractères" },
            lowercase: "une lettre minuscule (a–z)",
            uppercase: "une lettre majuscule (A–Z)",
            digit: "un chiffre (0–9)",
            symbol: "un caractère spécial, par exemple ! ou ?"
        ),
        requirementsLead: "Le mot de passe doit comporter :",
        unmetLead: "Ce mot de passe ne peut pas être utilisé. Il lui manque :",
        next: "Continuer",
        invalidLink: Message(
            title: "Ce lien ne fonctionne plus",
            text: "Il a peut-être expiré, déjà servi ou été remplacé par un lien plus récent. Veuillez en demander un nouveau."
        ),
        incompleteLink: Message(
            title: "Ce lien est incomplet",
            text: "Veuillez le rouvrir depuis l’e-mail ou le copier en entier."
        ),
        openInApp: Message(
            title: "Ouvrez ce lien dans l’application",
            text: "Veuillez l’ouvrir sur l’appareil et dans l’application où vous l’avez demandé."
        ),
        disabledAccount: Message(
            title: "Ce compte est désactivé",
            text: "Veuillez contacter les responsables de l’application."
        ),
        addressTaken: Message(
            title: "Cette adresse est déjà utilisée",
            text: "Un autre compte utilise désormais cette adresse e-mail."
        ),
        notAvailable: Message(
            title: "Cette fonction n’est pas disponible",
            text: "L’application ne la propose pas pour le moment."
        ),
        tooManyAttempts: Message(
            title: "Trop de tentatives",
            text: "Veuillez patienter un moment avant de réessayer."
        ),
        foreignForm: Message(
            title: "Ce formulaire vient d’une autre page",
            text: "Veuillez rouvrir le lien reçu par e-mail."
        ),
        failure: Message(
            title: "Un problème est survenu",
            text: "Veuillez réessayer dans un instant. Le lien reçu par e-mail reste valable."
        )
    )
}
