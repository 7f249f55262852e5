import assert from "node:assert/strict";
import test from "node:test";
import { connectPostern } from "../postern.js";
import { makeAuth, roundTrip } from "./sdk.js";

const url = process.env.POSTERN_TEST_URL;

test("leads every request of the SDK to the server", async () => {
  const auth = connectPostern(makeAuth(), url);
  const ids = await roundTrip(auth, process.env.POSTERN_TEST_API_KEY);
  assert.ok(ids[0]);
  assert.deepEqual(ids, [ids[0], ids[0], ids[0]]);
});

test("takes the handler of the server, unless the app names a domain of its own", () => {
  assert.equal(connectPostern(makeAuth(), "https://auth.example.com:8443").config.authDomain, "auth.example.com:8443");
  assert.equal(connectPostern(makeAuth({ authDomain: "app.example.com" }), url).config.authDomain, "app.example.com");
});

test("knows the compatible SDK, and may be called twice", () => {
  const compat = { _delegate: makeAuth() };
  assert.equal(connectPostern(compat, "https://auth.example.com/"), compat);
  assert.equal(connectPostern(compat, "https://auth.example.com")._delegate.config.apiHost, "auth.example.com");
});

test("refuses URLs that are no server's or not safe, and changes nothing", () => {
  const bad = ["http://auth.example.com", "auth.example.com", "", "https://a.example/path", "https://a.example/?x", "https://u:p@a.example"];
  for (const text of [...bad, "ftp://a.example", "javascript:alert(1)", undefined, "http://localhost.example.com"]) {
    const auth = makeAuth();
    assert.throws(() => connectPostern(auth, text), TypeError, String(text));
    assert.deepEqual(auth, makeAuth());
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
