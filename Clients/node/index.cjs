"use strict";

// Leads the Firebase Admin SDK for Node to a Postern server: by its public option `httpAgent`, and by a credential that gets its access
// tokens there.

const crypto = require("node:crypto");
const fs = require("node:fs");
const https = require("node:https");
const net = require("node:net");

const googleHosts = new Set(["identitytoolkit", "securetoken", "www", "oauth2", "iamcredentials"].map((name) => `${name}.googleapis.com`));
const tokenPath = "/oauth2/token";
const requestMilliseconds = 30_000;
const tokenSeconds = 3600;
const maximumAnswerBytes = 64 * 1024;

/** Leads the connections for Google's hosts to the server, and all others where they belong. */
class PosternAgent extends https.Agent {
  #server;
  #ca;

  constructor(server, ca) {
    super({ keepAlive: true });
    this.#server = server;
    this.#ca = ca;
  }

  createConnection(options, callback) {
    if (!googleHosts.has(options.host)) return super.createConnection(options, callback);
    const host = this.#server.hostname.replace(/^\[|\]$/g, "");
    const isSecure = this.#server.protocol === "https:";
    const place = { host, port: Number(this.#server.port || (isSecure ? 443 : 80)) };
    if (!isSecure) return net.connect({ ...place, signal: options.signal }, callback);
    // The certificate has to be the server's own. Addresses have no server name (RFC 6066 §3).
    const led = { ...options, ...place, servername: net.isIP(host) ? "" : host, rejectUnauthorized: true };
    delete led.checkServerIdentity;
    if (this.#ca !== undefined) led.ca = this.#ca;
    return super.createConnection(led, callback);
  }
}

function postern({ url, keyFile, token, cert, ca }) {
  const server = parse(url);
  if (process.env.FIREBASE_AUTH_EMULATOR_HOST) {
    throw new Error("FIREBASE_AUTH_EMULATOR_HOST is set: the SDK would verify no signature. Unset it.");
  }
  if ((keyFile === undefined) === (token === undefined)) throw new TypeError("Give either keyFile or token.");
  if (token !== undefined) return byToken(server, { token, cert, ca });
  const key = read(keyFile);
  if (key.token_uri !== server.origin + tokenPath) {
    throw new Error("The key file is for another server: its token_uri is not below the given URL.");
  }
  const httpAgent = new PosternAgent(server, ca);
  // The SDK signs custom tokens with the key of its own kind of credential only, which would get its access tokens from Google.
  const credential = cert ? cert(key) : {};
  credential.getAccessToken = () => accessToken(key, httpAgent);
  return { credential, httpAgent, projectId: key.project_id };
}

// A named token ends by an administrator's word. The SDK asks for it again after the seconds that it is told, and gets the same.
function byToken(server, { token, cert, ca }) {
  if (typeof token !== "string" || !/^[\x21-\x7e]+$/.test(token)) throw new TypeError("The token is not a token.");
  if (cert) throw new TypeError("cert needs keyFile: a token has no key.");
  const credential = { getAccessToken: async () => ({ access_token: token, expires_in: tokenSeconds }) };
  return { credential, httpAgent: new PosternAgent(server, ca) };
}

function parse(url) {
  let server;
  try {
    server = new URL(url);
  } catch {
    throw new TypeError("The server's URL is not a URL.");
  }
  const isWhole = server.pathname === "/" && !server.search && !server.hash && !server.username && !server.password;
  const isLoopback = ["localhost", "127.0.0.1", "[::1]"].includes(server.hostname);
  if (!isWhole || !(server.protocol === "https:" || (server.protocol === "http:" && isLoopback))) {
    throw new TypeError("The server's URL must be https (http on loopback), with host and port only.");
  }
  return server;
}

function read(keyFile) {
  try {
    const key = JSON.parse(fs.readFileSync(keyFile, "utf8"));
    crypto.createPrivateKey(key.private_key);
    if ([key.client_email, key.project_id, key.token_uri].every((text) => typeof text === "string" && text)) return key;
  } catch {
    // The cause may quote the file, which holds a private key.
  }
  throw new Error("The key file cannot be read, or is not one of a service account.");
}

// RFC 7523 §2.1
function assertion(key) {
  const now = Math.floor(Date.now() / 1000);
  const header = { alg: "RS256", typ: "JWT", kid: key.private_key_id };
  const claims = { iss: key.client_email, aud: key.token_uri, iat: now, exp: now + 300, jti: crypto.randomUUID() };
  const input = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  return `${input}.${crypto.sign("RSA-SHA256", Buffer.from(input), key.private_key).toString("base64url")}`;
}

function accessToken(key, agent) {
  const form = new URLSearchParams({ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion: assertion(key) });
  return new Promise((resolve, reject) => {
    // By the agent, so that it is the server for any port and authority.
    const request = https.request("https://oauth2.googleapis.com/token", {
      method: "POST",
      agent,
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      timeout: requestMilliseconds,
    });
    request.on("timeout", () => request.destroy(new Error("The server did not answer in time.")));
    request.on("error", reject);
    request.on("response", (response) => {
      const parts = [];
      let bytes = 0;
      response.on("data", (part) => {
        bytes += part.length;
        if (bytes > maximumAnswerBytes) request.destroy(new Error("The server's answer is too long."));
        else parts.push(part);
      });
      response.on("error", reject);
      response.on("end", () => {
        try {
          const { access_token, expires_in, error } = JSON.parse(Buffer.concat(parts).toString());
          if (response.statusCode === 200 && access_token) return resolve({ access_token, expires_in });
          reject(new Error(`The server gave no access token: ${response.statusCode} ${error ?? ""}`.trim()));
        } catch {
          reject(new Error(`The server gave no access token: ${response.statusCode}`));
        }
      });
    });
    request.end(form.toString());
  });
}

module.exports = { postern };
