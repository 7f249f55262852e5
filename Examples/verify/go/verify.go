// Verifies Postern's ID tokens with Go's standard library.
package main

import (
	"bufio"
	"bytes"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

// Claims are those of an ID token that a back end needs.
type Claims struct {
	Issuer   string `json:"iss"`
	Audience string `json:"aud"`
	Subject  string `json:"sub"`
	Issued   int64  `json:"iat"`
	Expires  int64  `json:"exp"`
	AuthTime *int64 `json:"auth_time"`
	Email    string `json:"email"`
	Firebase *struct {
		Tenant *string `json:"tenant"`
	} `json:"firebase"`
}

// Verifier knows the keys of one issuer.
type Verifier struct {
	Issuer, Audience, JWKSURL string

	lock    sync.Mutex
	keys    map[string]*rsa.PublicKey
	fetched time.Time
}

func (v *Verifier) key(kid string) (*rsa.PublicKey, error) {
	v.lock.Lock()
	defer v.lock.Unlock()
	// A fetch a minute at most: anybody can send a key id that does not exist.
	if age := time.Since(v.fetched); age > time.Hour || v.keys[kid] == nil && age > time.Minute {
		v.fetched = time.Now()
		keys, err := fetch(v.JWKSURL)
		if err != nil {
			return nil, err
		}
		v.keys = keys
	}
	if key := v.keys[kid]; key != nil {
		return key, nil
	}
	return nil, errors.New("unknown key")
}

func fetch(url string) (map[string]*rsa.PublicKey, error) {
	client := http.Client{Timeout: 5 * time.Second}
	answer, err := client.Get(url)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	var set struct {
		Keys []struct{ Kid, Kty, N, E string }
	}
	if err := json.NewDecoder(io.LimitReader(answer.Body, 1<<20)).Decode(&set); err != nil || answer.StatusCode != http.StatusOK {
		return nil, errors.New("no keys")
	}
	keys := map[string]*rsa.PublicKey{}
	for _, jwk := range set.Keys {
		n, errN := base64.RawURLEncoding.DecodeString(jwk.N)
		e, errE := base64.RawURLEncoding.DecodeString(jwk.E)
		if jwk.Kty == "RSA" && errN == nil && errE == nil && len(n) >= 256 && len(e) <= 4 {
			keys[jwk.Kid] = &rsa.PublicKey{N: new(big.Int).SetBytes(n), E: int(new(big.Int).SetBytes(e).Int64())}
		}
	}
	return keys, nil
}

// Verify returns the claims, and an error for a token that is not a user's ID token of this project.
func (v *Verifier) Verify(token string) (*Claims, error) {
	parts := strings.Split(token, ".")
	if len(token) > 16384 || len(parts) != 3 {
		return nil, errors.New("no token")
	}
	var header struct {
		Alg, Kid string
		Typ      *string
		Crit     json.RawMessage
	}
	var claims Claims
	if decode(parts[0], &header) != nil || decode(parts[1], &claims) != nil {
		return nil, errors.New("no token")
	}
	if header.Alg != "RS256" || header.Crit != nil || header.Typ != nil && *header.Typ != "JWT" {
		return nil, errors.New("wrong header")
	}
	key, err := v.key(header.Kid)
	if err != nil {
		return nil, err
	}
	signature, err := base64.RawURLEncoding.Strict().DecodeString(parts[2])
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err != nil || rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], signature) != nil {
		return nil, errors.New("wrong signature")
	}
	now := time.Now().Unix()
	switch {
	case claims.Issuer != v.Issuer || claims.Audience != v.Audience:
		return nil, errors.New("not for us")
	case claims.Issued == 0 || claims.Issued > now || now >= claims.Expires || claims.AuthTime == nil || *claims.AuthTime > now:
		return nil, errors.New("not now")
	case claims.Subject == "" || len(claims.Subject) > 128:
		return nil, errors.New("no user")
	// A project without tenants refuses those of a tenant; one with tenants compares the tenant's id.
	case claims.Firebase == nil || claims.Firebase.Tenant != nil:
		return nil, errors.New("a tenant's user")
	}
	return &claims, nil
}

func decode(part string, into any) error {
	text, err := base64.RawURLEncoding.Strict().DecodeString(part)
	if err != nil {
		return err
	}
	return json.NewDecoder(bytes.NewReader(text)).Decode(into)
}

func main() {
	verifier := &Verifier{Issuer: os.Args[1], Audience: os.Args[2], JWKSURL: os.Args[3]}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if claims, err := verifier.Verify(lines.Text()); err != nil {
			fmt.Println("refused", err)
		} else {
			fmt.Println("ok", claims.Subject)
		}
	}
}
