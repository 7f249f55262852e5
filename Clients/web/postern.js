// Leads Firebase Authentication's JavaScript SDK to a Postern server. The SDK reads both hosts from its configuration for every request.

const members = {
  apiHost: "identitytoolkit.googleapis.com",
  tokenApiHost: "securetoken.googleapis.com",
  apiScheme: "https",
};

export function connectPostern(auth, url) {
  const server = parse(url);
  // The compatible `firebase.auth()` keeps the modular one in `_delegate`.
  const target = auth?._delegate ?? auth;
  const config = target?.config;
  const isConnected = config?.apiHost === server.host && config?.tokenApiHost === server.host;
  for (const [name, value] of Object.entries(members)) {
    // An SDK that keeps its addresses elsewhere would go on asking Google.
    if (!isConnected && config?.[name] !== value) {
      throw new TypeError(`This is not an Auth that connectPostern knows: its ${name} is not ${value}.`);
    }
  }
  if (config.emulator || target.emulatorConfig) {
    throw new Error("An emulator is connected: the SDK would ask it instead.");
  }
  config.apiHost = server.host;
  config.tokenApiHost = server.host;
  config.apiScheme = server.protocol.slice(0, -1);
  // Without one, the handler of redirects and pop-ups is the server's own.
  config.authDomain ??= server.host;
  return auth;
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
