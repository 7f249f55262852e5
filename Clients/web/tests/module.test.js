import assert from "node:assert/strict";
import test from "node:test";
import { connectEveryAuth, connectPostern } from "../postern.js";
import { loadSDK, makeAuth, makeTemporaryAuth, roundTrip } from "./sdk.js";

const url = process.env.POSTERN_TEST_URL;
const first = "https://auth.example.com";
const second = "https://two.example.com";
const google = "identitytoolkit.googleapis.com";

test("leads every request of the SDK to the server", async () => {
  const auth = connectPostern(makeAuth(), url);
  const ids = await roundTrip(auth, process.env.POSTERN_TEST_API_KEY);
  assert.ok(ids[0]);
  assert.deepEqual(ids, [ids[0], ids[0], ids[0]]);
});

test("takes the handler of the server, unless the app names a domain of its own", () => {
  assert.equal(connectPostern(makeAuth(), `${first}:8443`).config.authDomain, "auth.example.com:8443");
  assert.equal(connectPostern(makeAuth({ authDomain: "app.example.com" }), url).config.authDomain, "app.example.com");
});

test("knows the compatible SDK, and may be called twice", () => {
  const compat = loadSDK().compatible.initializeApp({ apiKey: "test-api-key" }).auth();
  assert.equal(connectPostern(compat, `${first}/`), compat);
  assert.equal(connectPostern(compat, first)._delegate.config.apiHost, "auth.example.com");
});

test("leads the Auths to come as well, such as FirebaseUI's temporary one, in the modular and the compatible SDK", () => {
  const { compatible, initializeApp, getAuth } = loadSDK();
  const auth = connectPostern(compatible.initializeApp({ apiKey: "test-api-key", authDomain: "app.example.com" }).auth(), first);
  const { config } = makeTemporaryAuth(compatible, auth)._delegate;
  assert.deepEqual([config.apiHost, config.tokenApiHost, config.authDomain], ["auth.example.com", "auth.example.com", "app.example.com"]);
  const other = getAuth(initializeApp({ apiKey: "another-key" }, "other"));
  assert.deepEqual([other.config.apiHost, other.config.authDomain], ["auth.example.com", "auth.example.com"]);
  // An app of another server's names it, also for those to come with its key.
  connectPostern(other, second);
  assert.deepEqual([other.config.apiHost, other.config.authDomain], ["two.example.com", "two.example.com"]);
  assert.equal(getAuth(initializeApp({ apiKey: "another-key" }, "third")).config.apiHost, "two.example.com");
  assert.equal(getAuth(initializeApp({ apiKey: "test-api-key" }, "fourth")).config.apiHost, "auth.example.com");
  assert.throws(() => connectPostern(other, first), TypeError);
});

test("one call leads every Auth of the page: those that are there, and those to come", () => {
  for (const name of ["modular", "compatible", "default"]) {
    const { compatible, getAuth, ...modular } = loadSDK();
    const early = getAuth(modular.initializeApp({ apiKey: "test-api-key" }));
    const app = modular.initializeApp({ apiKey: "test-api-key" }, "without an Auth yet");
    const named = connectPostern(getAuth(modular.initializeApp({ apiKey: "another-key" }, "named")), second);
    connectEveryAuth({ modular, compatible, default: { default: compatible } }[name], first);
    const late = makeTemporaryAuth(compatible, early)._delegate;
    for (const auth of [early, getAuth(app), late]) assert.equal(auth.config.apiHost, "auth.example.com", name);
    assert.equal(named.config.apiHost, "two.example.com");
  }
});

test("by the Auth alone, those that other apps have made before are not reached: the call for all of them reaches them as well", () => {
  const sdk = loadSDK();
  const early = sdk.getAuth(sdk.initializeApp({ apiKey: "test-api-key" }, "early"));
  const auth = connectPostern(sdk.getAuth(sdk.initializeApp({ apiKey: "test-api-key" })), first);
  assert.deepEqual([auth.config.apiHost, early.config.apiHost], ["auth.example.com", google]);
  connectEveryAuth(sdk, first);
  assert.deepEqual([early.config.apiHost, early.config.tokenApiHost], ["auth.example.com", "auth.example.com"]);
  assert.equal(auth.config.apiHost, "auth.example.com");
});

test("refuses URLs that are no server's or not safe, and changes nothing", () => {
  const bad = ["http://auth.example.com", "auth.example.com", "", "https://a.example/path", "https://a.example/?x", "https://u:p@a.example"];
  for (const text of [...bad, "ftp://a.example", "javascript:alert(1)", undefined, "http://localhost.example.com"]) {
    const sdk = loadSDK();
    const auth = sdk.getAuth(sdk.initializeApp({ apiKey: "test-api-key" }));
    assert.throws(() => connectPostern(auth, text), TypeError, String(text));
    assert.throws(() => connectEveryAuth(sdk, text), TypeError, String(text));
    assert.deepEqual(auth.config, makeAuth().config);
    assert.equal(sdk.getAuth(sdk.initializeApp({ apiKey: "test-api-key" }, "next")).config.apiHost, google);
  }
  assert.equal(connectPostern(makeAuth(), "http://localhost:9099").config.apiScheme, "http");
});

test("refuses an Auth with an emulator, and objects that are none", () => {
  assert.throws(() => connectPostern(makeAuth({ emulator: { url: "http://127.0.0.1:9099/" } }), url), /emulator/);
  assert.throws(() => connectPostern({ ...makeAuth(), emulatorConfig: {} }, url), /emulator/);
  for (const auth of [undefined, null, {}, { config: {} }, makeAuth({ apiHost: "new.googleapis.com" }), makeAuth({ apiScheme: undefined })]) {
    assert.throws(() => connectPostern(auth, url), TypeError);
  }
});

test("refuses an SDK that makes its Auths in another way, before one of them asks Google", () => {
  const auth = makeAuth();
  for (const app of [undefined, {}, { container: { getProvider: () => ({ getComponent: () => null }) } }]) {
    assert.throws(() => connectPostern({ ...auth, app }, url), TypeError);
  }
  assert.equal(auth.config.apiHost, google);
  for (const firebase of [undefined, {}, { getApps: () => [], _components: new Map() }]) {
    assert.throws(() => connectEveryAuth(firebase, url), TypeError);
  }
  // A later one whose addresses are elsewhere is not made.
  const changes = {};
  const sdk = loadSDK(changes);
  connectPostern(sdk.getAuth(sdk.initializeApp({ apiKey: "test-api-key" })), url);
  changes.apiHost = "new.googleapis.com";
  assert.throws(() => sdk.getAuth(sdk.initializeApp({ apiKey: "test-api-key" }, "next")), TypeError);
});
