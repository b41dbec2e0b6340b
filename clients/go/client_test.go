package logstead_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	logstead "logstead"
	"logstead/api"
)

var quick = logstead.Retry{Deadline: 20 * time.Second, FirstWait: 10 * time.Millisecond, LongestWait: time.Second}

// program is the query for the messages of one test.
type program string

func newProgram() program { return program("program=p" + strings.ToLower(rand.Text())) }

func (p program) query() *string { return logstead.Ptr(string(p)) }

func (p program) messages(count, first int) []any {
	messages := make([]any, count)
	for i := range messages {
		name := strings.TrimPrefix(string(p), "program=")
		messages[i] = map[string]any{"message": fmt.Sprint("m ", first+i), "program": name, "number": first + i}
	}
	return messages
}

func texts(count, first int) []string {
	texts := make([]string, count)
	for i := range texts {
		texts[i] = fmt.Sprint("m ", first+i)
	}
	return texts
}

func ingest(t *testing.T, client *logstead.Client, messages []any) {
	t.Helper()
	sent, err := client.Ingest(t.Context(), messages, api.IngestMessagesParams{})
	if err != nil || sent.Accepted != len(messages) {
		t.Fatal(sent, err)
	}
}

func count(t *testing.T, client *logstead.Client, query *string) int64 {
	t.Helper()
	answer, err := client.CountMessagesWithResponse(t.Context(), api.CountRequest{Query: query})
	if err != nil {
		t.Fatal(err)
	}
	return int64(answer.JSON200.Count)
}

// collect takes the texts of messages until the end.
func collect(t *testing.T, messages iter.Seq2[api.Message, error]) []string {
	t.Helper()
	var texts []string
	for message, err := range messages {
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, message.Message)
	}
	return texts
}

func expect[T any](t *testing.T, got, want []T, equal func(a, b []T) bool) {
	t.Helper()
	if !equal(got, want) {
		t.Fatalf("got %v instead of %v", got, want)
	}
}

func lastError[T any](items iter.Seq2[T, error]) error {
	var last error
	for _, err := range items {
		last = err
	}
	return last
}

func TestPagesFollowEachOtherToTheEnd(t *testing.T) {
	client, own := startServer(t).client(), newProgram()
	ingest(t, client, own.messages(25, 0))
	oldest := api.ResultOrderOldest
	request := api.SearchRequest{Query: own.query(), Limit: logstead.Ptr(int32(10)), Order: &oldest}
	expect(t, collect(t, client.Search(t.Context(), request)), texts(25, 0), slices.Equal)
	request.Columns = &[]string{"number"}
	var lengths []int
	for page, err := range client.Pages(t.Context(), request) {
		if err != nil {
			t.Fatal(err)
		}
		lengths = append(lengths, len(*page.Rows))
	}
	expect(t, lengths, []int{10, 10, 5}, slices.Equal)
}

func TestARefusalIsAProblemWithItsNameAndPlace(t *testing.T) {
	server := startServer(t)
	err := lastError(server.client().Search(t.Context(), api.SearchRequest{Query: logstead.Ptr("(a")}))
	var problem *logstead.Problem
	if !errors.As(err, &problem) || problem.Status != 400 || problem.Kind() != "query-syntax" || *problem.Column != 1 {
		t.Fatal(err)
	}
	stranger, err := logstead.New(server.url, "wrong")
	if err != nil {
		t.Fatal(err)
	}
	_, err = stranger.ListUsersWithResponse(t.Context(), &api.ListUsersParams{})
	if !errors.As(err, &problem) || problem.Status != 401 {
		t.Fatal(err)
	}
}

func TestNoMessageIsLostOrDoubledWhenAnswersAre(t *testing.T) {
	server, own := startServer(t), newProgram()
	between := startBetween(t, server.url)
	// The server stores the messages, but its answer does not arrive.
	between.add(func(_ http.ResponseWriter, request *http.Request) {
		answer := httptest.NewRecorder()
		between.pass.ServeHTTP(answer, request)
		if answer.Code != http.StatusOK {
			t.Error(answer.Code)
		}
		panic(http.ErrAbortHandler)
	}, refuse(503))
	ingest(t, between.client(t, logstead.WithRetry(quick)), own.messages(3, 0))
	if between.asked() != 3 || count(t, server.client(), own.query()) != 3 {
		t.Fatal(between.asked())
	}
}

func TestManyMessagesGoInSeveralRequestsAndBadOnesAreCounted(t *testing.T) {
	client, own := startServer(t).client(), newProgram()
	sent, err := client.Ingest(t.Context(), append(own.messages(10_500, 0), "no object"), api.IngestMessagesParams{})
	if err != nil || sent.Accepted != 10_500 || sent.Rejected != 1 || sent.Errors[0].Line != 10_501 {
		t.Fatal(sent, err)
	}
	_, err = client.Ingest(t.Context(), []any{"no object"}, api.IngestMessagesParams{})
	var problem *logstead.Problem
	if !errors.As(err, &problem) || count(t, client, own.query()) != 10_500 {
		t.Fatal(err)
	}
}

func TestWhatMayHaveBeenDoneIsNotDoneAgain(t *testing.T) {
	between := startBetween(t, startServer(t).url)
	between.add(refuse(503))
	body := api.CreateTokenJSONRequestBody{Name: "once", Role: api.RoleIngest}
	_, err := between.client(t).CreateTokenWithResponse(t.Context(), body)
	var problem *logstead.Problem
	if !errors.As(err, &problem) || problem.Status != 503 || between.asked() != 1 {
		t.Fatal(err, between.asked())
	}
}

func TestRowsComeWithTheColumnsThatAreAskedFor(t *testing.T) {
	client, own := startServer(t).client(), newProgram()
	ingest(t, client, own.messages(300, 0))
	params := api.ExportMessagesParams{
		Query:   own.query(),
		Columns: logstead.Ptr("number"),
		Order:   logstead.Ptr(api.ExportMessagesParamsOrderOldest),
	}
	number := 0
	for row, err := range logstead.Rows[map[string]int](t.Context(), client, params) {
		if err != nil || row["number"] != number {
			t.Fatal(row, err)
		}
		number++
	}
	params = api.ExportMessagesParams{Query: own.query(), Limit: logstead.Ptr(int64(7))}
	if got := len(collect(t, client.Export(t.Context(), params))); number != 300 || got != 7 {
		t.Fatal(number, got)
	}
}

func TestAnExportThatWasCutIsAnError(t *testing.T) {
	server, own := startServer(t), newProgram()
	ingest(t, server.client(), own.messages(5, 0))
	between := startBetween(t, server.url)
	between.add(func(writer http.ResponseWriter, request *http.Request) {
		answer := httptest.NewRecorder()
		request.Header.Del("Accept-Encoding")
		between.pass.ServeHTTP(answer, request)
		lines := strings.SplitAfter(answer.Body.String(), "\n")
		_, _ = writer.Write([]byte(strings.Join(lines[:3], "")))
	})
	err := lastError(between.client(t).Export(t.Context(), api.ExportMessagesParams{Query: own.query()}))
	var incomplete *logstead.IncompleteError
	if !errors.As(err, &incomplete) {
		t.Fatal(err)
	}
}

func TestValuesThatDoNotFitTheirColumnAreAnError(t *testing.T) {
	server, own := startServer(t), newProgram()
	ingest(t, server.client(), own.messages(5, 0))
	between := startBetween(t, server.url)
	between.add(func(writer http.ResponseWriter, request *http.Request) {
		answer := httptest.NewRecorder()
		request.Header.Del("Accept-Encoding")
		between.pass.ServeHTTP(answer, request)
		unfit := `"unfit":[{"column":"status","values":2,"example":"-"}]`
		_, _ = writer.Write([]byte(strings.Replace(answer.Body.String(), `"unfit":[]`, unfit, 1)))
	})
	err := lastError(between.client(t).Export(t.Context(), api.ExportMessagesParams{Query: own.query()}))
	var incomplete *logstead.IncompleteError
	if !errors.As(err, &incomplete) || !strings.Contains(err.Error(), "status: 2 values do not fit") {
		t.Fatal(err)
	}
}

func TestATailHasEachMessageOnceAcrossARestart(t *testing.T) {
	server, own := startServer(t), newProgram()
	client := server.client()
	ingest(t, client, own.messages(5, 0))
	tail := client.Tail(api.TailMessagesParams{Query: own.query(), Last: logstead.Ptr(int32(2))})
	tail.Retry = quick
	next, stop := iter.Pull2(tail.Messages(t.Context()))
	defer stop()
	take := func(count int) []string {
		texts := make([]string, count)
		for i := range texts {
			message, err, _ := next()
			if err != nil {
				t.Fatal(err)
			}
			texts[i] = message.Message
		}
		return texts
	}
	expect(t, take(2), texts(2, 3), slices.Equal)
	ingest(t, client, own.messages(100, 5))
	expect(t, take(100), texts(100, 5), slices.Equal)
	server.end()
	server.start()
	ingest(t, client, own.messages(10, 105))
	expect(t, take(10), texts(10, 105), slices.Equal)
}

func TestABrokenConnectionRepeatsAndSkipsNothing(t *testing.T) {
	server, own := startServer(t), newProgram()
	client, between := server.client(), startBetween(t, server.url)
	ingest(t, client, own.messages(1, 0))
	tail := between.client(t).Tail(api.TailMessagesParams{Query: own.query(), Last: logstead.Ptr(int32(1))})
	tail.Retry = quick
	tail.OnLoss = func(loss logstead.Loss) { t.Error(loss) }
	number := 0
	for message, err := range tail.Messages(t.Context()) {
		if err != nil || message.Message != fmt.Sprint("m ", number) {
			t.Fatal(message.Message, err)
		}
		if number++; number == 10 {
			break
		}
		if number%3 == 0 {
			between.CloseClientConnections()
		}
		if number == 6 {
			between.add(refuse(503))
		}
		ingest(t, client, own.messages(1, number))
	}
	if between.asked() < 4 {
		t.Fatal(between.asked())
	}
}

func TestASampledTailSaysWhatItLost(t *testing.T) {
	client, own := startServer(t, "limits.tail_rate_max=10").client(), newProgram()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	tail := client.Tail(api.TailMessagesParams{Query: own.query()})
	var reason string
	tail.OnLoss = func(loss logstead.Loss) {
		if loss.Messages != nil && *loss.Messages > 0 {
			reason = loss.Reason
			cancel()
		}
	}
	go func() {
		for ctx.Err() == nil {
			_, _ = client.Ingest(ctx, own.messages(100, 0), api.IngestMessagesParams{}) // until it is cancelled
		}
	}()
	if err := lastError(tail.Messages(ctx)); !errors.Is(err, context.Canceled) || !strings.Contains(reason, "one in") {
		t.Fatal(err, reason)
	}
}

func TestWhatIsWrongForGoodEndsATail(t *testing.T) {
	client := startServer(t).client()
	err := lastError(client.Tail(api.TailMessagesParams{Query: logstead.Ptr("(a")}).Messages(t.Context()))
	var problem *logstead.Problem
	if !errors.As(err, &problem) || problem.Status != 400 {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := lastError(client.Tail(api.TailMessagesParams{}).Messages(ctx)); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

func TestTheRouterDocumentIsReadAndApplied(t *testing.T) {
	client := startServer(t).client()
	live, err := client.GetRouterWithResponse(t.Context(), &api.GetRouterParams{})
	if err != nil {
		t.Fatal(err)
	}
	document := *live.JSON200
	document.Logspaces = append(document.Logspaces, api.Logspace{Id: "new", Durability: api.DurabilityFsync})
	params := &api.PutRouterParams{IfMatch: live.HTTPResponse.Header.Get("ETag")}
	change, err := client.PutRouterWithResponse(t.Context(), params, document)
	if err != nil || change.JSON200.Revision != 2 {
		t.Fatal(err)
	}
	_, err = client.PutRouterWithResponse(t.Context(), params, document)
	var problem *logstead.Problem
	if !errors.As(err, &problem) || problem.Status != 412 {
		t.Fatal(err)
	}
}

func TestTheExamplesOfTheReference(t *testing.T) {
	expected, err := os.ReadFile("../../docs/reference/examples.txt")
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command("go", "run", "./examples/reference")
	command.Env = append(os.Environ(), "LOGSTEAD_SERVER="+startServer(t).url, "LOGSTEAD_TOKEN="+token)
	output, err := command.CombinedOutput()
	if err != nil || string(output) != string(expected) {
		t.Fatal(string(output), err)
	}
}
