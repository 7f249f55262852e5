/// What an e-mail with a one-time code is made of.
struct OOBMail: Sendable {
    let codes: OOBCodeMint
    let links: OOBLink
    let mailer: OOBMailer
}
