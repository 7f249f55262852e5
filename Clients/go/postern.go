// Package postern leads the Firebase Admin SDK for Go, and any other client of Google's hosts for Firebase Authentication, to a Postern
// server: by the http.Client of option.WithHTTPClient.
package postern

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"
)

const (
	emulatorVariable = "FIREBASE_AUTH_EMULATOR_HOST"
	tokenPath        = "/oauth2/token"
	grantType        = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	// A token is asked for anew when it has less than this left.
	leeway        = time.Minute
	maximumAnswer = 64 << 10
	tokenTimeout  = 30 * time.Second
)

// What is led to the server of a host of Google's.
type service struct {
	// What its paths begin with. Two of the hosts serve many other interfaces, which stay Google's.
	paths []string
	// Whether requests carry the access token. Public keys need none.
	needsToken bool
}

var services = map[string]service{
	"identitytoolkit.googleapis.com": {[]string{"/"}, true},
	"securetoken.googleapis.com":     {[]string{"/"}, true},
	"iamcredentials.googleapis.com":  {[]string{"/"}, true},
	"oauth2.googleapis.com":          {[]string{"/token"}, false},
	"www.googleapis.com": {
		[]string{"/identitytoolkit/", "/robot/v1/metadata/", "/service_accounts/v1/", "/oauth2/v4/token"}, false,
	},
}

func find(address *url.URL) (service, bool) {
	port := address.Port()
	if address.Scheme != "https" || port != "" && port != "443" {
		return service{}, false
	}
	found := services[strings.ToLower(address.Hostname())]
	for _, path := range found.paths {
		if strings.HasPrefix(address.Path, path) {
			return found, true
		}
	}
	return service{}, false
}

// Options are what NewClient may be told besides.
type Options struct {
	// RootCAs are the authorities that may certify the server; nil for those of the system. SSL_CERT_FILE changes the latter.
	RootCAs *x509.CertPool
}

// NewClient makes the client for option.WithHTTPClient.
//
// Requests to Google's hosts for Firebase Authentication go to the server, with an access token that the key file gets there. All other
// requests go where they belong, without the token.
//
// baseURL is the server's public URL: scheme, host and port; http is taken for loopback hosts only. keyFile is the key file of a service
// account, as `postern service-account create` wrote it.
//
// It returns an error for a bad URL, for a key file that cannot be read or is another server's, and when FIREBASE_AUTH_EMULATOR_HOST is set,
// with which the SDK verifies no signature.
func NewClient(baseURL, keyFile string, options *Options) (*http.Client, error) {
	base, err := parse(baseURL)
	if err != nil {
		return nil, err
	}
	if os.Getenv(emulatorVariable) != "" {
		return nil, errors.New("postern: " + emulatorVariable + " is set: the SDK would verify no signature; unset it")
	}
	key, err := readKey(keyFile)
	if err != nil {
		return nil, err
	}
	if key.TokenURI != base.String()+tokenPath {
		return nil, errors.New("postern: the key file is for another server: its token_uri is not below the given URL")
	}
	direct := http.DefaultTransport.(*http.Transport).Clone()
	led := http.DefaultTransport.(*http.Transport).Clone()
	if options != nil && options.RootCAs != nil {
		led.TLSClientConfig = &tls.Config{RootCAs: options.RootCAs, MinVersion: tls.VersionTLS12}
	}
	return &http.Client{Transport: &transport{base: base, key: key, led: led, direct: direct}}, nil
}

type transport struct {
	base        *url.URL
	key         *key
	led, direct http.RoundTripper

	lock   sync.Mutex
	token  string
	expiry time.Time
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	service, isLed := find(request.URL)
	if !isLed {
		return t.direct.RoundTrip(request)
	}
	// A round tripper must not change the request that it was given.
	led := request.Clone(request.Context())
	led.URL.Scheme, led.URL.Host = t.base.Scheme, t.base.Host
	led.Host = ""
	if service.needsToken && led.Header.Get("Authorization") == "" {
		token, err := t.accessToken(request.Context())
		if err != nil {
			if request.Body != nil {
				request.Body.Close()
			}
			return nil, err
		}
		led.Header.Set("Authorization", "Bearer "+token)
	}
	return t.led.RoundTrip(led)
}

// One caller asks for a token while the others wait, for tokenTimeout at most.
func (t *transport) accessToken(ctx context.Context) (string, error) {
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.token != "" && time.Until(t.expiry) > leeway {
		return t.token, nil
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	token, seconds, err := t.exchange(ctx)
	if err != nil {
		return "", err
	}
	t.token, t.expiry = token, time.Now().Add(time.Duration(seconds)*time.Second)
	return token, nil
}

// RFC 7523 §2.1.
func (t *transport) exchange(ctx context.Context) (string, int64, error) {
	assertion, err := t.key.assertion(time.Now())
	if err != nil {
		return "", 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, tokenTimeout)
	defer cancel()
	form := url.Values{"grant_type": {grantType}, "assertion": {assertion}}.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, t.key.TokenURI, strings.NewReader(form))
	if err != nil {
		return "", 0, errors.New("postern: the token endpoint is not a URL")
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := t.led.RoundTrip(request)
	if err != nil {
		return "", 0, fmt.Errorf("postern: no access token: %w", err)
	}
	defer response.Body.Close()
	var answer struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int64  `json:"expires_in"`
		Error       string `json:"error"`
	}
	err = json.NewDecoder(io.LimitReader(response.Body, maximumAnswer)).Decode(&answer)
	if err != nil || response.StatusCode != http.StatusOK || answer.AccessToken == "" {
		return "", 0, fmt.Errorf("postern: no access token: %d %s", response.StatusCode, answer.Error)
	}
	return answer.AccessToken, answer.ExpiresIn, nil
}

type key struct {
	ID         string `json:"private_key_id"`
	PrivateKey string `json:"private_key"`
	Email      string `json:"client_email"`
	TokenURI   string `json:"token_uri"`
	private    *rsa.PrivateKey
}

// The error never quotes the file, which holds a private key.
func readKey(file string) (*key, error) {
	refused := errors.New("postern: the key file cannot be read, or is not one of a service account")
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, refused
	}
	var read key
	if json.Unmarshal(text, &read) != nil || read.Email == "" {
		return nil, refused
	}
	block, _ := pem.Decode([]byte(read.PrivateKey))
	if block == nil {
		return nil, refused
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, refused
	}
	private, isRSA := parsed.(*rsa.PrivateKey)
	if !isRSA {
		return nil, refused
	}
	read.private = private
	return &read, nil
}

func (k *key) assertion(now time.Time) (string, error) {
	// Two processes that start in one second send different assertions.
	name := make([]byte, 16)
	if _, err := rand.Read(name); err != nil {
		return "", err
	}
	header := map[string]string{"alg": "RS256", "typ": "JWT", "kid": k.ID}
	claims := map[string]any{
		"iss": k.Email, "aud": k.TokenURI, "iat": now.Unix(), "exp": now.Unix() + 300, "jti": hex.EncodeToString(name),
	}
	parts := make([]string, 0, 3)
	for _, part := range []any{header, claims} {
		text, err := json.Marshal(part)
		if err != nil {
			return "", err
		}
		parts = append(parts, base64.RawURLEncoding.EncodeToString(text))
	}
	digest := sha256.Sum256([]byte(strings.Join(parts, ".")))
	signature, err := rsa.SignPKCS1v15(rand.Reader, k.private, crypto.SHA256, digest[:])
	if err != nil {
		return "", errors.New("postern: the key of the key file cannot sign")
	}
	return strings.Join(append(parts, base64.RawURLEncoding.EncodeToString(signature)), "."), nil
}

func parse(text string) (*url.URL, error) {
	base, err := url.Parse(text)
	if err != nil || base.Hostname() == "" || base.Opaque != "" {
		return nil, errors.New("postern: the server's URL is not a URL")
	}
	if base.User != nil || base.Path != "" && base.Path != "/" || strings.ContainsAny(text, "?#") {
		return nil, errors.New("postern: the server's URL has scheme, host and port only")
	}
	if base.Scheme != "https" && !(base.Scheme == "http" && isLoopback(base.Hostname())) {
		return nil, errors.New("postern: the server's URL must start with https://, or name a loopback host")
	}
	return &url.URL{Scheme: base.Scheme, Host: base.Host}, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
