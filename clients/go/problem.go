package logstead

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"logstead/api"
)

// Problem is the refusal of a request (RFC 9457).
type Problem struct {
	api.Problem
	// Status is the status of the answer.
	Status int
	// RetryAfter is the time after which it is worth trying again, if the server named one.
	RetryAfter time.Duration
	// Document is the whole problem document, which may say more.
	Document json.RawMessage
}

// Kind is the name of the problem, such as query-syntax.
func (p *Problem) Kind() string {
	return strings.TrimPrefix(string(p.Type), "urn:logstead:problem:")
}

func (p *Problem) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "logstead: %d %s: %s", p.Status, p.Title, p.Detail)
	if p.Excerpt != nil {
		fmt.Fprintf(&text, "\n%s", *p.Excerpt)
	}
	if p.Problems != nil {
		for _, problem := range *p.Problems {
			fmt.Fprintf(&text, "\n%s: %s", problem.Path, problem.Message)
		}
	}
	if p.RequestId != nil {
		fmt.Fprintf(&text, "\nrequest %s", *p.RequestId)
	}
	return text.String()
}

// isTemporary says whether the refusal is about the moment and not about the request.
func (p *Problem) isTemporary() bool {
	switch p.Status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// longestQuote is the longest piece of an answer in a foreign format that an error quotes.
const longestQuote = 200

// problemOf reads an unsuccessful answer, even if something in between wrote it.
func problemOf(response *http.Response) *Problem {
	body := readAndClose(response)
	problem := &Problem{Status: response.StatusCode, RetryAfter: retryAfter(response.Header), Document: body}
	if err := json.Unmarshal(body, &problem.Problem); err != nil || problem.Title == "" {
		problem.Title = http.StatusText(response.StatusCode)
		problem.Detail = "this answer is not from Logstead: " + strings.ToValidUTF8(string(body[:min(len(body), longestQuote)]), "")
		problem.Document = nil
	}
	return problem
}

// IncompleteError says that an answer lacks something: an export broke, or there was no time to search everything.
type IncompleteError struct {
	Reason string
	Err    error
}

func (e *IncompleteError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("logstead: %s: %v", e.Reason, e.Err)
	}
	return "logstead: " + e.Reason
}

func (e *IncompleteError) Unwrap() error { return e.Err }
