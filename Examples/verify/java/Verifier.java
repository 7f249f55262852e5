// Verifies Postern's ID tokens with the JDK's own cryptography and Jackson.
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.math.BigInteger;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.RSAPublicKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;

/** Knows the keys of one issuer. */
public final class Verifier {
    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    private final HttpClient http = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private final String issuer;
    private final String audience;
    private final URI jwks;
    private Map<String, PublicKey> keys = Map.of();
    private Instant fetched = Instant.MIN;

    public Verifier(String issuer, String audience, String jwks) {
        this.issuer = issuer;
        this.audience = audience;
        this.jwks = URI.create(jwks);
    }

    private synchronized PublicKey key(String kid) throws Exception {
        // A fetch a minute at most: anybody can send a key id that does not exist.
        Instant now = Instant.now();
        boolean isOld = fetched.isBefore(now.minusSeconds(3600));
        if (isOld || !keys.containsKey(kid) && fetched.isBefore(now.minusSeconds(60))) {
            fetched = now;
            keys = fetch();
        }
        PublicKey key = keys.get(kid);
        if (key == null) {
            throw new GeneralSecurityException("unknown key");
        }
        return key;
    }

    private Map<String, PublicKey> fetch() throws Exception {
        HttpRequest request = HttpRequest.newBuilder(jwks).timeout(Duration.ofSeconds(5)).build();
        HttpResponse<byte[]> answer = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
        if (answer.statusCode() != 200) {
            throw new GeneralSecurityException("no keys");
        }
        Map<String, PublicKey> found = new HashMap<>();
        for (JsonNode jwk : JSON.readTree(answer.body()).path("keys")) {
            if (jwk.path("kty").asText().equals("RSA")) {
                BigInteger modulus = new BigInteger(1, bytes(jwk.path("n").asText()));
                BigInteger exponent = new BigInteger(1, bytes(jwk.path("e").asText()));
                found.put(jwk.path("kid").asText(), KeyFactory.getInstance("RSA").generatePublic(new RSAPublicKeySpec(modulus, exponent)));
            }
        }
        return found;
    }

    /** Returns the claims. Throws for a token that is not a user's ID token of this project. */
    public JsonNode verify(String token) throws Exception {
        String[] parts = token.split("\\.", -1);
        if (token.length() > 16384 || parts.length != 3) {
            throw new GeneralSecurityException("no token");
        }
        JsonNode header = JSON.readTree(bytes(parts[0]));
        JsonNode claims = JSON.readTree(bytes(parts[1]));
        if (!text(header, "alg").equals("RS256") || !header.path("typ").asText("JWT").equals("JWT") || header.has("crit")) {
            throw new GeneralSecurityException("wrong header");
        }
        Signature signature = Signature.getInstance("SHA256withRSA");
        signature.initVerify(key(text(header, "kid")));
        signature.update((parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII));
        if (!signature.verify(bytes(parts[2]))) {
            throw new GeneralSecurityException("wrong signature");
        }
        if (!text(claims, "iss").equals(issuer) || !text(claims, "aud").equals(audience)) {
            throw new GeneralSecurityException("not for us");
        }
        long now = Instant.now().getEpochSecond();
        if (time(claims, "iat") > now || now >= time(claims, "exp") || time(claims, "auth_time") > now) {
            throw new GeneralSecurityException("not now");
        }
        String subject = text(claims, "sub");
        if (subject.isEmpty() || subject.length() > 128) {
            throw new GeneralSecurityException("no user");
        }
        // A project without tenants refuses those of a tenant; one with tenants compares the tenant's id.
        if (!claims.path("firebase").isObject() || claims.path("firebase").has("tenant")) {
            throw new GeneralSecurityException("a tenant's user");
        }
        return claims;
    }

    private static String text(JsonNode node, String name) throws GeneralSecurityException {
        if (!node.path(name).isTextual()) {
            throw new GeneralSecurityException("no " + name);
        }
        return node.path(name).textValue();
    }

    private static long time(JsonNode node, String name) throws GeneralSecurityException {
        if (!node.path(name).canConvertToLong()) {
            throw new GeneralSecurityException("no " + name);
        }
        return node.path(name).longValue();
    }

    private static byte[] bytes(String part) {
        return Base64.getUrlDecoder().decode(part);
    }

    public static void main(String[] arguments) throws Exception {
        Verifier verifier = new Verifier(arguments[0], arguments[1], arguments[2]);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            try {
                System.out.println("ok " + verifier.verify(line).path("sub").asText());
            } catch (Exception error) {
                System.out.println("refused " + error.getClass().getSimpleName());
            }
        }
    }
}
