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

  function storage() {
    try {
      sessionStorage.setItem('postern:probe', '1');
      sessionStorage.removeItem('postern:probe');
      return sessionStorage;
    } catch (error) {
      return null;
    }
  }

  function send(authEvent) {
    parent.send('authEvent', { type: 'authEvent', authEvent: authEvent }, function () {},
      gapi.iframes.CROSS_ORIGIN_IFRAMES_FILTER);
  }

  function receive(message) {
    if (!message || message.eventType !== 'sendAuthEvent' || !message.data) return;
    if (message.data.storageKey !== storageKey || !message.data.authEvent) return;
    if (parent) send(message.data.authEvent); else waiting.push(message.data.authEvent);
  }

  function stored() {
    var store = storage();
    if (!store) return null;
    var text = store.getItem(slot);
    store.removeItem(slot);
    try { return text && JSON.parse(text); } catch (error) { return null; }
  }

  window.addEventListener('message', function (event) {
    if (event.origin === location.origin) receive(event.data);
  });
  if (window.BroadcastChannel) {
    new BroadcastChannel('firebase:authEvent:' + storageKey).onmessage = function (event) { receive(event.data); };
  }

  function ready() {
    var context = gapi.iframes.getContext();
    parent = context.getParentIframe();
    parent.register('webStorageSupport', function () {
      return { status: 'ACK', webStorageSupport: !!storage() };
    }, gapi.iframes.CROSS_ORIGIN_IFRAMES_FILTER);
    send(stored() || { type: 'unknown', error: { code: 'auth/no-auth-event', message: 'There is no pending sign-in.' } });
    waiting.splice(0).forEach(send);
  }

  if (window.gapi) gapi.load('gapi.iframes', { callback: ready, timeout: 10000, ontimeout: function () {} });
})();
