package logstead

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

// asking has the paths of the operations that change nothing although they are sent by POST.
var asking = regexp.MustCompile(
	`/(search|count|histogram|facets|aggregate|explain|overview|fields|complete|query|validate|trace)$`)

// transport sends the requests of the generated client, again if need be.
type transport struct {
	http  *http.Client
	token string
	retry Retry
}

// Do returns a good answer, or an error, which is a *Problem if the server refused the request.
func (t *transport) Do(request *http.Request) (*http.Response, error) {
	if t.token != "" {
		request.Header.Set("Authorization", "Bearer "+t.token)
	}
	isKeyed := request.Header.Get("Idempotency-Key") != ""
	isRepeatable := request.Method == http.MethodGet || isKeyed || asking.MatchString(request.URL.Path)
	attempts := newAttempts(t.retry)
	for {
		response, err := t.http.Do(request)
		if err == nil && response.StatusCode < 300 {
			return response, nil
		}
		mayRepeat := isRepeatable
		if err == nil {
			problem := problemOf(response)
			isUnderWay := isKeyed && attempts.number > 0 && problem.Status == http.StatusConflict
			mayRepeat = isRepeatable && (problem.isTemporary() || isUnderWay)
			err = problem
		} else if neverSent(err) {
			mayRepeat = true
		}
		if request.Context().Err() != nil || !mayRepeat || (request.Body != nil && request.GetBody == nil) {
			return nil, err
		}
		if err := attempts.wait(request.Context(), err); err != nil {
			return nil, err
		}
		if request.GetBody != nil {
			if request.Body, err = request.GetBody(); err != nil {
				return nil, err
			}
		}
	}
}

func neverSent(err error) bool {
	var failure *net.OpError
	return errors.As(err, &failure) && failure.Op == "dial"
}

// attempts counts the attempts of one request.
type attempts struct {
	retry  Retry
	end    time.Time
	number int
}

func newAttempts(retry Retry) *attempts {
	return &attempts{retry: retry, end: time.Now().Add(retry.Deadline)}
}

// wait waits before the next attempt; it returns the error of the last one if there is none.
func (a *attempts) wait(ctx context.Context, last error) error {
	grown := min(a.retry.FirstWait<<min(a.number, 16), a.retry.LongestWait)
	a.number++
	wait := time.Duration(float64(grown) * (0.5 + rand.Float64()/2))
	var problem *Problem
	if errors.As(last, &problem) {
		wait = max(wait, problem.RetryAfter)
	}
	if time.Now().Add(wait).After(a.end) {
		return last
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// longestProblem is the length at which the text of a refusal is cut off.
const longestProblem = 1 << 20

func readAndClose(response *http.Response) []byte {
	defer response.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(response.Body, longestProblem)) // the status is known, whatever is missing
	return body
}

func retryAfter(header http.Header) time.Duration {
	seconds, err := strconv.Atoi(header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}
