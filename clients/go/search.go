package logstead

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"logstead/api"
)

// Pages iterates over the pages of a search, to the end. If not everything was searched, the page comes with an
// *[IncompleteError]; a caller that accepts that goes on.
func (c *Client) Pages(ctx context.Context, request api.SearchRequest) iter.Seq2[*api.SearchResult, error] {
	return func(yield func(*api.SearchResult, error) bool) {
		for {
			answer, err := c.SearchMessagesWithResponse(ctx, request)
			if err != nil {
				yield(nil, err)
				return
			}
			page := answer.JSON200
			if page == nil {
				yield(nil, errors.New("logstead: the answer is no page of messages: is this the address of a server?"))
				return
			}
			if !yield(page, complete(page)) || page.Cursor == nil {
				return
			}
			request.Cursor = page.Cursor
		}
	}
}

func complete(page *api.SearchResult) error {
	if page.Coverage.Complete {
		return nil
	}
	warnings := make([]string, len(page.Warnings))
	for i, warning := range page.Warnings {
		warnings[i] = warning.Message
	}
	return &IncompleteError{Reason: "not everything was searched: " + strings.Join(warnings, "; ")}
}

// Search iterates over the messages that match, page by page. It ends with an error if not everything was searched.
func (c *Client) Search(ctx context.Context, request api.SearchRequest) iter.Seq2[api.Message, error] {
	return func(yield func(api.Message, error) bool) {
		for page, err := range c.Pages(ctx, request) {
			if err != nil {
				yield(api.Message{}, err)
				return
			}
			for _, message := range page.Messages {
				if !yield(message, nil) {
					return
				}
			}
		}
	}
}

// Export iterates over all messages that match, in one request. It ends with an *[IncompleteError] unless the server has
// confirmed that it was all. Fields that were sent as JSON numbers or booleans are not texts here, unlike in a search:
// read such an [api.FieldValue] with its MarshalJSON.
func (c *Client) Export(ctx context.Context, params api.ExportMessagesParams) iter.Seq2[api.Message, error] {
	return Rows[api.Message](ctx, c, params)
}

// Rows is [Client.Export] for rows of another shape, if the parameters name columns or the query makes a table.
func Rows[Row any](ctx context.Context, client *Client, params api.ExportMessagesParams) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		var row Row
		params.Format, params.Summary = Ptr(api.ExportMessagesParamsFormatNdjson), Ptr(true)
		response, err := client.ExportMessages(ctx, &params)
		if err != nil {
			yield(row, err)
			return
		}
		defer response.Body.Close()
		rows, summary, isWanted := 0, []byte(nil), true
		for line, err := range lines(response.Body) {
			// A line is a row only if another one follows: the last one is the summary.
			if summary != nil && len(line) > 0 {
				var row Row
				if err := json.Unmarshal(summary, &row); err != nil {
					yield(row, fmt.Errorf("logstead: row %d: %w", rows, err))
					return
				}
				rows++
				if isWanted = yield(row, nil); !isWanted {
					return
				}
			}
			if err != nil {
				yield(row, &IncompleteError{fmt.Sprintf("the export broke after %d messages", rows), err})
				return
			}
			if len(line) > 0 {
				summary = bytes.Clone(line)
			}
		}
		if err := checkSummary(summary, rows); err != nil {
			yield(row, err)
		}
	}
}

func checkSummary(line []byte, rows int) error {
	var summary struct {
		Messages     *int          `json:"messages"`
		Missing      int           `json:"missing"`
		DamagedParts *int          `json:"damaged_parts"`
		Damaged      []string      `json:"damaged"`
		Unfit        []unfitColumn `json:"unfit"`
	}
	if err := json.Unmarshal(line, &summary); err != nil || summary.Messages == nil || summary.DamagedParts == nil {
		return &IncompleteError{fmt.Sprintf("the export broke after %d messages: it ends without its summary", rows), err}
	}
	if *summary.Messages != rows {
		reason := fmt.Sprintf("the export has %d messages, and its summary counts %d", rows, *summary.Messages)
		return &IncompleteError{Reason: reason}
	}
	if summary.Missing+*summary.DamagedParts > 0 {
		reason := fmt.Sprintf("%d parts of the store cannot be read, and at least %d messages are missing: %s",
			*summary.DamagedParts, summary.Missing, strings.Join(summary.Damaged, "; "))
		return &IncompleteError{Reason: reason}
	}
	if len(summary.Unfit) > 0 {
		reasons := make([]string, len(summary.Unfit))
		for i, unfit := range summary.Unfit {
			reasons[i] = unfit.String()
		}
		return &IncompleteError{Reason: strings.Join(reasons, "; ")}
	}
	return nil
}

// unfitColumn counts the values of a typed column that do not fit its type, and are null in the export.
type unfitColumn struct {
	Column  string `json:"column"`
	Values  int    `json:"values"`
	Example string `json:"example"`
}

func (unfit unfitColumn) String() string {
	return fmt.Sprintf("%s: %d values do not fit its type and are null, such as %q",
		unfit.Column, unfit.Values, unfit.Example)
}

// longestLine is the longest line that is read; a message is shorter.
const longestLine = 1 << 30

// lines iterates over the lines of a body, without their ends.
func lines(body io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		scanner := bufio.NewScanner(body)
		scanner.Buffer(nil, longestLine)
		for scanner.Scan() {
			if !yield(scanner.Bytes(), nil) {
				return
			}
		}
		if err := scanner.Err(); err != nil {
			yield(nil, err)
		}
	}
}
