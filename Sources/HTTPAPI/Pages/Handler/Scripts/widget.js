// The account picker of development mode. The JS SDK's own browser tests drive it by these names.
'use strict';
var query = new URLSearchParams(location.search);
var apiKey = query.get('apiKey');
var appName = query.get('appName');
var providerId = query.get('providerId');
var storageKey = apiKey + ':' + appName;
var email = document.getElementById('email-input');

function fail(text) {
  var box = document.getElementById('page-error');
  box.querySelector('p').textContent = text;
  box.hidden = false;
}

function toggleForm() {
  var form = document.getElementById('main-form');
  var accounts = document.getElementById('accounts');
  form.hidden = !form.hidden;
  accounts.hidden = !form.hidden;
  if (!form.hidden) email.focus();
}

function digits(count) {
  return Array.from(crypto.getRandomValues(new Uint8Array(count)), function (byte) { return byte % 10; }).join('');
}

function finish(claims) {
  var page = location.href.split(/[?#]/)[0];
  var urlResponse = page + '?providerId=' + encodeURIComponent(providerId) +
    '&id_token=' + encodeURIComponent(JSON.stringify(claims));
  if (providerId.indexOf('saml.') === 0) {
    urlResponse += '&SAMLResponse=' +
      encodeURIComponent(JSON.stringify({ assertion: { subject: { nameId: claims.email } } }));
  }
  var authType = query.get('authType');
  var authEvent = {
    type: authType,
    eventId: query.get('eventId'),
    urlResponse: urlResponse,
    sessionId: 'ValueNotUsedByAuthEmulator',
    postBody: '',
    tenantId: query.get('tid'),
    error: null
  };
  if (/popup/i.test(authType)) deliverToOpener(authEvent);
  else if (query.get('apn')) openAndroid(authEvent);
  else if (query.get('ibi')) openIOS(authEvent);
  else if (query.get('redirectUrl')) {
    var target;
    try { target = new URL(query.get('redirectUrl')); } catch (error) { target = null; }
    if (!target || (target.protocol !== 'http:' && target.protocol !== 'https:')) {
      fail('The redirectUrl is not a web address.');
      return;
    }
    sessionStorage.setItem('firebase:redirectEvent:' + storageKey, JSON.stringify(authEvent));
    location.href = target.href;
  } else fail('There is nowhere to take the result: the address names neither an app nor a redirectUrl.');
}

function deliverToOpener(authEvent) {
  var found = false;
  var frames = window.opener ? window.opener.frames : [];
  for (var index = 0; index < frames.length; index++) {
    try {
      var search = new URLSearchParams(frames[index].location.search);
      if (search.get('apiKey') === apiKey && search.get('appName') === appName) {
        frames[index].postMessage({
          data: { authEvent: authEvent, storageKey: storageKey },
          eventId: digits(10),
          eventType: 'sendAuthEvent'
        }, location.origin);
        found = true;
      }
    } catch (error) {
      continue;
    }
  }
  if (!found) fail('No matching frame');
}

function openAndroid(authEvent) {
  var apn = query.get('apn');
  if (!/^[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)+$/.test(apn)) { fail('apn is no package name.'); return; }
  var intent = 'intent://firebase.auth/#Intent;scheme=genericidp;package=' + apn +
    ';S.authType=' + encodeURIComponent(authEvent.type) + ';';
  if (authEvent.eventId) intent += 'S.eventId=' + encodeURIComponent(authEvent.eventId) + ';';
  intent += 'S.link=' + encodeURIComponent(authEvent.urlResponse) + ';B.encryptionEnabled=false;' +
    'S.browser_fallback_url=' + encodeURIComponent(location.href + '&error=App+not+found+for+intent') + ';end;';
  location.replace(intent);
}

function openIOS(authEvent) {
  var inner = location.origin + '/__/auth/callback?authType=' + encodeURIComponent(authEvent.type) +
    '&link=' + encodeURIComponent(authEvent.urlResponse);
  if (authEvent.eventId) inner += '&eventId=' + encodeURIComponent(authEvent.eventId);
  var clientId = query.get('clientId');
  var appId = query.get('appId');
  var scheme = clientId ? clientId.split('.').reverse().join('.')
    : appId ? 'app-' + appId.replace(/:/g, '-') : query.get('ibi');
  if (!/^[a-z][a-z0-9-]*([.-][a-z0-9-]+)+$/i.test(scheme)) { fail('The app has no usable URL scheme.'); return; }
  location.replace(scheme + '://' + (clientId || appId ? 'firebaseauth' : 'google') + '/link?deep_link_id=' +
    encodeURIComponent(inner));
}

function validate() {
  var isGood = email.value.indexOf('@') >= 0;
  document.getElementById('sign-in').disabled = !isGood;
  document.getElementById('email-error').textContent = isGood || !email.value ? '' : 'An address has an @ in it.';
}

document.querySelectorAll('.js-reuse-account').forEach(function (entry) {
  entry.addEventListener('click', function () {
    finish(JSON.parse(decodeURIComponent(entry.getAttribute('data-id-token'))));
  });
});
document.querySelector('.js-new-account').addEventListener('click', toggleForm);
document.getElementById('back-button').addEventListener('click', toggleForm);
email.addEventListener('input', validate);
document.getElementById('autogen-button').addEventListener('click', function () {
  var animals = ['otter', 'raccoon', 'chicken', 'olive', 'algae', 'sparrow'];
  var name = animals[Math.floor(Math.random() * animals.length)] + '.' + digits(3);
  email.value = name + '@example.com';
  document.getElementById('display-name-input').value = name.replace('.', ' ');
  document.getElementById('screen-name-input').value = name.replace('.', '_');
  validate();
});
document.getElementById('main-form').addEventListener('submit', function (event) {
  event.preventDefault();
  validate();
  if (document.getElementById('sign-in').disabled) return;
  var claims = { sub: digits(40), iss: '', aud: '', exp: 0, iat: 0 };
  [['name', 'display-name-input'], ['screen_name', 'screen-name-input']].forEach(function (field) {
    var value = document.getElementById(field[1]).value;
    if (value) claims[field[0]] = value;
  });
  claims.email = email.value;
  claims.email_verified = true;
  var picture = document.getElementById('profile-photo-input').value;
  if (picture) claims.picture = picture;
  finish(claims);
});
if (!['appName', 'clientId', 'appId', 'apn', 'ibi'].some(function (name) { return query.get(name); })) {
  document.body.textContent = 'Auth Emulator: the address names no app. One of appName, clientId, appId, apn and ibi is needed.';
} else if (query.get('error')) fail(query.get('error'));
