// Adds rows to a table as events happen, the latest first.

const mostRows = 200;

const make = (name, text, attributes = {}) => {
  const element = document.createElement(name);
  element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};

// Texts come from users and clients: they only ever become text.
const content = {
  foreign: (cell) => make('bdi', cell.text),
  code: (cell) => make('code', cell.text, { dir: 'ltr' }),
  time: (cell) => make('time', cell.text, { dir: 'ltr', datetime: cell.exact }),
  link: (cell) => {
    const link = make('a', '', { href: cell.path });
    link.append(make('bdi', cell.text));
    return link;
  },
  several: (cell) => {
    const all = make('div', '', { class: 'several' });
    for (const part of cell.cells) {
      const line = make('div', '');
      line.append(content[part.kind](part));
      all.append(line);
    }
    return all;
  },
  none: () => make('span', '–', { class: 'none' }),
};

const row = (cells) => {
  const line = document.createElement('tr');
  cells.forEach((cell, index) => {
    const box = index === 0 ? make('th', '', { scope: 'row' }) : make('td', '');
    box.append(content[cell.kind](cell));
    line.append(box);
  });
  return line;
};

const follow = (table) => {
  const { live, running, ended, pause, resume } = table.dataset;
  const status = make('span', '', { role: 'status' });
  const button = make('button', pause, { type: 'button', class: 'quiet' });
  const bar = make('p', '', { class: 'live' });
  bar.append(status, ' ', button);
  table.parentElement.before(bar);
  const address = new URL(live, location.href);
  let stream;

  const stop = (text) => {
    stream.close();
    stream = undefined;
    status.textContent = text;
    button.textContent = resume;
  };
  const start = () => {
    stream = new EventSource(address);
    button.textContent = pause;
    stream.addEventListener('open', () => { status.textContent = running; });
    stream.addEventListener('row', (event) => {
      const { id, cells } = JSON.parse(event.data);
      address.searchParams.set('after', id);
      table.parentElement.querySelector('.empty')?.remove();
      table.tBodies[0].prepend(row(cells));
      while (table.tBodies[0].rows.length > mostRows) table.tBodies[0].lastElementChild.remove();
    });
    stream.addEventListener('end', (event) => stop(JSON.parse(event.data).reason));
    // The browser would begin again with the address of the first time, and show rows twice.
    stream.addEventListener('error', () => stop(ended));
  };
  button.addEventListener('click', () => (stream ? stop(ended) : start()));
  // A page that is kept to go back to holds no stream.
  addEventListener('pagehide', () => stream && stop(ended));
  start();
};

for (const table of document.querySelectorAll('table[data-live]')) follow(table);
