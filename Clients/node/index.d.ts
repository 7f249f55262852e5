import type { Agent } from "node:https";

/** An access token as the Admin SDK takes it. */
export interface AccessToken {
  access_token: string;
  /** Seconds. */
  expires_in: number;
}

/** What the Admin SDK needs of a credential. */
export interface PosternCredential {
  getAccessToken(): Promise<AccessToken>;
}

interface ServerOptions {
  /** The server's public URL: scheme, host and port. `http` is taken for loopback hosts only. */
  url: string;
  /** Certificates of authorities that are trusted instead of the usual ones, PEM. `NODE_EXTRA_CA_CERTS` adds to the usual ones. */
  ca?: string | Buffer | Array<string | Buffer>;
}

/** A server and the key file of a service account. */
export interface KeyFileOptions<C> extends ServerOptions {
  /** The key file, as `postern service-account create` wrote it. */
  keyFile: string;
  token?: undefined;
  /**
   * The SDK's own `cert`. Its credential holds the private key, with which `createCustomToken` signs. Without it, the SDK asks the server to
   * sign, with the key of the held service account that the app's option `serviceAccountId` names.
   */
  cert?: (serviceAccount: object) => C;
}

/** A server and a named token, with which the SDK asks the server to sign as above. */
export interface TokenOptions extends ServerOptions {
  /** A token of `postern admin-token create`, with the scope `users` at least. */
  token: string;
  keyFile?: undefined;
  cert?: undefined;
}

/**
 * Makes the options of `initializeApp` with which the Admin SDK talks to a Postern server.
 *
 * @throws TypeError for a bad URL or token, and for both or none of key file and token; Error for a key file that cannot be read or is
 *   another server's, and when `FIREBASE_AUTH_EMULATOR_HOST` is set, with which the SDK verifies no signature.
 */
export function postern<C extends object = PosternCredential>(
  options: KeyFileOptions<C>,
): { credential: C & PosternCredential; httpAgent: Agent; projectId: string };
/** A token does not say which project it is for: give `projectId` to `initializeApp` besides. */
export function postern(options: TokenOptions): { credential: PosternCredential; httpAgent: Agent };
