// Answers nginx's auth_request: 204 with the user's id, or 401.
import { createServer } from "node:http";
import { Verifier } from "../node/verify.mjs";

const [issuer, audience, jwksURL, port] = process.argv.slice(2);
const verifier = new Verifier(issuer, audience, jwksURL);

createServer(async (request, response) => {
  try {
    const [, token] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "");
    const claims = await verifier.verify(token);
    response.writeHead(204, { "X-User": encodeURIComponent(claims.sub) });
  } catch {
    response.writeHead(401, { "WWW-Authenticate": "Bearer" });
  }
  response.end();
}).listen(Number(port), "127.0.0.1");
