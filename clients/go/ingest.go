package logstead

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"

	"logstead/api"
)

// The bounds of one request of Ingest.
const (
	messagesInBody = 10_000
	bytesInBody    = 8 << 20
	errorsKept     = 1000
)

// Ingest stores messages, each of which becomes a JSON object, in as many requests as their number demands. Each request
// is sent again until there is an answer: its Idempotency-Key prevents that anything is stored twice. With a key of your
// own in the parameters, even a repeated call stores nothing twice. Messages that the server cannot read are counted as
// Rejected; that all of them are, is an error. With an error, the answer has the counts of what was stored before.
func (c *Client) Ingest(
	ctx context.Context, messages []any, params api.IngestMessagesParams,
) (api.Ingested, error) {
	return c.IngestAll(ctx, slices.Values(messages), params)
}

// IngestAll is [Client.Ingest] for messages that are not all in memory.
func (c *Client) IngestAll(
	ctx context.Context, messages iter.Seq[any], params api.IngestMessagesParams,
) (api.Ingested, error) {
	sum := api.Ingested{Errors: []api.LineError{}}
	key := rand.Text()
	if params.IdempotencyKey != nil {
		key = *params.IdempotencyKey
	}
	first, count := 0, 0
	var body bytes.Buffer
	var refusal error
	send := func() error {
		params.IdempotencyKey = Ptr(fmt.Sprintf("%s-%d-%d", key, first, count))
		stored, err := c.ingestBody(ctx, body.Bytes(), &params)
		if stored == nil {
			return err
		}
		refusal = errors.Join(refusal, err)
		add(&sum, stored, first)
		first, count = first+count, 0
		body.Reset()
		return nil
	}
	for message := range messages {
		line, err := json.Marshal(message)
		if err != nil {
			return sum, fmt.Errorf("logstead: message %d: %w", first+count+1, err)
		}
		if count >= messagesInBody || count > 0 && body.Len()+len(line) > bytesInBody {
			if err := send(); err != nil {
				return sum, err
			}
		}
		body.Write(line)
		body.WriteByte('\n')
		count++
	}
	if count > 0 {
		if err := send(); err != nil {
			return sum, err
		}
	}
	if sum.Accepted+sum.Dropped > 0 {
		return sum, nil
	}
	return sum, refusal
}

// ingestBody returns the counts, or the error that stops everything, or both if no message could be read.
func (c *Client) ingestBody(
	ctx context.Context, body []byte, params *api.IngestMessagesParams,
) (*api.Ingested, error) {
	answer, err := c.IngestMessagesWithBodyWithResponse(ctx, params, "application/x-ndjson", bytes.NewReader(body))
	if err == nil {
		if answer.JSON200 == nil {
			return nil, errors.New("logstead: the answer has no counts: is this the address of a server?")
		}
		return answer.JSON200, nil
	}
	var problem *Problem
	if !errors.As(err, &problem) {
		return nil, err
	}
	var counts struct {
		api.Ingested
		Rejected *int `json:"rejected"`
	}
	if json.Unmarshal(problem.Document, &counts) != nil || counts.Rejected == nil {
		return nil, err
	}
	counts.Ingested.Rejected = *counts.Rejected
	return &counts.Ingested, err
}

func add(sum, stored *api.Ingested, first int) {
	sum.Accepted += stored.Accepted
	sum.Dropped += stored.Dropped
	sum.Rejected += stored.Rejected
	for _, line := range stored.Errors[:min(len(stored.Errors), errorsKept-len(sum.Errors))] {
		line.Line += first
		sum.Errors = append(sum.Errors, line)
	}
}
