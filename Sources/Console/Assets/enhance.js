// What pages do better with scripts; all of it works without them too.

const texts = document.body.dataset;

const element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

// Dangerous buttons ask first. The answer goes to the server in a field, which otherwise asks on a page of its own.
const ask = (question, label) =>
  new Promise((resolve) => {
    const title = element('h2', { id: 'confirm-title', textContent: texts.confirmTitle });
    const text = element('p', { id: 'confirm-text', textContent: question });
    const cancel = element('button', { className: 'quiet', textContent: texts.confirmCancel, autofocus: true });
    const agree = element('button', { className: 'danger', textContent: label || texts.confirmContinue });
    const form = element('form', {}, title, text, element('div', { className: 'buttons' }, cancel, agree));
    const dialog = element('dialog', {}, form);
    dialog.setAttribute('aria-labelledby', title.id);
    dialog.setAttribute('aria-describedby', text.id);
    const end = (answer) => {
      dialog.remove();
      resolve(answer);
    };
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      end(event.submitter === agree);
    });
    dialog.addEventListener('close', () => end(false));
    document.body.append(dialog);
    dialog.showModal();
  });

const confirmed = new WeakSet();

document.addEventListener('submit', async (event) => {
  const { target: form, submitter } = event;
  if (!submitter?.dataset.confirm || form.elements.namedItem('confirmed')) return;
  if (confirmed.delete(form)) return;
  event.preventDefault();
  if (await ask(submitter.dataset.confirm, submitter.textContent)) {
    const mark = (sent) => sent.formData.set('confirmed', 'yes');
    confirmed.add(form);
    form.addEventListener('formdata', mark);
    form.requestSubmit(submitter);
    // A field that the browser refuses ends the sending before either of the two is used.
    form.removeEventListener('formdata', mark);
    confirmed.delete(form);
  } else {
    submitter.focus();
  }
});

for (const figure of document.querySelectorAll('figure[data-copy]')) {
  const button = element('button', { type: 'button', className: 'quiet copy', textContent: texts.copy });
  const status = element('span', { className: 'heard' });
  status.setAttribute('role', 'status');
  const label = figure.querySelector('figcaption');
  button.setAttribute('aria-describedby', label.id);
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(figure.querySelector('code').textContent);
      button.textContent = texts.copied;
      status.textContent = texts.copied;
      setTimeout(() => {
        button.textContent = texts.copy;
        status.textContent = '';
      }, 2000);
    } catch {
      getSelection().selectAllChildren(figure.querySelector('code'));
    }
  });
  label.after(button, status);
}

for (const table of document.querySelectorAll('table[data-selection]')) {
  const boxes = [...table.querySelectorAll('tbody .select input')];
  const all = element('input', { type: 'checkbox' });
  all.setAttribute('aria-label', texts.selectAll);
  const show = () => {
    const count = boxes.filter((box) => box.checked).length;
    all.checked = count === boxes.length;
    all.indeterminate = count > 0 && count < boxes.length;
  };
  all.addEventListener('change', () => {
    for (const box of boxes) box.checked = all.checked;
  });
  table.addEventListener('change', (event) => event.target !== all && show());
  table.querySelector('thead .select').append(all);
  show();
}

// Times: a tooltip says how long ago, and the text stays exact.
const units = [['year', 31557600], ['month', 2629800], ['day', 86400], ['hour', 3600], ['minute', 60], ['second', 1]];
const relative = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: 'auto' });

for (const time of document.querySelectorAll('time[datetime]')) {
  const seconds = (Date.parse(time.dateTime) - Date.now()) / 1000;
  if (!Number.isFinite(seconds)) continue;
  const [unit, length] = units.find(([, size]) => Math.abs(seconds) >= size) ?? units.at(-1);
  time.title = `${relative.format(Math.round(seconds / length), unit)} (${time.dateTime})`;
}

// The operator's menu closes by Escape and by a click elsewhere.
const menu = document.querySelector('details.operator');
if (menu) {
  menu.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !menu.open) return;
    menu.open = false;
    menu.querySelector('summary').focus();
  });
  document.addEventListener('click', (event) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
}
