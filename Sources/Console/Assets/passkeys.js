// Passkeys: a form whose button has `data-passkey` is sent with the browser's answer in its field `response`. The form's
// `data-options` are the options of the ceremony in JSON, with bytes in base64url (WebAuthn Level 3 §5.1.8, §5.1.9).

const bytes = (text) => {
  const padded = text.replaceAll('-', '+').replaceAll('_', '/');
  return Uint8Array.from(atob(padded), (character) => character.charCodeAt(0));
};

const text = (buffer) => {
  if (!buffer) return undefined;
  let binary = '';
  for (const byte of new Uint8Array(buffer)) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
};

const descriptors = (list) => (list ?? []).map((item) => ({ ...item, id: bytes(item.id) }));

const publicKey = (options) => {
  const key = { ...options, challenge: bytes(options.challenge) };
  if (options.user) key.user = { ...options.user, id: bytes(options.user.id) };
  if (options.excludeCredentials) key.excludeCredentials = descriptors(options.excludeCredentials);
  if (options.allowCredentials) key.allowCredentials = descriptors(options.allowCredentials);
  return key;
};

const answer = (credential) => {
  const given = credential.response;
  return JSON.stringify({
    id: credential.id,
    rawId: text(credential.rawId),
    type: credential.type,
    authenticatorAttachment: credential.authenticatorAttachment ?? undefined,
    clientExtensionResults: credential.getClientExtensionResults(),
    response: {
      clientDataJSON: text(given.clientDataJSON),
      attestationObject: text(given.attestationObject),
      transports: given.getTransports?.(),
      authenticatorData: text(given.attestationObject ? undefined : given.authenticatorData),
      signature: text(given.signature),
      userHandle: text(given.userHandle),
    },
  });
};

const run = async (form, button) => {
  const problem = form.querySelector('[data-problem]');
  const tell = (message) => {
    problem.textContent = message ?? '';
    if (message) button.focus();
  };
  tell();
  if (!window.PublicKeyCredential) return tell(form.dataset.unsupported);
  button.disabled = true;
  try {
    const options = { publicKey: publicKey(JSON.parse(form.dataset.options)) };
    const credential = await navigator.credentials[button.dataset.passkey](options);
    form.elements.namedItem('response').value = answer(credential);
    HTMLFormElement.prototype.submit.call(form);
  } catch (error) {
    button.disabled = false;
    const isCancelled = error.name === 'NotAllowedError' || error.name === 'AbortError';
    tell(isCancelled ? form.dataset.cancelled : form.dataset.failed);
  }
};

for (const button of document.querySelectorAll('[data-passkey="create"], [data-passkey="get"]')) {
  button.form?.addEventListener('submit', (event) => {
    if (event.submitter && event.submitter !== button) return;
    event.preventDefault();
    run(button.form, button);
  });
}
