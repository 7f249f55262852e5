package postern;

import java.io.IOException;
import java.net.Proxy;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.net.URLStreamHandlerFactory;

/**
 * Leads every {@code https} URL of the process whose host is one of Google's for Firebase Authentication to a Postern server: for SDKs without
 * a setting for it, such as Android's.
 *
 * <p>Call {@code URL.setURLStreamHandlerFactory(PosternURLs.factory("https://auth.example.com"))} once, before the SDK makes its first URL. The
 * JVM takes one factory only.
 */
public final class PosternURLs {
    private PosternURLs() {}

    /**
     * @param server The server's public URL, see {@link PosternConnections#PosternConnections(String)}.
     * @return The factory. It has handlers for {@code https} alone.
     * @throws IllegalArgumentException For a bad URL.
     */
    public static URLStreamHandlerFactory factory(String server) {
        // It keeps the runtime's own handlers, so it is made before the factory is set.
        PosternConnections connections = new PosternConnections(server);
        return protocol -> protocol.equals("https") ? new Handler(connections) : null;
    }

    private static final class Handler extends URLStreamHandler {
        private final PosternConnections connections;

        Handler(PosternConnections connections) {
            this.connections = connections;
        }

        @Override
        protected URLConnection openConnection(URL url) throws IOException {
            return connections.openConnection(url);
        }

        @Override
        protected URLConnection openConnection(URL url, Proxy proxy) throws IOException {
            return connections.openConnection(url, proxy);
        }

        @Override
        protected int getDefaultPort() {
            return 443;
        }
    }
}
