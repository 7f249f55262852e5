// Verifies Postern's ID tokens with Node's own cryptography.
import { createPublicKey, verify } from "node:crypto";
import { createInterface } from "node:readline";

export class Verifier {
  #keys = new Map();
  #fetched = -Infinity;

  constructor(issuer, audience, jwksURL) {
    Object.assign(this, { issuer, audience, jwksURL });
  }

  async #key(kid) {
    // A fetch a minute at most: anybody can send a key id that does not exist.
    const age = performance.now() - this.#fetched;
    if (age > 3_600_000 || (!this.#keys.has(kid) && age > 60_000)) {
      this.#fetched = performance.now();
      const answer = await fetch(this.jwksURL, { signal: AbortSignal.timeout(5000) });
      if (!answer.ok) throw new Error("no keys");
      const { keys } = await answer.json();
      this.#keys = new Map(keys.map((jwk) => [jwk.kid, createPublicKey({ key: jwk, format: "jwk" })]));
    }
    const key = this.#keys.get(kid);
    if (key?.asymmetricKeyType !== "rsa") throw new Error("unknown key");
    return key;
  }

  /** Returns the claims. Throws for a token that is not a user's ID token of this project. */
  async verify(token) {
    const parts = token.split(".");
    if (token.length > 16384 || parts.length !== 3 || !parts.every((part) => /^[A-Za-z0-9_-]+$/.test(part))) throw new Error("no token");
    const [header, claims] = parts.slice(0, 2).map((part) => JSON.parse(Buffer.from(part, "base64url")));
    if (header.alg !== "RS256" || (header.typ ?? "JWT") !== "JWT" || header.crit !== undefined) throw new Error("wrong header");
    const key = await this.#key(header.kid);
    const isSigned = verify("RSA-SHA256", `${parts[0]}.${parts[1]}`, key, Buffer.from(parts[2], "base64url"));
    if (!isSigned) throw new Error("wrong signature");
    const now = Date.now() / 1000;
    const { iss, aud, sub, iat, exp, auth_time, firebase } = claims;
    if (iss !== this.issuer || aud !== this.audience) throw new Error("not for us");
    if (!(iat <= now && now < exp && auth_time <= now)) throw new Error("not now");
    if (typeof sub !== "string" || !sub || sub.length > 128) throw new Error("no user");
    // A project without tenants refuses those of a tenant; one with tenants compares the tenant's id.
    if (!firebase || firebase.tenant !== undefined) throw new Error("a tenant's user");
    return claims;
  }
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const verifier = new Verifier(...process.argv.slice(2, 5));
  for await (const line of createInterface({ input: process.stdin })) {
    try {
      console.log("ok", (await verifier.verify(line)).sub);
    } catch (error) {
      console.log("refused", error.message.split("\n")[0]);
    }
  }
}
