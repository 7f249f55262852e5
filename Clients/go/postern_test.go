package postern

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var (
	serverURL = os.Getenv("POSTERN_TEST_URL")
	keyFile   = os.Getenv("POSTERN_TEST_KEY_FILE")
	project   = os.Getenv("POSTERN_TEST_PROJECT_ID")
)

func roots(t *testing.T) *Options {
	t.Helper()
	text, err := os.ReadFile(os.Getenv("POSTERN_TEST_CA"))
	pool := x509.NewCertPool()
	if err != nil || !pool.AppendCertsFromPEM(text) {
		t.Fatal("POSTERN_TEST_CA names no certificate")
	}
	return &Options{RootCAs: pool}
}

func client(t *testing.T, base, file string, options *Options) *http.Client {
	t.Helper()
	made, err := NewClient(base, file, options)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func post(t *testing.T, client *http.Client, address string, body any) (int, map[string]any) {
	t.Helper()
	text, _ := json.Marshal(body)
	response, err := client.Post(address, "application/json", strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var answer map[string]any
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, answer
}

func randomName(t *testing.T) string {
	name := make([]byte, 12)
	if _, err := rand.Read(name); err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(name)
}

// changedKey writes the key file with some members replaced.
func changedKey(t *testing.T, changes map[string]any) string {
	t.Helper()
	text, err := os.ReadFile(keyFile)
	if err != nil {
		t.Fatal(err)
	}
	var key map[string]any
	if err := json.Unmarshal(text, &key); err != nil {
		t.Fatal(err)
	}
	for name, value := range changes {
		key[name] = value
	}
	changed, _ := json.Marshal(key)
	file := filepath.Join(t.TempDir(), "key.json")
	if err := os.WriteFile(file, changed, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestUsersAreManagedOnTheServerUnderGooglesHost(t *testing.T) {
	client := client(t, serverURL, keyFile, roots(t))
	users := "https://identitytoolkit.googleapis.com/v1/projects/" + project + "/accounts"
	id := randomName(t)
	if status, answer := post(t, client, users, map[string]any{"localId": id, "displayName": "Ada"}); status != 200 {
		t.Fatal(status, answer)
	}
	status, answer := post(t, client, users+":lookup", map[string]any{"localId": []string{id}})
	if status != 200 || answer["users"].([]any)[0].(map[string]any)["displayName"] != "Ada" {
		t.Fatal(status, answer)
	}
}

func TestPublicKeysComeFromTheServer(t *testing.T) {
	client := client(t, serverURL, keyFile, roots(t))
	response, err := client.Get("https://www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	if response.StatusCode != 200 || !strings.Contains(string(text), "BEGIN CERTIFICATE") {
		t.Fatal(response.Status, string(text))
	}
}

// A stand-in for the server that counts what it is asked.
type standIn struct {
	*httptest.Server
	exchanges int64
	bearers   sync.Map
	lifetime  int64
}

func newStandIn(t *testing.T) *standIn {
	s := &standIn{lifetime: 3600}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == tokenPath {
			number := atomic.AddInt64(&s.exchanges, 1)
			answer := map[string]any{"access_token": "token-" + string(rune('0'+number)), "expires_in": s.lifetime}
			json.NewEncoder(w).Encode(answer)
			return
		}
		if r.URL.Path == "/wait" {
			<-r.Context().Done()
			return
		}
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "https://elsewhere.example/", http.StatusFound)
			return
		}
		s.bearers.Store(r.URL.Path, r.Header.Get("Authorization"))
		io.Copy(w, r.Body)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *standIn) client(t *testing.T) *http.Client {
	return client(t, s.URL, changedKey(t, map[string]any{"token_uri": s.URL + tokenPath}), nil)
}

func TestConcurrentRequestsShareOneTokenUntilItEnds(t *testing.T) {
	server := newStandIn(t)
	client := server.client(t)
	var group sync.WaitGroup
	for i := 0; i < 20; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			response, err := client.Get("https://identitytoolkit.googleapis.com/x")
			if err != nil {
				t.Error(err)
				return
			}
			response.Body.Close()
		}()
	}
	group.Wait()
	if server.exchanges != 1 {
		t.Fatal(server.exchanges)
	}
	server.lifetime = 30
	short := server.client(t)
	for i := 0; i < 2; i++ {
		response, err := short.Get("https://identitytoolkit.googleapis.com/x")
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
	}
	if server.exchanges != 3 {
		t.Fatal(server.exchanges)
	}
}

func TestTheTokenGoesWhereItIsNeededAndNowhereElse(t *testing.T) {
	server := newStandIn(t)
	client := server.client(t)
	for host, bearer := range map[string]string{"identitytoolkit": "Bearer token-1", "www": ""} {
		response, err := client.Get("https://" + host + ".googleapis.com/identitytoolkit/" + host)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if seen, _ := server.bearers.Load("/identitytoolkit/" + host); seen != bearer {
			t.Fatal(host, seen)
		}
	}
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Header.Get("Authorization")) }))
	defer other.Close()
	response, err := client.Get(other.URL + "/identitytoolkit.googleapis.com")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if text, _ := io.ReadAll(response.Body); len(text) != 0 {
		t.Fatal("another host was sent the token")
	}
}

func TestOtherInterfacesOfGooglesHostsStayGoogles(t *testing.T) {
	for text, isLed := range map[string]bool{
		"https://www.googleapis.com/drive/v3/files": false, "https://oauth2.googleapis.com/revoke": false,
		"https://www.googleapis.com:8443/identitytoolkit/": false, "http://www.googleapis.com/identitytoolkit/": false,
		"https://identitytoolkit.googleapis.com.example/": false, "https://WWW.googleapis.com/robot/v1/metadata/x": true,
		"https://firestore.googleapis.com/": false, "https://www.googleapis.com/identitytoolkit": false,
	} {
		address, _ := url.Parse(text)
		if _, found := find(address); found != isLed {
			t.Error(text)
		}
	}
}

func TestARequestKeepsItsBodyAndIsNotChanged(t *testing.T) {
	server := newStandIn(t)
	request, _ := http.NewRequest("POST", "https://securetoken.googleapis.com/echo", strings.NewReader(strings.Repeat("x", 1<<20)))
	request.Header.Set("Authorization", "Bearer mine")
	response, err := server.client(t).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	seen, _ := server.bearers.Load("/echo")
	if len(text) != 1<<20 || seen != "Bearer mine" || request.URL.Host != "securetoken.googleapis.com" {
		t.Fatal(len(text), seen, request.URL.Host)
	}
}

func TestTimeoutsAndRedirectsAreTheClients(t *testing.T) {
	server := newStandIn(t)
	client := server.client(t)
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	request, _ := http.NewRequestWithContext(ctx, "GET", "https://identitytoolkit.googleapis.com/wait", nil)
	if _, err := client.Do(request); err == nil || !strings.Contains(err.Error(), "deadline") {
		t.Fatal(err)
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	response, err := client.Get("https://identitytoolkit.googleapis.com/away")
	if err != nil || response.Header.Get("Location") != "https://elsewhere.example/" {
		t.Fatal(err, response)
	}
	response.Body.Close()
}

func TestAServerOfAnUnknownAuthorityIsRefused(t *testing.T) {
	_, err := client(t, serverURL, keyFile, nil).Get("https://securetoken.googleapis.com/")
	if err == nil || !strings.Contains(err.Error(), "unknown authority") {
		t.Fatal(err)
	}
}

func TestAForeignKeyGetsNoTokenAndShowsNoSecret(t *testing.T) {
	private, _ := rsa.GenerateKey(rand.Reader, 2048)
	der, _ := x509.MarshalPKCS8PrivateKey(private)
	text := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	client := client(t, serverURL, changedKey(t, map[string]any{"private_key": text}), roots(t))
	_, err := client.Get("https://identitytoolkit.googleapis.com/v1/projects/" + project + "/accounts:batchGet")
	if err == nil || !strings.Contains(err.Error(), "400 invalid_grant") || strings.Contains(err.Error(), "ey") {
		t.Fatal(err)
	}
}

func TestBadURLsKeyFilesAndAnEmulatorAreRefused(t *testing.T) {
	for _, bad := range []string{
		"", "auth.example.com", "http://auth.example.com", "https://", "https://a.example/path", "https://u@a.example", "https://a.example?x",
		"ftp://a.example", "https:a.example", "http://localhost.example.com", "https://a.example#", "https://[::1",
	} {
		if _, err := NewClient(bad, keyFile, nil); err == nil {
			t.Error(bad)
		}
	}
	for _, file := range []string{"/nonexistent", "postern.go", changedKey(t, map[string]any{"private_key": "SECRET"})} {
		if _, err := NewClient(serverURL, file, nil); err == nil || strings.Contains(err.Error(), "SECRET") {
			t.Error(file, err)
		}
	}
	if _, err := NewClient("https://other.example.com", keyFile, nil); err == nil {
		t.Error("another server's key file was taken")
	}
	t.Setenv(emulatorVariable, "127.0.0.1:9099")
	if _, err := NewClient(serverURL, keyFile, nil); err == nil {
		t.Error("an emulator was taken")
	}
}
