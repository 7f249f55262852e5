extension PageTexts {
    static let japanese = PageTexts(
        direction: "ltr",
        resetPassword: Action(
            title: "新しいパスワードの設定",
            lead: { "\($0) の新しいパスワードを設定してください。" },
            button: "パスワードを保存する",
            done: { _ in "パスワードを変更しました。新しいパスワードでログインできます。" }
        ),
        verifyEmail: Action(
            title: "メールアドレスの確認",
            lead: { "\($0) がご自身のメールアドレスであることをご確認ください。" },
            button: "アドレスを確認する",
            done: { "\($0) を確認しました。" }
        ),
        changeEmail: Action(
            title: "新しいメールアドレスの確認",
            lead: { "\($0) をアカウントの新しいメールアドレスにすることをご確認ください。" },
            button: "新しいアドレスを確認する",
            done: { "アカウントのメールアドレスは \($0) になりました。" }
        ),
        recoverEmail: Action(
            title: "メールアドレスの復元",
            lead: { "アカウントのメールアドレスが変更されました。\($0) に戻すことができます。" },
            button: "アドレスを元に戻す",
            done: { "アカウントのメールアドレスを \($0) に戻しました。" }
        ),
        secureAccount: Action(
            title: "アカウントを保護する",
            lead: { "アカウント \($0) が変更されました。お心当たりがない場合は、すべてのセッションを終了し、最近追加されたものを削除できます。" },
            button: "アカウントを保護する",
            done: { "アカウント \($0) のすべてのセッションを終了し、最近追加されたものを削除しました。" }
        ),
        removeSecondFactor: Action(
            title: "2 段階目の認証の削除",
            lead: { "アカウント（\($0)）に 2 段階目の認証が追加されました。お心当たりがない場合は削除してください。" },
            button: "2 段階目の認証を削除する",
            done: { _ in "2 段階目の認証を削除しました。" }
        ),
        signIn: Message(
            title: "ログイン",
            text: "アプリでログインの続きを行ってください。"
        ),
        offerReset: Action(
            title: "新しいパスワードの設定",
            lead: { "他の人がアドレスを変更した場合、パスワードも知られている可能性があります。新しいパスワードを設定するためのリンクを \($0) に送信できます。" },
            button: "リンクを送信する",
            done: { "\($0) のアカウントが存在する場合は、リンクをお送りしました。" }
        ),
        removedLead: "前回のアドレス確認より後に追加されたため、次のものも削除されました：",
        passkeys: "パスキー",
        phoneNumber: "電話番号",
        newPassword: "新しいパスワード",
        requirements: Requirements(
            minimumLength: { "\($0) 文字以上" },
            maximumLength: { "\($0) 文字以下" },
            lowercase: "英小文字（a～z）",
            uppercase: "英大文字（A～Z）",
            digit: "数字（0～9）",
            symbol: "記号（! や ? など）"
        ),
        requirementsLead: "パスワードの条件：",
        unmetLead: "このパスワードは使用できません。次の条件を満たしていません：",
        next: "続ける",
        invalidLink: Message(
            title: "このリンクは無効です",
            text: "有効期限が切れたか、すでに使用されたか、新しいリンクに置き換えられています。もう一度リンクをリクエストしてください。"
        ),
        incompleteLink: Message(
            title: "リンクが正しくありません",
            text: "メールからもう一度開くか、リンク全体をコピーしてください。"
        ),
        openInApp: Message(
            title: "アプリでこのリンクを開いてください",
            text: "リンクをリクエストした端末とアプリで開いてください。"
        ),
        disabledAccount: Message(
            title: "このアカウントは無効になっています",
            text: "アプリの運営者にお問い合わせください。"
        ),
        addressTaken: Message(
            title: "このアドレスは使用されています",
            text: "すでに別のアカウントがこのメールアドレスを使用しています。"
        ),
        notAvailable: Message(
            title: "この機能は利用できません",
            text: "現在、このアプリでは提供されていません。"
        ),
        tooManyAttempts: Message(
            title: "試行回数が多すぎます",
            text: "しばらく待ってから、もう一度お試しください。"
        ),
        foreignForm: Message(
            title: "別のページから送信されたフォームです",
            text: "メールのリンクをもう一度開いてください。"
        ),
        failure: Message(
            title: "問題が発生しました",
            text: "しばらくしてからもう一度お試しください。メールのリンクは引き続き有効です。"
        )
    )
}
