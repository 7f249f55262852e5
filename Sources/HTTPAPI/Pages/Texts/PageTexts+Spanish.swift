extension PageTexts {
    static let spanish = PageTexts(
        direction: "ltr",
        resetPassword: Action(
            title: "Elige una contraseña nueva",
            lead: { "Elige una contraseña nueva para \($0)." },
            button: "Guardar la contraseña",
            done: { _ in "Tu contraseña se ha cambiado. Ya puedes iniciar sesión con ella." }
        ),
        verifyEmail: Action(
            title: "Confirma tu correo electrónico",
            lead: { "Confirma que \($0) es tu dirección de correo electrónico." },
            button: "Confirmar la dirección",
            done: { "La dirección \($0) está confirmada." }
        ),
        changeEmail: Action(
            title: "Confirma tu nuevo correo electrónico",
            lead: { "Confirma que \($0) será la nueva dirección de correo electrónico de tu cuenta." },
            button: "Confirmar la nueva dirección",
            done: { "La dirección de correo electrónico de tu cuenta es ahora \($0)." }
        ),
        recoverEmail: Action(
            title: "Recupera tu correo electrónico",
            lead: { "Se ha cambiado la dirección de correo electrónico de tu cuenta. Puedes volver a \($0)." },
            button: "Recuperar la dirección",
            done: { "La dirección de correo electrónico de tu cuenta vuelve a ser \($0)." }
        ),
        secureAccount: Action(
            title: "Protege tu cuenta",
            lead: {
                "Se ha modificado tu cuenta \($0). Si no has sido tú, puedes cerrar todas las sesiones y quitar lo que se ha añadido recientemente."
            },
            button: "Proteger la cuenta",
            done: {
                "Se han cerrado todas las sesiones de tu cuenta \($0) y se ha quitado lo que se había añadido recientemente."
            }
        ),
        removeSecondFactor: Action(
            title: "Quita el segundo paso de inicio de sesión",
            lead: { "Se ha añadido un segundo paso de inicio de sesión a tu cuenta \($0). Si no has sido tú, quítalo." },
            button: "Quitar el segundo paso",
            done: { _ in "Se ha quitado el segundo paso de inicio de sesión." }
        ),
        signIn: Message(
            title: "Iniciar sesión",
            text: "Continúa en la aplicación para terminar de iniciar sesión."
        ),
        offerReset: Action(
            title: "Elige una contraseña nueva",
            lead: {
                "Si otra persona ha cambiado tu dirección, puede que también conozca tu contraseña. Podemos enviar a \($0) un enlace para elegir una nueva."
            },
            button: "Enviar el enlace",
            done: { "Si existe una cuenta con la dirección \($0), el enlace ya está en camino." }
        ),
        removedLead: "También se ha quitado, porque se añadió después de la última confirmación de tu dirección:",
        passkeys: "llaves de acceso",
        phoneNumber: "el número de teléfono",
        newPassword: "Contraseña nueva",
        requirements: Requirements(
            minimumLength: { "al menos \($0) caracteres" },
            maximumLength: { "como máximo \($0) caracteres" },
            lowercase: "una letra minúscula (a–z)",
            uppercase: "una letra mayúscula (A–Z)",
            digit: "un número (0–9)",
            symbol: "un carácter especial, como ! o ?"
        ),
        requirementsLead: "La contraseña debe tener:",
        unmetLead: "Esta contraseña no se puede usar. Le falta:",
        next: "Continuar",
        invalidLink: Message(
            title: "Este enlace ya no funciona",
            text: "Puede que haya caducado, que ya se haya usado o que lo sustituya otro más reciente. Solicita un enlace nuevo."
        ),
        incompleteLink: Message(
            title: "Este enlace está incompleto",
            text: "Vuelve a abrirlo desde el correo o cópialo entero."
        ),
        openInApp: Message(
            title: "Abre este enlace en la aplicación",
            text: "Ábrelo en el dispositivo y en la aplicación donde lo solicitaste."
        ),
        disabledAccount: Message(
            title: "Esta cuenta está inhabilitada",
            text: "Ponte en contacto con los responsables de la aplicación."
        ),
        addressTaken: Message(
            title: "Esta dirección ya está en uso",
            text: "Otra cuenta tiene ahora esta dirección de correo electrónico."
        ),
        notAvailable: Message(
            title: "Esta función no está disponible",
            text: "La aplicación no la ofrece en este momento."
        ),
        tooManyAttempts: Message(
            title: "Demasiados intentos",
            text: "Espera un rato y vuelve a intentarlo."
        ),
        foreignForm: Message(
            title: "Este formulario procede de otra página",
            text: "Vuelve a abrir el enlace de tu correo."
        ),
        failure: Message(
            title: "Algo ha salido mal",
            text: "Vuelve a intentarlo dentro de un momento. El enlace de tu correo sigue siendo válido."
        )
    )
}
