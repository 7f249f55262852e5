package postern;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.MalformedURLException;
import java.net.Proxy;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Opens connections for Firebase Authentication to a Postern server, and all others where they belong.
 *
 * <p>It is what {@code NetHttpTransport.Builder.setConnectionFactory} of Google's HTTP client wants, see the README. Certificates are checked by
 * {@code HttpsURLConnection} as always: they have to be the server's own.
 */
public final class PosternConnections {
    // Google's hosts, and what the paths begin with that are led. Two of the hosts serve many other interfaces, which stay Google's.
    private static final Map<String, List<String>> PATHS = new HashMap<>();

    static {
        for (String name : Arrays.asList("identitytoolkit", "securetoken", "iamcredentials")) {
            PATHS.put(name + ".googleapis.com", Collections.singletonList("/"));
        }
        PATHS.put("oauth2.googleapis.com", Collections.singletonList("/token"));
        PATHS.put(
                "www.googleapis.com",
                Arrays.asList("/identitytoolkit/", "/robot/v1/metadata/", "/service_accounts/v1/", "/oauth2/v4/token"));
    }

    // URLs that are made of them have the handler that they had, which is the runtime's own as long as no factory is set.
    private final URL https;
    private final URL base;

    /**
     * @param server The server's public URL: scheme, host and port. {@code http} is taken for loopback hosts only.
     * @throws IllegalArgumentException For a bad URL.
     * @throws IllegalStateException When {@code FIREBASE_AUTH_EMULATOR_HOST} is set, with which the Admin SDK verifies no signature.
     */
    public PosternConnections(String server) {
        String emulator = System.getenv("FIREBASE_AUTH_EMULATOR_HOST");
        if (emulator != null && !emulator.isEmpty()) {
            throw new IllegalStateException("FIREBASE_AUTH_EMULATOR_HOST is set: the SDK would verify no signature. Unset it.");
        }
        try {
            https = new URL("https://localhost/");
            base = parse(server);
        } catch (MalformedURLException error) {
            throw new IllegalArgumentException("The server's URL is not a URL.");
        }
    }

    /**
     * Opens a connection.
     *
     * @param url What is asked for. A Google host of Firebase Authentication is replaced by the server; path and query stay.
     * @return The connection, not yet connected.
     * @throws IOException As {@link URL#openConnection()} does.
     */
    public HttpURLConnection openConnection(URL url) throws IOException {
        return (HttpURLConnection) lead(url).openConnection();
    }

    /** The same through a proxy. */
    HttpURLConnection openConnection(URL url, Proxy proxy) throws IOException {
        return (HttpURLConnection) lead(url).openConnection(proxy);
    }

    /** Where a request goes. */
    URL lead(URL url) throws MalformedURLException {
        if (!url.getProtocol().equals("https")) {
            return url;
        }
        List<String> paths = PATHS.getOrDefault(url.getHost().toLowerCase(Locale.ROOT), Collections.emptyList());
        boolean isUsualPort = url.getPort() == -1 || url.getPort() == 443;
        if (!isUsualPort || paths.stream().noneMatch(url.getPath()::startsWith)) {
            // Of the kept handler, so that a factory that led here is not asked again.
            return new URL(https, url.toExternalForm());
        }
        return new URL(base, base.getProtocol() + "://" + base.getAuthority() + url.getFile());
    }

    private static URL parse(String text) throws MalformedURLException {
        URI uri;
        try {
            uri = new URI(text == null ? "" : text);
        } catch (URISyntaxException error) {
            throw new IllegalArgumentException("The server's URL is not a URL.");
        }
        boolean hasPath = uri.getRawPath() != null && !uri.getRawPath().isEmpty() && !uri.getRawPath().equals("/");
        if (uri.getHost() == null || hasPath || uri.getRawQuery() != null || uri.getRawFragment() != null || uri.getRawUserInfo() != null) {
            throw new IllegalArgumentException("The server's URL has scheme, host and port only, such as https://auth.example.com.");
        }
        boolean isHTTP = "http".equalsIgnoreCase(uri.getScheme());
        if (!"https".equalsIgnoreCase(uri.getScheme()) && !(isHTTP && isLoopback(uri.getHost()))) {
            throw new IllegalArgumentException("The server's URL must start with https://, or name a loopback host.");
        }
        return new URL(uri.getScheme().toLowerCase(Locale.ROOT) + "://" + uri.getRawAuthority() + "/");
    }

    private static boolean isLoopback(String host) {
        if (host.equals("localhost")) {
            return true;
        }
        // Names are not looked up.
        if (!host.startsWith("[") && !host.matches("[0-9.]+")) {
            return false;
        }
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (IOException error) {
            return false;
        }
    }
}
