import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import http from "node:http";
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

test("leads the SDK of a page to the server, across origins", { timeout: 240_000 }, async () => {
  const page = `<!doctype html><script type="module">
    import { connectPostern } from "/postern.js";
    import { makeAuth, roundTrip } from "/tests/sdk.js";
    const report = (text) => fetch("/report", { method: "POST", body: text });
    try {
      const auth = connectPostern(makeAuth(), ${JSON.stringify(server.origin)});
      await report(JSON.stringify(await roundTrip(auth, ${JSON.stringify(process.env.POSTERN_TEST_API_KEY)})));
    } catch (error) { await report(String(error)); }
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
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  const profile = await mkdtemp(path.join(process.env.POSTERN_TEST_SCRATCH, "chromium-"));
  const options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", `--user-data-dir=${profile}`];
  options.push(`--ignore-certificate-errors-spki-list=${await pinnedKey()}`, `http://localhost:${site.address().port}/`);
  const browser = spawn("chromium", options, { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, HOME: profile } });
  let complaints = "";
  browser.stderr.on("data", (text) => (complaints += text));
  const ended = once(browser, "exit");
  try {
    const text = await Promise.race([reported, ended.then(() => `Chromium ended: ${complaints}`)]);
    assert.match(text, /^\["(\w+)","\1","\1"\]$/);
  } finally {
    browser.kill("SIGKILL");
    await ended;
    site.closeAllConnections();
    site.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
});
