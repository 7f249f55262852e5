// Goes on with work that is done step by step, until it is done or the operator stops it.

const form = document.querySelector('form[data-continue]');
if (form) {
  const stop = document.createElement('button');
  stop.type = 'button';
  stop.className = 'quiet';
  stop.textContent = form.dataset.continue;
  form.querySelector('.buttons').append(stop);
  const timer = setTimeout(() => form.requestSubmit(), 500);
  stop.addEventListener('click', () => {
    clearTimeout(timer);
    stop.remove();
  });
}
