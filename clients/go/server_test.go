package logstead_test

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	logstead "logstead"
)

const token = "go-administrator-token"

const router = `version = 1
[[sources]]
id = "http"
kind = "http"
[[logspaces]]
id = "main"
[[routes]]
id = "default"
to = ["main"]
`

// server is the real server, on a free port, with a data folder of its own.
type server struct {
	t        *testing.T
	folder   string
	settings []string
	listen   string
	url      string
	process  *exec.Cmd
}

func startServer(t *testing.T, settings ...string) *server {
	t.Helper()
	server := &server{t: t, folder: t.TempDir(), settings: settings, listen: "127.0.0.1:0"}
	if err := os.WriteFile(filepath.Join(server.folder, "router.toml"), []byte(router), 0o600); err != nil {
		t.Fatal(err)
	}
	server.start()
	t.Cleanup(server.end)
	return server
}

// start starts the server, after a restart with the same port.
func (s *server) start() {
	s.t.Helper()
	binary := os.Getenv("LOGSTEAD")
	if binary == "" {
		s.t.Fatal("name the server in LOGSTEAD")
	}
	s.process = exec.Command(binary, "serve", "--data", filepath.Join(s.folder, "data"),
		"--router", filepath.Join(s.folder, "router.toml"), "--set", "web.listen="+s.listen)
	for _, setting := range s.settings {
		s.process.Args = append(s.process.Args, "--set", setting)
	}
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "LOGSTEAD_") {
			s.process.Env = append(s.process.Env, variable)
		}
	}
	s.process.Env = append(s.process.Env, "LOGSTEAD_CONFIG=/dev/null", "LOGSTEAD_ADMIN_TOKEN="+token)
	output, err := s.process.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.process.Start(); err != nil {
		s.t.Fatal(err)
	}
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if address, is := strings.CutPrefix(lines.Text(), "ready: console "); is {
			s.url = strings.Fields(address)[0]
			s.listen = strings.TrimPrefix(s.url, "http://")
			go func() {
				for lines.Scan() { // nothing waits because nobody reads
				}
			}()
			return
		}
	}
	s.t.Fatal("the server ended before it was ready")
}

func (s *server) end() {
	if s.process.ProcessState == nil {
		_ = s.process.Process.Signal(syscall.SIGTERM)
		_ = s.process.Wait()
	}
}

func (s *server) client(options ...logstead.Option) *logstead.Client {
	s.t.Helper()
	client, err := logstead.New(s.url, token, options...)
	if err != nil {
		s.t.Fatal(err)
	}
	return client
}

// between passes requests on to a server, but for those that the next fault handles.
type between struct {
	*httptest.Server
	mutex    sync.Mutex
	faults   []http.HandlerFunc
	requests int
	pass     http.Handler
}

func startBetween(t *testing.T, target string) *between {
	t.Helper()
	address, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(address)
	proxy.FlushInterval = -1
	between := &between{pass: proxy}
	between.Server = httptest.NewServer(between)
	t.Cleanup(func() {
		between.CloseClientConnections()
		between.Close()
	})
	return between
}

func (b *between) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	b.mutex.Lock()
	b.requests++
	handler := b.pass
	if len(b.faults) > 0 {
		handler, b.faults = b.faults[0], b.faults[1:]
	}
	b.mutex.Unlock()
	handler.ServeHTTP(writer, request)
}

func (b *between) add(faults ...http.HandlerFunc) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.faults = append(b.faults, faults...)
}

func (b *between) asked() int {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.requests
}

func (b *between) client(t *testing.T, options ...logstead.Option) *logstead.Client {
	t.Helper()
	client, err := logstead.New(b.URL, token, options...)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func refuse(status int) http.HandlerFunc {
	return func(writer http.ResponseWriter, _ *http.Request) {
		writer.Header().Set("Retry-After", "0")
		writer.WriteHeader(status)
	}
}
