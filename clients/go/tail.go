package logstead

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"time"

	"logstead/api"
)

// silence is the time after which a connection counts as dead: the server sends something every second.
const silence = 15 * time.Second

// tailDeadline is how long a tail tries to connect again, unless Retry says otherwise.
const tailDeadline = 10 * time.Minute

// Loss is about messages that a tail does not show.
type Loss struct {
	// Messages is their number at most, or nil if that is not known.
	Messages *int64
	Reason   string
}

// Tail follows messages as they are stored, and connects again by itself.
type Tail struct {
	// Position is behind the last event, all messages of which were taken. As Since, it continues the tail, even in
	// another process.
	Position string
	// Status has the counts that the server sends every second.
	Status *api.StatusTailEvent
	// OnLoss is called with what the tail lost. Without it, losses are logged as warnings.
	OnLoss func(Loss)
	// Retry is how long the tail tries to connect again: ten minutes by default.
	Retry Retry

	client *Client
	params api.TailMessagesParams
	// last is the number of messages that Last still asks for, until the stored ones have come.
	last *int32
	// beganAt is the position at which the tail began, which all stored messages have.
	beganAt string
	stored  int32
}

// Tail returns a tail, which begins with the iteration over its messages.
func (c *Client) Tail(params api.TailMessagesParams) *Tail {
	tail := &Tail{client: c, params: params, Retry: c.transport.retry}
	tail.Retry.Deadline = tailDeadline
	if params.Since != nil {
		tail.Position = *params.Since
	} else {
		tail.last = params.Last
	}
	return tail
}

// Messages iterates over the messages until the context ends, or something is wrong for good.
func (t *Tail) Messages(ctx context.Context) iter.Seq2[api.Message, error] {
	return func(yield func(api.Message, error) bool) {
		attempts := newAttempts(t.Retry)
		for {
			isWanted := true
			err := t.follow(ctx, func(message api.Message) bool {
				isWanted = yield(message, nil)
				return isWanted
			}, func() { attempts = newAttempts(t.Retry) })
			if !isWanted {
				return
			}
			var problem *Problem
			isFinal := ctx.Err() != nil || errors.As(err, &problem) && !problem.isTemporary()
			if !isFinal {
				err = attempts.wait(ctx, err)
				isFinal = err != nil
			}
			if isFinal {
				yield(api.Message{}, err)
				return
			}
		}
	}
}

// follow passes on what one connection brings; it returns why that ended.
func (t *Tail) follow(ctx context.Context, take func(api.Message) bool, alive func()) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(silence, func() { cancel(errors.New("logstead: the tail was silent for too long")) })
	defer watch.Stop()
	response, err := t.client.TailMessages(ctx, t.reopen(), func(_ context.Context, request *http.Request) error {
		request.Header.Set("Accept", "text/event-stream")
		return nil
	})
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var id string
	var data []byte
	for line, err := range lines(response.Body) {
		watch.Reset(silence)
		if err != nil {
			return errors.Join(context.Cause(ctx), err)
		}
		if value, is := bytes.CutPrefix(line, []byte("id:")); is {
			id = string(bytes.TrimSpace(value))
		} else if value, is := bytes.CutPrefix(line, []byte("data:")); is {
			data = append(data, value...)
		} else if len(line) == 0 && len(data) > 0 { // an event that was cut off is left out
			alive()
			isWanted, err := t.pass(id, data, take)
			if !isWanted || err != nil {
				return err
			}
			data = nil
		}
	}
	return errors.New("logstead: the server ended the tail")
}

// pass passes on the messages of an event; it returns whether more are wanted.
func (t *Tail) pass(id string, data []byte, take func(api.Message) bool) (bool, error) {
	var event struct {
		Kind     string          `json:"kind"`
		Messages json.RawMessage `json:"messages"`
		Reason   string          `json:"reason"`
		Status   int             `json:"status"`
	}
	if err := json.Unmarshal(data, &event); err != nil {
		return false, fmt.Errorf("logstead: an event of the tail: %w", err)
	}
	var messages []api.Message
	var err error
	switch event.Kind {
	case "messages":
		err = json.Unmarshal(event.Messages, &messages)
	case "gap":
		var number int64
		err = json.Unmarshal(event.Messages, &number)
		t.lose(Loss{&number, event.Reason})
	case "status":
		t.Status = new(api.StatusTailEvent)
		err = json.Unmarshal(data, t.Status)
		if one := t.Status.SampledOneIn; one != nil {
			t.lose(Loss{Ptr(t.Status.Matched - t.Status.Shown),
				fmt.Sprintf("more match than the server sends: one in %d is shown", *one)})
		}
	case "problem":
		problem := &Problem{Status: event.Status, Document: data}
		if err := json.Unmarshal(data, &problem.Problem); err != nil {
			return false, err
		}
		return false, problem
	}
	if err != nil {
		return false, fmt.Errorf("logstead: an event of the tail: %w", err)
	}
	for _, message := range messages {
		if !take(message) {
			return false, nil
		}
	}
	t.moveOn(id, int32(len(messages)))
	return true, nil
}

// moveOn moves on behind an event, after all of its messages were taken.
func (t *Tail) moveOn(id string, messages int32) {
	if t.last != nil {
		if t.beganAt == "" {
			t.beganAt = id
			return
		}
		if messages > 0 && id == t.beganAt {
			t.stored += messages
			return
		}
	}
	t.last = nil
	t.Position = id
}

// reopen returns the parameters of a connection that continues where the last one broke.
func (t *Tail) reopen() *api.TailMessagesParams {
	if t.Status != nil && t.Status.SampledOneIn != nil {
		t.lose(Loss{nil, "the connection broke while not all messages were sent"})
	}
	t.Status = nil
	if t.last != nil && t.stored > 0 {
		if left := int64(*t.last - t.stored); left > 0 {
			t.lose(Loss{&left, "the connection broke while stored messages were sent"})
		}
		t.last, t.Position = nil, t.beganAt
	}
	t.beganAt = ""
	params := t.params
	params.Since, params.Last = nil, t.last
	if t.Position != "" {
		params.LastEventID = &t.Position
	}
	return &params
}

func (t *Tail) lose(loss Loss) {
	if t.OnLoss != nil {
		t.OnLoss(loss)
		return
	}
	slog.Warn("the tail lost messages", "messages", loss.Messages, "reason", loss.Reason)
}
