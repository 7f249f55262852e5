/** The part of Firebase's `Auth` that is read and changed. An `Auth` of the modular SDK has it, and so has a compatible `firebase.auth()`. */
export interface ConnectableAuth {
  readonly config: object;
}

/**
 * Leads an `Auth` to a Postern server. Call it right after `getAuth()` or `initializeAuth()`, before anything awaits: the SDK's first
 * request may follow at once.
 *
 * @param auth The `Auth`, which no emulator is connected to.
 * @param url The server's public URL: scheme, host and port. `http` is taken for loopback hosts only.
 * @returns The same `Auth`.
 * @throws TypeError for a bad URL or an SDK without the expected members; Error when an emulator is connected.
 */
export function connectPostern<A extends ConnectableAuth | { readonly _delegate: unknown }>(auth: A, url: string): A;
