extension PageTexts {
    static let chinese = PageTexts(
        direction: "ltr",
        resetPassword: Action(
            title: "设置新密码",
            lead: { "请为 \($0) 设置新密码。" },
            button: "保存密码",
            done: { _ in "您的密码已更改，现在可以使用新密码登录。" }
        ),
        verifyEmail: Action(
            title: "验证电子邮件地址",
            lead: { "请确认 \($0) 是您的电子邮件地址。" },
            button: "确认地址",
            done: { "\($0) 已通过验证。" }
        ),
        changeEmail: Action(
            title: "验证新电子邮件地址",
            lead: { "请确认将 \($0) 设为您账号的新电子邮件地址。" },
            button: "确认新地址",
            done: { "您账号的电子邮件地址现在是 \($0)。" }
        ),
        recoverEmail: Action(
            title: "恢复电子邮件地址",
            lead: { "您账号的电子邮件地址已被更改。您可以将其恢复为 \($0)。" },
            button: "恢复地址",
            done: { "您账号的电子邮件地址已恢复为 \($0)。" }
        ),
        secureAccount: Action(
            title: "保护您的账号",
            lead: { "您的账号 \($0) 已更改。如果这不是您本人的操作，您可以结束所有会话并移除最近添加的内容。" },
            button: "保护账号",
            done: { "您的账号 \($0) 的所有会话已结束，最近添加的内容已移除。" }
        ),
        removeSecondFactor: Action(
            title: "移除第二步登录验证",
            lead: { "您的账号（\($0)）添加了第二步登录验证。如果这不是您本人的操作，请将其移除。" },
            button: "移除第二步验证",
            done: { _ in "第二步登录验证已移除。" }
        ),
        signIn: Message(
            title: "登录",
            text: "请在应用中继续完成登录。"
        ),
        offerReset: Action(
            title: "设置新密码",
            lead: { "如果是他人更改了您的地址，对方可能也知道您的密码。我们可以向 \($0) 发送设置新密码的链接。" },
            button: "发送链接",
            done: { "如果存在使用 \($0) 的账号，链接已发送到该地址。" }
        ),
        removedLead: "以下内容是在您的地址上次确认之后添加的，也已移除：",
        passkeys: "通行密钥",
        phoneNumber: "电话号码",
        newPassword: "新密码",
        requirements: Requirements(
            minimumLength: { "至少 \($0) 个字符" },
            maximumLength: { "最多 \($0) 个字符" },
            lowercase: "一个小写字母（a–z）",
            uppercase: "一个大写字母（A–Z）",
            digit: "一个数字（0–9）",
            symbol: "一个特殊字符，例如 ! 或 ?"
        ),
        requirementsLead: "密码必须包含：",
        unmetLead: "此密码无法使用，还缺少：",
        next: "继续",
        invalidLink: Message(
            title: "此链接已失效",
            text: "链接可能已过期、已使用，或已被更新的链接取代。请重新申请链接。"
        ),
        incompleteLink: Message(
            title: "此链接不完整",
            text: "请从邮件中重新打开，或复制完整的链接。"
        ),
        openInApp: Message(
            title: "请在应用中打开此链接",
            text: "请在您申请链接时所用的设备和应用中打开。"
        ),
        disabledAccount: Message(
            title: "此账号已停用",
            text: "请联系应用的运营方。"
        ),
        addressTaken: Message(
            title: "此地址已被使用",
            text: "该电子邮件地址现在属于另一个账号。"
        ),
        notAvailable: Message(
            title: "此功能不可用",
            text: "该应用目前不提供此功能。"
        ),
        tooManyAttempts: Message(
            title: "尝试次数过多",
            text: "请稍候再试。"
        ),
        foreignForm: Message(
            title: "此表单来自其他页面",
            text: "请重新打开邮件中的链接。"
        ),
        failure: Message(
            title: "出现问题",
            text: "请稍后重试，邮件中的链接仍然有效。"
        )
    )
}
