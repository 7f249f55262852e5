// Leads Firebase Authentication's JavaScript SDK to a Postern server. The SDK reads both hosts from each Auth's configuration for every
// request, and makes each Auth by a component that all apps of the page share. So the Auths to come are led at their making, among them
// those that libraries make for themselves, such as FirebaseUI's temporary one.

const members = {
  apiHost: "identitytoolkit.googleapis.com",
  tokenApiHost: "securetoken.googleapis.com",
  apiScheme: "https",
};

// What a component's Auths are led to: a server for all, and those that were named for an API key.
const componentServers = new WeakMap();
// The configurations that were led: the `authDomain` that they had, and whether a call named them.
const led = new WeakMap();

export function connectPostern(auth, url) {
  const server = parse(url);
  // The compatible `firebase.auth()` keeps the modular one in `_delegate`.
  const target = auth?._delegate ?? auth;
  check(target, server);
  const servers = leadNext(target.app?.container?.getProvider?.("auth")?.getComponent?.(), server);
  servers.byKey.set(target.config.apiKey, server);
  lead(target, server, true);
  return auth;
}

export function connectEveryAuth(firebase, url) {
  const server = parse(url);
  // The compatible namespace keeps the modular one.
  const compatible = [firebase, firebase?.default].find((namespace) => namespace?.INTERNAL?.modularAPIs);
  const sdk = compatible?.INTERNAL.modularAPIs ?? firebase;
  const providers = sdk?.getApps?.().map((app) => app.container.getProvider("auth")) ?? [];
  const made = providers.filter((provider) => provider.isInitialized()).map((provider) => provider.getImmediate());
  const auths = made.filter((auth) => !led.get(auth.config)?.isNamed);
  for (const auth of auths) check(auth, server);
  leadNext(sdk?._components?.get?.("auth"), server).all = server;
  for (const auth of auths) lead(auth, server, false);
}

// An SDK that keeps its addresses elsewhere would go on asking Google.
function check(auth, server) {
  const config = auth?.config;
  const isConnected = config?.apiHost === server.host && config?.tokenApiHost === server.host;
  const isOurs = isConnected || led.get(config)?.isNamed === false;
  for (const [name, value] of Object.entries(members)) {
    if (!isOurs && config?.[name] !== value) {
      throw new TypeError(`This is not an Auth that connectPostern knows: its ${name} is not ${value}.`);
    }
  }
  if (config.emulator || auth.emulatorConfig) {
    throw new Error("An emulator is connected: the SDK would ask it instead.");
  }
}

function lead({ config }, server, isNamed) {
  const authDomain = led.has(config) ? led.get(config).authDomain : config.authDomain;
  led.set(config, { authDomain, isNamed });
  config.apiHost = server.host;
  config.tokenApiHost = server.host;
  config.apiScheme = server.protocol.slice(0, -1);
  // Without one, the handler of redirects and pop-ups is the server's own.
  config.authDomain = authDomain ?? server.host;
}

// Leads the Auths that a component makes from now on.
function leadNext(component, server) {
  const known = componentServers.get(component);
  if (known) return known;
  const make = component?.instanceFactory;
  if (typeof make !== "function") {
    throw new TypeError("This is not an SDK that connectPostern knows, or firebase/auth is not loaded: it has no component for Auths.");
  }
  const servers = { all: server, byKey: new Map() };
  componentServers.set(component, servers);
  // What this throws keeps the Auth from being made.
  component.instanceFactory = (...parts) => {
    const auth = make(...parts);
    const named = servers.byKey.get(auth.config?.apiKey) ?? servers.all;
    check(auth, named);
    lead(auth, named, false);
    return auth;
  };
  return servers;
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
