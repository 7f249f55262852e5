import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import javax.net.ssl.SSLException;
import postern.PosternConnections;
import postern.PosternURLs;

/** The tests of the package, each a method, with the JDK's own HttpURLConnection. */
public final class Tests {
    private static final String SERVER = System.getenv("POSTERN_TEST_URL");
    private static final String KEY = System.getenv("POSTERN_TEST_API_KEY");

    private interface Test {
        void run() throws Exception;
    }

    private interface Opener {
        HttpURLConnection open(String url) throws IOException;
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, Test> tests = new TreeMap<>();
        if (arguments.length > 0 && arguments[0].equals("untrusted")) {
            tests.put("a server of an unknown authority is refused", Tests::untrusted);
        } else {
            PosternConnections connections = new PosternConnections(SERVER);
            tests.put("1 a connection factory leads users of Google's hosts to the server", () -> roundTrip(url -> connections.openConnection(new URL(url))));
            tests.put("2 bad URLs are refused", Tests::badURLs);
            tests.put("3 other hosts, schemes and ports are not led", Tests::others);
            tests.put("4 headers, bodies, redirects and time-outs are the caller's", Tests::kept);
            // Last: the JVM takes one factory.
            tests.put("5 a factory leads every URL of the process", Tests::factory);
        }
        int failed = 0;
        for (Map.Entry<String, Test> test : tests.entrySet()) {
            try {
                test.getValue().run();
                System.out.println("ok " + test.getKey());
            } catch (Throwable error) {
                failed++;
                System.out.println("FAILED " + test.getKey());
                error.printStackTrace(System.out);
            }
        }
        System.out.println(tests.size() + " tests, " + failed + " failed");
        System.exit(failed == 0 ? 0 : 1);
    }

    private static void check(boolean holds, Object detail) {
        if (!holds) {
            throw new AssertionError(detail);
        }
    }

    private static String read(InputStream stream) throws IOException {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        byte[] part = new byte[8192];
        for (int count = stream.read(part); count >= 0; count = stream.read(part)) {
            text.write(part, 0, count);
        }
        return new String(text.toByteArray(), StandardCharsets.UTF_8);
    }

    private static String post(HttpURLConnection connection, String type, String body) throws IOException {
        connection.setRequestMethod("POST");
        connection.setDoOutput(true);
        connection.setRequestProperty("Content-Type", type);
        connection.getOutputStream().write(body.getBytes(StandardCharsets.UTF_8));
        int status = connection.getResponseCode();
        String answer = read(status == 200 ? connection.getInputStream() : connection.getErrorStream());
        check(status == 200, status + " " + answer);
        return answer;
    }

    private static String member(String json, String name) {
        java.util.regex.Matcher match = java.util.regex.Pattern.compile("\"" + name + "\":\\s*\"([^\"]+)\"").matcher(json);
        check(match.find(), name + " is missing in " + json);
        return match.group(1);
    }

    private static void roundTrip(Opener opener) throws IOException {
        String json = "application/json";
        String made = post(opener.open("https://identitytoolkit.googleapis.com/v1/accounts:signUp?key=" + KEY), json, "{\"returnSecureToken\":true}");
        String form = "grant_type=refresh_token&refresh_token=" + member(made, "refreshToken");
        String fresh = post(opener.open("https://securetoken.googleapis.com/v1/token?key=" + KEY), "application/x-www-form-urlencoded", form);
        String lookup = "{\"idToken\":\"" + member(fresh, "id_token") + "\"}";
        String legacy = "https://www.googleapis.com/identitytoolkit/v3/relyingparty/getAccountInfo?key=" + KEY;
        String found = post(opener.open(legacy), json, lookup);
        check(member(found, "localId").equals(member(made, "localId")), found);
    }

    private static void factory() throws IOException {
        URL.setURLStreamHandlerFactory(PosternURLs.factory(SERVER));
        roundTrip(url -> (HttpURLConnection) new URL(url).openConnection());
        // The server's own URL, whose host is none of Google's, works as before.
        HttpURLConnection own = (HttpURLConnection) new URL(SERVER + "/readyz").openConnection();
        check(own.getResponseCode() == 200, own.getResponseCode());
        check(new URL("https://www.googleapis.com/x").getDefaultPort() == 443, "default port");
    }

    private static void badURLs() {
        for (String bad : Arrays.asList(
                null, "", "auth.example.com", "http://auth.example.com", "https://", "https://a.example/path", "https://u@a.example",
                "https://a.example?x", "https://a.example#x", "ftp://a.example", "http://localhost.example.com", "https://a b", "file:///etc")) {
            try {
                new PosternConnections(bad);
                throw new AssertionError(bad);
            } catch (IllegalArgumentException error) {
                check(error.getMessage().startsWith("The server's URL"), error);
            }
        }
        new PosternConnections("http://127.0.0.1:9099");
        new PosternConnections("http://[::1]:9099/");
    }

    private static void others() throws IOException {
        PosternConnections connections = new PosternConnections(SERVER);
        for (String other : Arrays.asList(
                "https://firestore.googleapis.com/x?y", "http://identitytoolkit.googleapis.com/x", "https://www.googleapis.com:8443/",
                "https://identitytoolkit.googleapis.com.example/", "https://www.googleapis.com/drive/v3/files", "https://oauth2.googleapis.com/revoke",
                "https://example.com/identitytoolkit.googleapis.com")) {
            check(connections.openConnection(new URL(other)).getURL().toString().equals(other), other);
        }
        URL led = connections.openConnection(new URL("https://WWW.googleapis.com:443/identitytoolkit/a%2Fb?c=d&e")).getURL();
        check(led.toString().equals(SERVER + "/identitytoolkit/a%2Fb?c=d&e"), led);
    }

    private static void kept() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/echo", exchange -> {
            byte[] body = read(exchange.getRequestBody()).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("X-Seen", exchange.getRequestHeaders().getFirst("X-Mine") + " " + exchange.getRequestHeaders().getFirst("Host"));
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.createContext("/away", exchange -> {
            exchange.getResponseHeaders().set("Location", "/echo");
            exchange.sendResponseHeaders(302, -1);
            exchange.close();
        });
        server.createContext("/wait", exchange -> {});
        server.setExecutor(java.util.concurrent.Executors.newCachedThreadPool(work -> {
            Thread thread = new Thread(work);
            thread.setDaemon(true);
            return thread;
        }));
        server.start();
        String base = "http://127.0.0.1:" + server.getAddress().getPort();
        PosternConnections connections = new PosternConnections(base);
        char[] body = new char[1 << 20];
        Arrays.fill(body, 'x');
        HttpURLConnection echo = connections.openConnection(new URL("https://identitytoolkit.googleapis.com/echo"));
        echo.setRequestProperty("X-Mine", "kept");
        check(post(echo, "text/plain", new String(body)).length() == body.length, "body");
        check(echo.getHeaderField("X-Seen").equals("kept " + base.substring("http://".length())), echo.getHeaderField("X-Seen"));
        HttpURLConnection away = connections.openConnection(new URL("https://securetoken.googleapis.com/away"));
        away.setInstanceFollowRedirects(false);
        check(away.getResponseCode() == 302, away.getResponseCode());
        HttpURLConnection slow = connections.openConnection(new URL("https://securetoken.googleapis.com/wait"));
        slow.setReadTimeout(100);
        try {
            slow.getResponseCode();
            throw new AssertionError("no time-out");
        } catch (SocketTimeoutException expected) {
            check(expected.getMessage() != null, expected);
        } finally {
            server.stop(0);
        }
    }

    private static void untrusted() throws IOException {
        try {
            new PosternConnections(SERVER).openConnection(new URL("https://securetoken.googleapis.com/")).getResponseCode();
            throw new AssertionError("it was trusted");
        } catch (SSLException expected) {
            check(expected.getMessage() != null, expected);
        }
    }
}
