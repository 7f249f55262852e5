extension HandlerTexts {
    static let english = HandlerTexts(
        close: .init(
            title: "Back to the app",
            text: "You may close this window if it does not close by itself."
        ),
        open: .init(
            title: "Back to the app",
            text: "Continue in the app."
        ),
        openButton: "Open the app",
        verify: .init(
            title: "One more step",
            text: "Please confirm that you asked for a code by text message."
        ),
        verifyButton: "Continue",
        over: .init(
            title: "This sign-in is over",
            text: "It took too long, was finished already, or began in another browser. Go back to the app and sign in again."
        ),
        incomplete: .init(
            title: "Sign-in cannot begin",
            text: "The app did not say everything that is needed. Go back to the app and try again."
        ),
        foreignPage: .init(
            title: "This page may not sign you in",
            text: "Its address is not among those that the app allows. Go back, and tell those who run the app."
        ),
        lost: "The app’s window could not be reached. Go back to the app and sign in again.",
        needsScript: "Please allow scripts for this page, and load it again.",
        back: "Go back",
        mayClose: "You may close this window."
    )

    static let french = HandlerTexts(
        close: .init(
            title: "Retour à l’application",
            text: "Vous pouvez fermer cette fenêtre si elle ne se ferme pas d’elle-même."
        ),
        open: .init(
            title: "Retour à l’application",
            text: "Continuez dans l’application."
        ),
        openButton: "Ouvrir l’application",
        verify: .init(
            title: "Encore une étape",
            text: "Veuillez confirmer que vous avez demandé un code par SMS."
        ),
        verifyButton: "Continuer",
        over: .init(
            title: "Cette connexion est terminée",
            text:
                "Elle a pris trop de temps, est déjà achevée ou a commencé dans un autre navigateur. Revenez à l’application et connectez-vous de nouveau."
        ),
        incomplete: .init(
            title: "La connexion ne peut pas commencer",
            text: "L’application n’a pas transmis tout ce qui est nécessaire. Revenez à l’application et réessayez."
        ),
        foreignPage: .init(
            title: "Cette page ne peut pas vous connecter",
            text:
                "Son adresse ne fait pas partie de celles que l’application autorise. Revenez en arrière et prévenez les responsables de l’application."
        ),
        lost: "La fenêtre de l’application est introuvable. Revenez à l’application et connectez-vous de nouveau.",
        needsScript: "Veuillez autoriser les scripts pour cette page, puis rechargez-la.",
        back: "Retour",
        mayClose: "Vous pouvez fermer cette fenêtre."
    )

    static let spanish = HandlerTexts(
        close: .init(
            title: "Volver a la aplicación",
            text: "Puede cerrar esta ventana si no se cierra sola."
        ),
        open: .init(
            title: "Volver a la aplicación",
            text: "Continúe en la aplicación."
        ),
        openButton: "Abrir la aplicación",
        verify: .init(
            title: "Un paso más",
            text: "Confirme que ha pedido un código por mensaje de texto."
        ),
        verifyButton: "Continuar",
        over: .init(
            title: "Este inicio de sesión ha terminado",
            text: "Tardó demasiado, ya se completó o empezó en otro navegador. Vuelva a la aplicación e inicie sesión de nuevo."
        ),
        incomplete: .init(
            title: "No se puede iniciar sesión",
            text: "La aplicación no indicó todo lo necesario. Vuelva a la aplicación e inténtelo de nuevo."
        ),
        foreignPage: .init(
            title: "Esta página no puede iniciar su sesión",
            text:
                "Su dirección no está entre las que permite la aplicación. Vuelva atrás y avise a los responsables de la aplicación."
        ),
        lost: "No se encontró la ventana de la aplicación. Vuelva a la aplicación e inicie sesión de nuevo.",
        needsScript: "Permita los scripts en esta página y vuelva a cargarla.",
        back: "Volver",
        mayClose: "Puede cerrar esta ventana."
    )

    static let german = HandlerTexts(
        close: .init(
            title: "Zurück zur App",
            text: "Sie können dieses Fenster schließen, falls es sich nicht von selbst schließt."
        ),
        open: .init(
            title: "Zurück zur App",
            text: "Machen Sie in der App weiter."
        ),
        openButton: "App öffnen",
        verify: .init(
            title: "Noch ein Schritt",
            text: "Bitte bestätigen Sie, dass Sie einen Code per SMS angefordert haben."
        ),
        verifyButton: "Weiter",
        over: .init(
            title: "Diese Anmeldung ist vorbei",
            text:
                "Sie hat zu lange gedauert, ist schon abgeschlossen oder begann in einem anderen Browser. Gehen Sie zurück zur App und melden Sie sich neu an."
        ),
        incomplete: .init(
            title: "Die Anmeldung kann nicht beginnen",
            text: "Die App hat nicht alles Nötige angegeben. Gehen Sie zurück zur App und versuchen Sie es noch einmal."
        ),
        foreignPage: .init(
            title: "Diese Seite darf Sie nicht anmelden",
            text:
                "Ihre Adresse gehört nicht zu denen, die die App erlaubt. Gehen Sie zurück und sagen Sie den Betreibern der App Bescheid."
        ),
        lost: "Das Fenster der App war nicht zu erreichen. Gehen Sie zurück zur App und melden Sie sich neu an.",
        needsScript: "Bitte erlauben Sie Skripte für diese Seite und laden Sie sie neu.",
        back: "Zurück",
        mayClose: "Sie können dieses Fenster schließen."
    )

    static let japanese = HandlerTexts(
        close: .init(
            title: "アプリに戻る",
            text: "自動的に閉じない場合は、このウィンドウを閉じてください。"
        ),
        open: .init(
            title: "アプリに戻る",
            text: "アプリで続けてください。"
        ),
        openButton: "アプリを開く",
        verify: .init(
            title: "あと一歩です",
            text: "テキストメッセージでコードを請求したことを確認してください。"
        ),
        verifyButton: "続ける",
        over: .init(
            title: "このログインは終了しました",
            text: "時間がかかりすぎたか、すでに完了しているか、別のブラウザで開始されました。アプリに戻ってもう一度ログインしてください。"
        ),
        incomplete: .init(
            title: "ログインを開始できません",
            text: "アプリから必要な情報が渡されませんでした。アプリに戻ってもう一度お試しください。"
        ),
        foreignPage: .init(
            title: "このページからはログインできません",
            text: "このページのアドレスはアプリで許可されていません。前に戻り、アプリの運営者に知らせてください。"
        ),
        lost: "アプリのウィンドウが見つかりませんでした。アプリに戻ってもう一度ログインしてください。",
        needsScript: "このページでスクリプトを許可し、再読み込みしてください。",
        back: "戻る",
        mayClose: "このウィンドウは閉じてかまいません。"
    )

    static let chinese = HandlerTexts(
        close: .init(
            title: "返回应用",
            text: "如果此窗口没有自动关闭，您可以关闭它。"
        ),
        open: .init(
            title: "返回应用",
            text: "请在应用中继续。"
        ),
        openButton: "打开应用",
        verify: .init(
            title: "还差一步",
            text: "请确认是您请求了短信验证码。"
        ),
        verifyButton: "继续",
        over: .init(
            title: "此次登录已结束",
            text: "可能已超时、已完成，或是在其他浏览器中开始的。请返回应用重新登录。"
        ),
        incomplete: .init(
            title: "无法开始登录",
            text: "应用没有提供所需的全部信息。请返回应用重试。"
        ),
        foreignPage: .init(
            title: "此页面不能为您登录",
            text: "其地址不在应用允许的范围内。请返回，并告知应用的运营者。"
        ),
        lost: "找不到应用的窗口。请返回应用重新登录。",
        needsScript: "请允许此页面运行脚本，然后重新加载。",
        back: "返回",
        mayClose: "您可以关闭此窗口。"
    )

    static let arabic = HandlerTexts(
        close: .init(
            title: "العودة إلى التطبيق",
            text: "يمكنك إغلاق هذه النافذة إذا لم تُغلق من تلقاء نفسها."
        ),
        open: .init(
            title: "العودة إلى التطبيق",
            text: "تابع في التطبيق."
        ),
        openButton: "فتح التطبيق",
        verify: .init(
            title: "خطوة أخيرة",
            text: "يُرجى تأكيد أنك طلبت رمزًا برسالة نصية."
        ),
        verifyButton: "متابعة",
        over: .init(
            title: "انتهى تسجيل الدخول هذا",
            text: "استغرق وقتًا طويلًا أو اكتمل من قبل أو بدأ في متصفح آخر. عُد إلى التطبيق وسجّل الدخول مرة أخرى."
        ),
        incomplete: .init(
            title: "لا يمكن بدء تسجيل الدخول",
            text: "لم يرسل التطبيق كل ما يلزم. عُد إلى التطبيق وحاول مرة أخرى."
        ),
        foreignPage: .init(
            title: "لا يجوز لهذه الصفحة تسجيل دخولك",
            text: "عنوانها ليس من العناوين التي يسمح بها التطبيق. عُد وأخبر القائمين على التطبيق."
        ),
        lost: "تعذّر الوصول إلى نافذة التطبيق. عُد إلى التطبيق وسجّل الدخول مرة أخرى.",
        needsScript: "يُرجى السماح بالنصوص البرمجية في هذه الصفحة ثم إعادة تحميلها.",
        back: "رجوع",
        mayClose: "يمكنك إغلاق هذه النافذة."
    )

    static let bengali = HandlerTexts(
        close: .init(
            title: "অ্যাপে ফিরে যান",
            text: "উইন্ডোটি নিজে থেকে বন্ধ না হলে আপনি এটি বন্ধ করতে পারেন।"
        ),
        open: .init(
            title: "অ্যাপে ফিরে যান",
            text: "অ্যাপে চালিয়ে যান।"
        ),
        openButton: "অ্যাপ খুলুন",
        verify: .init(
            title: "আর একটি ধাপ",
            text: "অনুগ্রহ করে নিশ্চিত করুন যে আপনি টেক্সট মেসেজে একটি কোড চেয়েছেন।"
        ),
        verifyButton: "চালিয়ে যান",
        over: .init(
            title: "এই সাইন-ইন শেষ হয়ে গেছে",
            text: "এতে অনেক সময় লেগেছে, এটি আগেই সম্পন্ন হয়েছে, অথবা অন্য ব্রাউজারে শুরু হয়েছিল। অ্যাপে ফিরে গিয়ে আবার সাইন ইন করুন।"
        ),
        incomplete: .init(
            title: "সাইন-ইন শুরু করা যাচ্ছে না",
            text: "অ্যাপ প্রয়োজনীয় সব তথ্য দেয়নি। অ্যাপে ফিরে গিয়ে আবার চেষ্টা করুন।"
        ),
        foreignPage: .init(
            title: "এই পৃষ্ঠা আপনাকে সাইন ইন করাতে পারে না",
            text: "এর ঠিকানা অ্যাপের অনুমোদিত ঠিকানাগুলোর মধ্যে নেই। ফিরে যান এবং অ্যাপের পরিচালকদের জানান।"
        ),
        lost: "অ্যাপের উইন্ডো পাওয়া যায়নি। অ্যাপে ফিরে গিয়ে আবার সাইন ইন করুন।",
        needsScript: "অনুগ্রহ করে এই পৃষ্ঠায় স্ক্রিপ্ট চালানোর অনুমতি দিন এবং পৃষ্ঠাটি আবার লোড করুন।",
        back: "ফিরে যান",
        mayClose: "আপনি এই উইন্ডোটি বন্ধ করতে পারেন।"
    )
}
