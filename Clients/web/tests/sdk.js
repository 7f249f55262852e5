// A stand-in for the SDK: its configuration as it is after `getAuth()`, and requests with the addresses that it builds of it.

export function makeAuth(more = {}) {
  return {
    config: {
      apiKey: "test-api-key",
      apiHost: "identitytoolkit.googleapis.com",
      tokenApiHost: "securetoken.googleapis.com",
      apiScheme: "https",
      clientPlatform: "Browser",
      sdkClientVersion: "Browser/JsCore/10.0.0/FirebaseCore-web",
      ...more,
    },
    emulatorConfig: null,
  };
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
