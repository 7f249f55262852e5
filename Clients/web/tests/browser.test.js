import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import http from "node:http";
import net from "node:net";
import path from "node:path";
import test from "node:test";
import tls from "node:tls";

const server = new URL(process.env.POSTERN_TEST_URL);

/** The hash of the server's key, of a certificate that the private authority has signed. Chromium then takes this key and no other. */
async function pinnedKey() {
  const ca = await readFile(process.env.POSTERN_TEST_CA);
  const socket = tls.connect({ host: server.hostname, port: server.port, servername: server.hostname, ca });
  await once(socket, "secureConnect");
  const key = socket.getPeerX509Certificate().publicKey.export({ type: "spki", format: "der" });
  socket.destroy();
  return createHash("sha256").update(key).digest("base64");
}

/** Serves a page, opens it in Chromium and returns what its script reports, and the hosts that Chromium has looked up for it. */
async function visit(script) {
  const page = `<!doctype html><script type="module">
    import { connectEveryAuth, connectPostern } from "/postern.js";
    import { loadSDK, makeTemporaryAuth, roundTrip } from "/tests/sdk.js";
    const [url, apiKey] = ${JSON.stringify([server.origin, process.env.POSTERN_TEST_API_KEY])};
    const report = (text) => fetch("/report", { method: "POST", body: text });
    try { await report(JSON.stringify(await (async () => { ${script} })())); } catch (error) { await report(String(error)); }
  </script>`;
  const files = ["/postern.js", "/tests/sdk.js"];
  let report;
  const reported = new Promise((resolve) => (report = resolve));
  const site = http.createServer(async (request, response) => {
    if (request.url === "/report") {
      report(Buffer.concat(await request.toArray()).toString());
      return response.end();
    }
    const isFile = files.includes(request.url);
    response.setHeader("Content-Type", isFile ? "text/javascript" : "text/html");
    response.end(isFile ? await readFile(new URL(`..${request.url}`, import.meta.url)) : page);
  });
  // Stands where Google's hosts would be. A browser names the host that it wants before anything else.
  const asked = [];
  const google = net.createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (hello) => {
      asked.push(hello.toString("latin1").match(/[a-z0-9]+\.googleapis\.com/)?.[0]);
      socket.destroy();
    });
  });
  for (const listener of [site, google]) await once(listener.listen(0, "127.0.0.1"), "listening");
  const profile = await mkdtemp(path.join(process.env.POSTERN_TEST_SCRATCH, "chromium-"));
  const options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", `--user-data-dir=${profile}`];
  options.push(`--host-resolver-rules=MAP *.googleapis.com 127.0.0.1:${google.address().port}`);
  options.push(`--ignore-certificate-errors-spki-list=${await pinnedKey()}`, `http://localhost:${site.address().port}/`);
  const browser = spawn("chromium", options, { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, HOME: profile } });
  let complaints = "";
  browser.stderr.on("data", (text) => (complaints += text));
  const ended = once(browser, "exit");
  try {
    const text = await Promise.race([reported, ended.then(() => `Chromium ended: ${complaints}`)]);
    // Chromium itself asks other hosts of Google's.
    return { text, asked: asked.filter((host) => ["identitytoolkit", "securetoken", "www"].includes(host?.split(".")[0])) };
  } finally {
    browser.kill("SIGKILL");
    await ended;
    site.closeAllConnections();
    site.close();
    google.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

const options = { timeout: 240_000 };
const twoTrips = /^\[\["(\w+)","\1","\1"\],\["(\w+)","\2","\2"\]\]$/;

test("leads the SDK of a page to the server, across origins, and no request of FirebaseUI's temporary Auth leaves for Google", options, async () => {
  const { text, asked } = await visit(`
    const { compatible } = loadSDK();
    const auth = connectPostern(compatible.initializeApp({ apiKey }).auth(), url);
    const temporary = makeTemporaryAuth(compatible, auth);
    return [await roundTrip(auth._delegate, apiKey), await roundTrip(temporary._delegate, apiKey)];
  `);
  assert.match(text, twoTrips);
  assert.deepEqual(asked, []);
});

test("leads the Auths that are on the page already by one call, and no request leaves for Google", options, async () => {
  const { text, asked } = await visit(`
    const { compatible } = loadSDK();
    const auth = compatible.initializeApp({ apiKey }).auth();
    const temporary = makeTemporaryAuth(compatible, auth);
    connectEveryAuth(compatible, url);
    return [await roundTrip(auth._delegate, apiKey), await roundTrip(temporary._delegate, apiKey)];
  `);
  assert.match(text, twoTrips);
  assert.deepEqual(asked, []);
});

test("would have been seen to ask Google without a call", options, async () => {
  const { asked } = await visit(`
    const { compatible } = loadSDK();
    return await roundTrip(makeTemporaryAuth(compatible, compatible.initializeApp({ apiKey }).auth())._delegate, apiKey);
  `);
  assert.ok(asked.length > 0 && asked.every((host) => host === "identitytoolkit.googleapis.com"), String(asked));
});
