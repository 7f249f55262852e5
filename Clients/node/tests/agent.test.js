"use strict";

const assert = require("node:assert/strict");
const crypto = require("node:crypto");
const { once } = require("node:events");
const fs = require("node:fs");
const http = require("node:http");
const https = require("node:https");
const path = require("node:path");
const test = require("node:test");
const { postern } = require("../index.cjs");

const { POSTERN_TEST_URL: url, POSTERN_TEST_KEY_FILE: keyFile, POSTERN_TEST_PROJECT_ID: project } = process.env;
const ca = fs.readFileSync(process.env.POSTERN_TEST_CA);
const apiKey = process.env.POSTERN_TEST_API_KEY;

/** A request as the SDK sends it: to Google's host, with the agent. */
async function send(address, { agent, method = "GET", headers = {}, body, ...more }) {
  const request = https.request(address, { agent, method, headers, ...more });
  request.end(body);
  const [response] = await once(request, "response");
  const text = Buffer.concat(await response.toArray()).toString();
  return { status: response.statusCode, headers: response.headers, text, json: () => JSON.parse(text), socket: request.socket, request };
}

/** `cert` of the SDK, as far as it matters here: an object with the key, whose access tokens would be Google's. */
class Certificate {
  constructor(key) {
    this.clientEmail = key.client_email;
    this.privateKey = key.private_key;
  }

  async getAccessToken() {
    throw new Error("asked Google");
  }
}

test("the credential's access token manages users of the server under Google's host", async () => {
  const { credential, httpAgent, projectId } = postern({ url, keyFile, ca });
  assert.equal(projectId, project);
  const token = await credential.getAccessToken();
  assert.equal(token.expires_in, 3600);
  const headers = { Authorization: `Bearer ${token.access_token}`, "Content-Type": "application/json" };
  const users = `https://identitytoolkit.googleapis.com/v1/projects/${project}/accounts`;
  const localId = crypto.randomUUID();
  const made = await send(users, { agent: httpAgent, method: "POST", headers, body: JSON.stringify({ localId, displayName: "Ada" }) });
  assert.equal(made.status, 200, made.text);
  const found = await send(`${users}:lookup`, { agent: httpAgent, method: "POST", headers, body: JSON.stringify({ localId: [localId] }) });
  assert.equal(found.json().users[0].displayName, "Ada");
  httpAgent.destroy();
});

test("cert keeps its kind and its key, and signs custom tokens that sign in", async () => {
  const { credential, httpAgent } = postern({ url, keyFile, ca, cert: (key) => new Certificate(key) });
  assert.ok(credential instanceof Certificate);
  assert.ok((await credential.getAccessToken()).access_token);
  const now = Math.floor(Date.now() / 1000);
  const aud = "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit";
  const claims = { iss: credential.clientEmail, sub: credential.clientEmail, aud, iat: now, exp: now + 3600, uid: "ada" };
  const input = [{ alg: "RS256", typ: "JWT" }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  const token = `${input}.${crypto.sign("RSA-SHA256", Buffer.from(input), credential.privateKey).toString("base64url")}`;
  const address = `https://identitytoolkit.googleapis.com/v1/accounts:signInWithCustomToken?key=${apiKey}`;
  const headers = { "Content-Type": "application/json" };
  const answer = await send(address, { agent: httpAgent, method: "POST", headers, body: JSON.stringify({ token, returnSecureToken: true }) });
  assert.ok(answer.json().idToken, answer.text);
  httpAgent.destroy();
});

test("a named token manages users, and the server signs custom tokens that sign in", async () => {
  const options = postern({ url, token: process.env.POSTERN_TEST_ADMIN_TOKEN, ca });
  assert.equal("projectId" in options, false);
  const { credential, httpAgent: agent } = options;
  const { access_token, expires_in } = await credential.getAccessToken();
  assert.ok(expires_in > 300);
  const headers = { Authorization: `Bearer ${access_token}`, "Content-Type": "application/json" };
  const query = `https://identitytoolkit.googleapis.com/v1/projects/${project}/accounts:query`;
  assert.equal((await send(query, { agent, method: "POST", headers, body: "{}" })).status, 200);
  // As the SDK signs for an app whose credential has no key.
  const account = process.env.POSTERN_TEST_HELD_ACCOUNT;
  const now = Math.floor(Date.now() / 1000);
  const aud = "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit";
  const claims = { iss: account, sub: account, aud, iat: now, exp: now + 3600, uid: "lin" };
  const input = [{ alg: "RS256", typ: "JWT" }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  const address = `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${account}:signBlob`;
  const payload = Buffer.from(input).toString("base64");
  const signed = await send(address, { agent, method: "POST", headers, body: JSON.stringify({ payload }) });
  assert.equal(signed.status, 200, signed.text);
  const token = `${input}.${Buffer.from(signed.json().signedBlob, "base64").toString("base64url")}`;
  const signIn = `https://identitytoolkit.googleapis.com/v1/accounts:signInWithCustomToken?key=${apiKey}`;
  const body = JSON.stringify({ token, returnSecureToken: true });
  const answer = await send(signIn, { agent, method: "POST", headers: { "Content-Type": "application/json" }, body });
  assert.ok(answer.json().idToken, answer.text);
  agent.destroy();
});

test("either a key file or a token is given, and a token that can be a header", () => {
  for (const bad of [{}, { keyFile, token: "t" }, { token: "" }, { token: "a\r\nb" }, { token: null }, { token: "t", cert: () => ({}) }]) {
    assert.throws(() => postern({ url, ca, ...bad }), TypeError, JSON.stringify(bad));
  }
});

test("public keys come from the server, over a connection that is kept", async () => {
  const { httpAgent } = postern({ url, keyFile, ca });
  const keys = "https://www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com";
  const first = await send(keys, { agent: httpAgent });
  assert.match(Object.values(first.json())[0], /BEGIN CERTIFICATE/);
  assert.match(first.headers["cache-control"], /max-age=/);
  await new Promise(setImmediate);
  const second = await send(keys, { agent: httpAgent });
  assert.equal(second.request.reusedSocket, true);
  httpAgent.destroy();
});

test("other hosts are not led to the server", async () => {
  const other = http.createServer((request, response) => response.end("other"));
  other.listen(0, "127.0.0.1");
  await once(other, "listening");
  const { httpAgent } = postern({ url: "http://127.0.0.1:9", keyFile: rewritten("http://127.0.0.1:9") });
  // A server without TLS resets the handshake: the agent went there, and not to the server, where nothing listens.
  await assert.rejects(send(`https://127.0.0.1:${other.address().port}/`, { agent: httpAgent }), /wrong version number|EPROTO|ECONNRESET/);
  await assert.rejects(send("https://identitytoolkit.googleapis.com/", { agent: httpAgent }), /ECONNREFUSED/);
  const lookup = (host, options, callback) => callback(new Error(`looked up ${host}`));
  for (const host of ["firestore.googleapis.com", "identitytoolkit.googleapis.com.example", "xwww.googleapis.com"]) {
    await assert.rejects(send(`https://${host}/`, { agent: httpAgent, lookup }), new RegExp(`looked up ${host}`));
  }
  other.close();
});

test("a server whose authority is unknown is refused, whatever a request asks for", async () => {
  const { httpAgent } = postern({ url, keyFile });
  await assert.rejects(send("https://www.googleapis.com/", { agent: httpAgent }), /self-signed|unable to verify|local issuer/);
  const insecure = send("https://www.googleapis.com/", { agent: httpAgent, rejectUnauthorized: false });
  await assert.rejects(insecure, /self-signed|unable to verify|local issuer/);
});

test("time-outs and aborts end a request", async () => {
  const silent = http.createServer(() => {});
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  const base = `http://127.0.0.1:${silent.address().port}`;
  const { httpAgent } = postern({ url: base, keyFile: rewritten(base) });
  const options = { agent: httpAgent, signal: AbortSignal.timeout(50) };
  await assert.rejects(send("https://www.googleapis.com/", options), /aborted|AbortError/);
  const request = https.get("https://www.googleapis.com/", { agent: httpAgent, timeout: 50 });
  await once(request, "timeout");
  request.on("error", () => {}).destroy();
  silent.closeAllConnections();
  silent.close();
});

test("a refused assertion says why and shows no secret", async () => {
  const key = JSON.parse(fs.readFileSync(keyFile, "utf8"));
  const { privateKey } = crypto.generateKeyPairSync("rsa", { modulusLength: 2048 });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" });
  const { credential } = postern({ url, keyFile: written({ ...key, private_key: pem }), ca });
  await assert.rejects(credential.getAccessToken(), (error) => /400 invalid_grant/.test(error.message) && !error.message.includes("ey"));
});

test("bad URLs, key files and an emulator are refused", () => {
  for (const bad of ["http://auth.example.com", "auth.example.com", "", "https://a.example/p", "https://u@a.example", "https://a.example?x"]) {
    assert.throws(() => postern({ url: bad, keyFile }), TypeError, bad);
  }
  const key = JSON.parse(fs.readFileSync(keyFile, "utf8"));
  for (const file of ["/nonexistent", __filename, written({ ...key, private_key: "SECRET" })]) {
    assert.throws(() => postern({ url, keyFile: file }), (error) => /cannot be read/.test(error.message) && !error.message.includes("SECRET"));
  }
  assert.throws(() => postern({ url: "https://other.example.com", keyFile }), /another server/);
  process.env.FIREBASE_AUTH_EMULATOR_HOST = "127.0.0.1:9099";
  assert.throws(() => postern({ url, keyFile }), /verify no signature/);
  delete process.env.FIREBASE_AUTH_EMULATOR_HOST;
});

test("the ES module exports the same", async () => {
  assert.equal((await import("../index.mjs")).postern, postern);
});

function written(key) {
  const file = path.join(process.env.POSTERN_TEST_SCRATCH, `${crypto.randomUUID()}.json`);
  fs.writeFileSync(file, JSON.stringify(key), { mode: 0o600 });
  return file;
}

/** The key file with another server's address. */
function rewritten(base) {
  return written({ ...JSON.parse(fs.readFileSync(keyFile, "utf8")), token_uri: `${base}/oauth2/token` });
}
