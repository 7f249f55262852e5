/** The part of Firebase's `Auth` that is read and changed. An `Auth` of the modular SDK has it, and so has a compatible `firebase.auth()`. */
export interface ConnectableAuth {
  readonly config: object;
}

/**
 * Leads an `Auth` to a Postern server, and with it every `Auth` that this copy of the SDK makes from then on, for any app of the page:
 * libraries such as FirebaseUI make some of their own. One that is named in another call is led to the server of that call, and so
 * are those to come with the same API key. Call it right after the first `getAuth()` or `initializeAuth()`, before anything awaits: the
 * SDK's first request may follow at once. An `Auth` that other code has made before for another app is not reached: `connectEveryAuth`
 * reaches it.
 *
 * @param auth The `Auth`, which no emulator is connected to.
 * @param url The server's public URL: scheme, host and port. `http` is taken for loopback hosts only.
 * @returns The same `Auth`.
 * @throws TypeError for a bad URL or an SDK without the expected members; Error when an emulator is connected.
 */
export function connectPostern<A extends ConnectableAuth | { readonly _delegate: unknown }>(auth: A, url: string): A;

/**
 * Leads every `Auth` of the page to a Postern server: those that this copy of the SDK has made already, and those to come.
 *
 * @param firebase All of `firebase/app`, as of `import * as firebase from "firebase/app"`, or the compatible `firebase`. `firebase/auth`
 *   has to be loaded.
 * @param url As for `connectPostern`.
 * @throws As `connectPostern`.
 */
export function connectEveryAuth(firebase: object, url: string): void;
