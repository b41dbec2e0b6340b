// Package logstead is a client of the log store Logstead. Every operation of its API is a method, generated from the
// description of the API; searches, exports and live tails are iterators, and what the server refuses is a [Problem].
package logstead

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"time"

	"logstead/api"
)

// Client is a server, as a caller with an API token sees it. Its methods may be called from several goroutines.
type Client struct {
	// The operations of the API, such as CountMessagesWithResponse. An answer that is not a good one is an error.
	*api.ClientWithResponses
	transport *transport
}

// Retry says how long requests are tried again. A request is sent again if that is safe: if it changes nothing, has an
// Idempotency-Key, or has not reached the server.
type Retry struct {
	// Deadline is the time after the first attempt until which the last one may begin; 0 for a single attempt.
	Deadline time.Duration
	// Waits grow from FirstWait to LongestWait, unless the server names a time in Retry-After.
	FirstWait, LongestWait time.Duration
}

// Option is a setting of a client.
type Option func(*transport)

// WithHTTPClient sets the client that sends requests, for example one that trusts an authority of your own.
func WithHTTPClient(client *http.Client) Option {
	return func(transport *transport) { transport.http = client }
}

// WithRetry sets how long requests are tried again.
func WithRetry(retry Retry) Option {
	return func(transport *transport) { transport.retry = retry }
}

// New returns a client of the server at an address such as https://logs.example.org, with an API token.
func New(address, token string, options ...Option) (*Client, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" || (parsed.Scheme != "http" && parsed.Scheme != "https") {
		return nil, fmt.Errorf("logstead: %q is not an address: start it with http:// or https://", address)
	}
	transport := &transport{
		http:  defaultHTTPClient(),
		token: token,
		retry: Retry{Deadline: 30 * time.Second, FirstWait: 200 * time.Millisecond, LongestWait: 5 * time.Second},
	}
	for _, option := range options {
		option(transport)
	}
	generated, err := api.NewClientWithResponses(address, api.WithHTTPClient(transport))
	if err != nil {
		return nil, fmt.Errorf("logstead: %w", err)
	}
	return &Client{generated, transport}, nil
}

// answerTimeout is how long a server may take until its answer begins.
const answerTimeout = time.Minute

func defaultHTTPClient() *http.Client {
	transport, ok := http.DefaultTransport.(*http.Transport)
	if !ok { // the program has replaced it
		return http.DefaultClient
	}
	transport = transport.Clone()
	transport.ResponseHeaderTimeout = answerTimeout
	return &http.Client{Transport: transport}
}

// FromEnv returns a client of the server that LOGSTEAD_SERVER and LOGSTEAD_TOKEN name, as for the command line.
func FromEnv(options ...Option) (*Client, error) {
	address := os.Getenv("LOGSTEAD_SERVER")
	if address == "" {
		return nil, errors.New("logstead: set LOGSTEAD_SERVER to the address of the server")
	}
	return New(address, os.Getenv("LOGSTEAD_TOKEN"), options...)
}

// Ptr returns a pointer to a value, as optional parts of requests are pointers.
func Ptr[T any](value T) *T { return &value }
