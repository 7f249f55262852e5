// Runs in the hidden frame inside an app's page: hands auth events of this origin on to the app.
(function () {
  'use strict';
  var query = new URLSearchParams(location.search);
  var apiKey = query.get('apiKey');
  var appName = query.get('appName');
  if (!apiKey || !appName) return;
  var storageKey = apiKey + ':' + appName;
  var slot = 'firebase:redirectEvent:' + storageKey;
  var parent = null;
  var waiting = [];

  // What comes before the SDK listens is lost, and without the first event it waits for ever: so on until there is an answer.
  function send(authEvent) {
    var triesLeft = 60;
    var timer = setInterval(attempt, 250);
    function attempt() {
      if (triesLeft-- === 0) { clearInterval(timer); return; }
      parent.send('authEvent', { type: 'authEvent', authEvent: authEvent }, function (answers) {
        var last = answers && answers[answers.length - 1];
        if (last && last.status) clearInterval(timer);
      }, gapi.iframes.CROSS_ORIGIN_IFRAMES_FILTER);
    }
    attempt();
  }

  function receive(message) {
    if (!message || message.eventType !== 'sendAuthEvent' || !message.data) return;
    if (message.data.storageKey !== storageKey || !message.data.authEvent) return;
    if (parent) send(message.data.authEvent); else waiting.push(message.data.authEvent);
  }

  // Browsers may forbid storage to frames of another site: then there is nothing stored for us either.
  function stored() {
    try {
      var text = sessionStorage.getItem(slot);
      sessionStorage.removeItem(slot);
      return text && JSON.parse(text);
    } catch (error) {
      return null;
    }
  }

  window.addEventListener('message', function (event) {
    if (event.origin === location.origin) receive(event.data);
  });
  try {
    new BroadcastChannel('firebase:authEvent:' + storageKey).onmessage = function (event) { receive(event.data); };
  } catch (error) {
    // The browser has none for this frame; the message above is the usual way.
  }

  function ready() {
    var context = gapi.iframes.getContext();
    parent = context.getParentIframe();
    // The SDK asks before it shows a popup, and a popup's result comes by message: no storage is needed for it.
    parent.register('webStorageSupport', function () {
      return { status: 'ACK', webStorageSupport: true };
    }, gapi.iframes.CROSS_ORIGIN_IFRAMES_FILTER);
    send(stored() || { type: 'unknown', error: { code: 'auth/no-auth-event', message: 'There is no pending sign-in.' } });
    waiting.splice(0).forEach(send);
  }

  if (window.gapi) gapi.load('gapi.iframes', { callback: ready, timeout: 10000, ontimeout: function () {} });
})();
