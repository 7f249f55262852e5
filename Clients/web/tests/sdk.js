// A stand-in for the SDK: apps that share one component for their Auths, an Auth's configuration as it is after `getAuth()`, and requests
// with the addresses that the SDK builds of it. FirebaseUI's part of making a temporary app is here, too.

const settings = {
  apiHost: "identitytoolkit.googleapis.com",
  tokenApiHost: "securetoken.googleapis.com",
  apiScheme: "https",
  clientPlatform: "Browser",
  sdkClientVersion: "Browser/JsCore/10.0.0/FirebaseCore-web",
};

/** A copy of the SDK: the modular `firebase/app` with `firebase/auth`, and the compatible `firebase`. */
export function loadSDK(changes = {}) {
  const apps = new Map();
  const component = {
    name: "auth",
    instanceFactory: ({ app }) => ({
      app,
      config: { apiKey: app.options.apiKey, authDomain: app.options.authDomain, ...settings, ...changes },
      emulatorConfig: null,
    }),
  };
  const modular = {
    _components: new Map([["auth", component]]),
    getApps: () => [...apps.values()],
    initializeApp(options, name = "[DEFAULT]") {
      const app = { name, options };
      let instance;
      const provider = {
        getComponent: () => component,
        isInitialized: () => instance !== undefined,
        getImmediate: () => (instance ??= component.instanceFactory({ app }, {})),
      };
      app.container = { getProvider: () => provider };
      apps.set(name, app);
      return app;
    },
  };
  const getAuth = (app) => app.container.getProvider("auth").getImmediate();
  const compatible = {
    INTERNAL: { modularAPIs: modular },
    initializeApp(options, name) {
      const app = modular.initializeApp(options, name);
      return { name: app.name, options, auth: () => ({ app: { name: app.name, options }, _delegate: getAuth(app) }) };
    },
  };
  return { ...modular, getAuth, compatible };
}

/** An `Auth` of a copy of its own. */
export function makeAuth(changes, options = { apiKey: "test-api-key" }) {
  const sdk = loadSDK(changes);
  return sdk.getAuth(sdk.initializeApp(options));
}

/** What FirebaseUI makes beside the `auth` that it is given. It looks users up there by their addresses. */
export function makeTemporaryAuth(firebase, auth) {
  const { apiKey, authDomain } = auth.app.options;
  return firebase.initializeApp({ apiKey, authDomain }, `${auth.app.name}-firebaseui-temp`).auth();
}

/** Signs a user up, refreshes the session and looks the account up; returns the ids that all three answers name. */
export async function roundTrip({ config }, apiKey) {
  const call = async (host, path, body, type) => {
    const headers = { "Content-Type": type, "X-Client-Version": config.sdkClientVersion };
    const options = { method: "POST", headers, body, referrerPolicy: "no-referrer" };
    const response = await fetch(`${config.apiScheme}://${host}${path}?key=${apiKey}`, options);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const json = "application/json";
  const made = await call(config.apiHost, "/v1/accounts:signUp", JSON.stringify({ returnSecureToken: true }), json);
  const form = `grant_type=refresh_token&refresh_token=${made.refreshToken}`;
  const fresh = await call(config.tokenApiHost, "/v1/token", form, "application/x-www-form-urlencoded");
  const found = await call(config.apiHost, "/v1/accounts:lookup", JSON.stringify({ idToken: fresh.access_token }), json);
  return [made.localId, fresh.user_id, found.users[0].localId];
}
