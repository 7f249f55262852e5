// Runs on the pages of /__/auth/handler. Whatever a page is to do stands in its element #data.
(function () {
  'use strict';
  var element = document.getElementById('data');
  var data = element ? JSON.parse(element.textContent) : {};

  function say(text) {
    var status = document.getElementById('status');
    if (status && text) status.textContent = text;
  }

  function storageKey() { return data.apiKey + ':' + data.appName; }

  // The app's page has a frame of ours in it; frames of other origins cannot be looked into.
  function relay() {
    var frames;
    try { frames = window.opener ? window.opener.frames : []; } catch (error) { return null; }
    for (var index = 0; index < frames.length; index++) {
      try {
        var frame = frames[index];
        var query = new URLSearchParams(frame.location.search);
        if (frame.location.origin === location.origin && query.get('apiKey') === data.apiKey &&
            query.get('appName') === data.appName) return frame;
      } catch (error) {
        continue;
      }
    }
    return null;
  }

  function deliverToOpener() {
    var message = {
      data: { authEvent: data.event, storageKey: storageKey() },
      eventId: String(Math.floor(Math.random() * 1e10)),
      eventType: 'sendAuthEvent'
    };
    var frame = relay();
    if (frame) {
      frame.postMessage(message, location.origin);
    } else if (window.BroadcastChannel) {
      // Some provider's page cut the tie to the opener: the frame listens here, too, where the browser lets it.
      var channel = new BroadcastChannel('firebase:authEvent:' + storageKey());
      channel.postMessage(message);
      channel.close();
      if (!window.opener) return;
      say(data.lost);
    } else {
      say(data.lost);
    }
  }

  function deliverByRedirect() {
    try {
      sessionStorage.setItem('firebase:redirectEvent:' + storageKey(), JSON.stringify(data.event));
    } catch (error) {
      say(data.lost);
      return;
    }
    location.replace(data.redirectUrl);
  }

  function post(pairs) {
    var form = document.createElement('form');
    form.method = 'post';
    form.action = location.pathname;
    pairs.forEach(function (pair) {
      var field = document.createElement('input');
      field.type = 'hidden';
      field.name = pair[0];
      field.value = pair[1];
      form.appendChild(field);
    });
    document.body.appendChild(form);
    // A field of the answer's may be named submit.
    HTMLFormElement.prototype.submit.call(form);
  }

  // An answer in the fragment never reached the server: it is posted, as other providers do it themselves.
  function postFragment() {
    var query = new URLSearchParams(location.hash.slice(1));
    if (!query.get('state')) return;
    history.replaceState(null, '', location.pathname);
    var pairs = [];
    query.forEach(function (value, name) { pairs.push([name, value]); });
    post(pairs);
  }

  window.posternVerified = function () { document.querySelector('form').submit(); };

  var back = document.getElementById('back');
  if (back && history.length > 1) {
    back.hidden = false;
    back.addEventListener('click', function () { history.back(); });
  }
  switch (data.kind) {
    case 'popup': deliverToOpener(); break;
    case 'redirect': deliverByRedirect(); break;
    case 'app': location.replace(document.getElementById('open').href); break;
    case 'fragment': postFragment(); break;
    // The request of this sign-in goes to its provider.
    case 'submit': HTMLFormElement.prototype.submit.call(document.querySelector('form')); break;
    // Another site's post may come without our cookie; posted from here it has it.
    case 'again': post(data.fields); break;
  }
})();
