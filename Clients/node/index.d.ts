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

export interface PosternOptions<C> {
  /** The server's public URL: scheme, host and port. `http` is taken for loopback hosts only. */
  url: string;
  /** The key file of a service account, as `postern service-account create` wrote it. */
  keyFile: string;
  /**
   * The SDK's own `cert`. Its credential holds the private key, with which `createCustomToken` signs. Without it, the SDK asks the server to
   * sign, with the key of the service account that the app's option `serviceAccountId` names.
   */
  cert?: (serviceAccount: object) => C;
  /** Certificates of authorities that are trusted instead of the usual ones, PEM. `NODE_EXTRA_CA_CERTS` adds to the usual ones. */
  ca?: string | Buffer | Array<string | Buffer>;
}

/**
 * Makes the options of `initializeApp` with which the Admin SDK talks to a Postern server.
 *
 * @throws TypeError for a bad URL; Error for a key file that cannot be read or is another server's, and when
 *   `FIREBASE_AUTH_EMULATOR_HOST` is set, with which the SDK verifies no signature.
 */
export function postern<C extends object = PosternCredential>(
  options: PosternOptions<C>,
): { credential: C & PosternCredential; httpAgent: Agent; projectId: string };
