// Sends a file in pieces before its form, and shows how far the server is with it.

const pieceSize = 1 << 20;

const make = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

// Sends the pieces one after the other; a piece that was lost is sent again.
const send = async (file, path, token, show) => {
  let [id, sent, tries] = ['', 0, 0];
  do {
    const address = new URL(path, location.href);
    if (id) address.searchParams.set('upload', id);
    address.searchParams.set('offset', sent);
    try {
      const answer = await fetch(address, {
        method: 'POST',
        redirect: 'error',
        headers: { 'X-Console-Form': token, 'Content-Type': 'application/octet-stream' },
        body: file.slice(sent, sent + pieceSize),
      });
      if (!answer.ok) throw new Error(answer.status);
      ({ upload: id, bytes: sent } = await answer.json());
      tries = 0;
    } catch (error) {
      tries += 1;
      if (!id || tries > 4) throw error;
      await new Promise((resolve) => { setTimeout(resolve, 1000 * tries); });
    }
    show(sent / file.size);
  } while (sent < file.size);
  return id;
};

// Reads objects, one a line, as they come.
const follow = async (answer, show) => {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    const lines = (text + (value ?? '')).split('\n');
    text = lines.pop();
    for (const line of lines) show(JSON.parse(line));
    if (done) return;
  }
};

for (const form of document.querySelectorAll('form[data-upload]')) {
  const { upload, uploadLabel, uploadSending, uploadFailed } = form.dataset;
  const input = make('input', { type: 'file', id: 'upload-file' });
  const label = make('label', { htmlFor: input.id, textContent: uploadLabel });
  form.querySelector('textarea').closest('.field').after(make('div', { className: 'field' }, label, input));
  const bar = make('progress', { max: 1, value: 0, hidden: true });
  bar.setAttribute('aria-label', uploadSending);
  const status = make('p');
  status.setAttribute('role', 'status');
  const items = make('ul');
  form.append(bar, status, items);

  const show = ({ share, text, items: lines = [], failed }) => {
    if (share !== undefined) bar.value = share;
    if (text !== undefined) status.textContent = text;
    if (failed && text === undefined) status.textContent = uploadFailed;
    items.replaceChildren(...lines.map((line) => make('li', {}, make('bdi', { textContent: line }))));
  };

  form.addEventListener('submit', async (event) => {
    const file = input.files[0];
    if (!file) return;
    event.preventDefault();
    const button = form.querySelector('button[type=submit]');
    button.disabled = true;
    bar.hidden = false;
    const fields = new URLSearchParams(new FormData(form));
    try {
      show({ share: 0, text: uploadSending });
      const id = await send(file, upload, fields.get('csrf'), (share) => show({ share }));
      show({ share: 0 });
      fields.delete('users');
      fields.set('upload', id);
      const answer = await fetch(form.action, { method: 'POST', body: fields });
      if (answer.headers.get('Content-Type') === 'application/x-ndjson') {
        await follow(answer, show);
      } else if (answer.redirected) {
        // The proof of a factor is asked for on a page of its own.
        location.assign(answer.url);
      } else {
        const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
        show({ failed: true, items: [...page.querySelectorAll('main .notice')].map((notice) => notice.textContent) });
      }
    } catch {
      show({ failed: true });
    } finally {
      button.disabled = false;
    }
  });
}
