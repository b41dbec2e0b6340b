// The calls of calls.txt, made with the client that oapi-codegen generates.
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	api "example.com/generated"
)

var (
	ctx    = context.Background()
	failed = false
)

// try reports whether a call was answered as expected.
func try(name string, answer any, err error, isGood func() bool) {
	switch {
	case err != nil:
		fmt.Printf("no %s: %v\n", name, err)
		failed = true
	case !isGood():
		fmt.Printf("no %s: %+v\n", name, answer)
		failed = true
	default:
		fmt.Println("ok", name)
	}
}

func ptr[T any](value T) *T { return &value }

func main() {
	token := os.Getenv("LOGSTEAD_TOKEN")
	client, err := api.NewClientWithResponses(os.Getenv("LOGSTEAD_SERVER"),
		api.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
			request.Header.Set("Authorization", "Bearer "+token)
			return nil
		}))
	if err != nil {
		panic(err)
	}
	ingest(client)
	search(client)
	stream(client)
	router(client)
	stores(client)
	accounts(client)
	others(client)
	if failed {
		os.Exit(1)
	}
}

func ingest(client *api.ClientWithResponses) {
	params := &api.IngestMessagesParams{Host: ptr("nas-1")}
	text, err := client.IngestMessagesWithTextBodyWithResponse(ctx, params, "disk is full")
	try("ingest_text", text, err, func() bool { return text.JSON200 != nil && text.JSON200.Accepted == 1 })
	params = &api.IngestMessagesParams{IdempotencyKey: ptr("one")}
	object, err := client.IngestMessagesWithBodyWithResponse(ctx, params, "application/json",
		strings.NewReader(`{"message": "one", "program": "calls", "tags": ["a", "b"]}`))
	try("ingest_object", object, err, func() bool { return object.JSON200 != nil && object.JSON200.Accepted == 1 })
	list, err := client.IngestMessagesWithResponse(ctx, &api.IngestMessagesParams{}, []map[string]interface{}{
		{"message": "two", "program": "calls", "n": 2}, {"message": "three", "program": "calls", "n": 3},
	})
	try("ingest_list", list, err, func() bool { return list.JSON200 != nil && list.JSON200.Accepted == 2 })
	lines, err := client.IngestMessagesWithBodyWithResponse(ctx, &api.IngestMessagesParams{}, "application/x-ndjson",
		strings.NewReader("{\"message\": \"four\", \"program\": \"calls\", \"n\": 4}\n"))
	try("ingest_ndjson", lines, err, func() bool { return lines.JSON200 != nil && lines.JSON200.Accepted == 1 })
}

func search(client *api.ClientWithResponses) {
	query := ptr("program=calls")
	request := api.SearchRequest{Query: query, Limit: ptr(int32(3))}
	page, err := client.SearchMessagesWithResponse(ctx, request)
	try("search", page, err, func() bool {
		request.Cursor = page.JSON200.Cursor
		return len(page.JSON200.Messages) == 3 && request.Cursor != nil
	})
	next, err := client.SearchMessagesWithResponse(ctx, request)
	try("next_page", next, err, func() bool {
		tags, err := next.JSON200.Messages[0].Fields["tags"].AsFieldValue1()
		return err == nil && len(tags) == 2
	})
	count, err := client.CountMessagesWithResponse(ctx, api.CountRequest{Query: query})
	try("count", count, err, func() bool { return count.JSON200 != nil && count.JSON200.Count == 4 })
	histogram, err := client.ComputeHistogramWithResponse(ctx, api.HistogramRequest{Query: query, By: ptr("program")})
	try("histogram", histogram, err, func() bool { return histogram.JSON200 != nil && histogram.JSON200.Total == 4 })
	facets, err := client.ComputeFacetsWithResponse(ctx, api.FacetsRequest{Query: query, Fields: []string{"n"}})
	try("facets", facets, err, func() bool { return facets.JSON200 != nil && facets.JSON200.Fields["n"].Distinct == 3 })
	table, err := client.AggregateMessagesWithResponse(ctx, api.AggregateRequest{Query: ptr("program=calls | stats count()")})
	try("aggregate", table, err, func() bool {
		number, err := table.JSON200.Rows[0][0].AsTableCell0()
		return err == nil && number == 4
	})
}

func stream(client *api.ClientWithResponses) {
	export, err := client.ExportMessages(ctx, &api.ExportMessagesParams{Query: ptr("program=calls")})
	try("export", export, err, func() bool {
		defer export.Body.Close()
		body, err := io.ReadAll(export.Body)
		return err == nil && strings.Count(string(body), "\n") == 4
	})
	tail, err := client.TailMessages(ctx, &api.TailMessagesParams{Query: ptr("program=calls"), Last: ptr(int32(2))})
	found := 0
	if err == nil {
		defer tail.Body.Close()
		for lines := bufio.NewScanner(tail.Body); found == 0 && lines.Scan(); {
			var event api.TailEvent
			data, isData := strings.CutPrefix(lines.Text(), "data:")
			if !isData || event.UnmarshalJSON([]byte(data)) != nil {
				continue
			}
			if messages, err := event.AsMessagesTailEvent(); err == nil {
				found = len(messages.Messages)
			}
		}
	}
	try("tail", tail, err, func() bool { return found == 2 })
}

func router(client *api.ClientWithResponses) {
	live, err := client.GetRouterWithResponse(ctx, &api.GetRouterParams{})
	try("get_router", live, err, func() bool { return live.JSON200 != nil && len(live.JSON200.Sources) == 2 })
	document := *live.JSON200
	document.Logspaces = append(document.Logspaces, api.Logspace{Id: "new", Durability: api.DurabilityFsync})
	valid, err := client.ValidateRouterWithResponse(ctx, document)
	try("validate_router", valid, err, func() bool { return valid.JSON200 != nil && valid.JSON200.Valid })
	params := &api.PutRouterParams{IfMatch: live.HTTPResponse.Header.Get("ETag"), ConfirmWithin: ptr("1h")}
	change, err := client.PutRouterWithResponse(ctx, params, document)
	try("put_router", change, err, func() bool { return change.JSON200 != nil && change.JSON200.Revision == 2 })
	confirmed, err := client.ConfirmRouterWithResponse(ctx, &api.ConfirmRouterParams{})
	try("confirm_router", confirmed, err, func() bool { return confirmed.JSON200 != nil })
	trace, err := client.TraceMessageWithResponse(ctx, api.TraceRequest{Raw: ptr("<11>a"), Source: ptr("syslog")})
	try("trace_message", trace, err, func() bool { return trace.JSON200 != nil && len(trace.JSON200.Routes) == 2 })
	var draft interface{} = document
	test, err := client.TestRouterWithResponse(ctx, api.RouterTestRequest{Document: &draft, Query: ptr("program=calls")})
	try("test_router", test, err, func() bool { return test.JSON200 != nil })
	status, err := client.GetRouterStatusWithResponse(ctx)
	try("get_router_status", status, err, func() bool { return status.JSON200 != nil })
	revisions, err := client.ListRevisionsWithResponse(ctx, &api.ListRevisionsParams{})
	try("list_revisions", revisions, err, func() bool { return revisions.JSON200 != nil && len(revisions.JSON200.Revisions) == 2 })
	back, err := client.RollBackRouterWithResponse(ctx, 1, &api.RollBackRouterParams{})
	try("roll_back_router", back, err, func() bool { return back.JSON200 != nil && back.JSON200.Revision == 3 })
}

func stores(client *api.ClientWithResponses) {
	senders, err := client.ListSendersWithResponse(ctx, &api.ListSendersParams{})
	try("list_senders", senders, err, func() bool { return senders.JSON200 != nil && len(senders.JSON200.Senders) > 0 })
	logspaces, err := client.ListLogspacesWithResponse(ctx)
	try("list_logspaces", logspaces, err, func() bool { return logspaces.JSON200 != nil && len(logspaces.JSON200.Logspaces) > 1 })
	retention := &api.Retention{Age: ptr("30d")}
	changed, err := client.PutLogspaceWithResponse(ctx, "other", &api.PutLogspaceParams{}, api.LogspaceRequest{Retention: retention})
	try("put_logspace", changed, err, func() bool { return changed.JSON200 != nil })
	verified, err := client.VerifyLogspaceWithResponse(ctx, "main")
	try("verify_logspace", verified, err, func() bool { return verified.HTTPResponse.StatusCode/100 == 2 })
	stored, err := client.PutLookupWithBodyWithResponse(ctx, "hosts.csv", "text/csv", strings.NewReader("host,owner\nweb-1,shop\n"))
	try("put_lookup", stored, err, func() bool { return stored.HTTPResponse.StatusCode == 204 })
	lookup, err := client.GetLookupWithResponse(ctx, "hosts.csv")
	try("get_lookup", lookup, err, func() bool { return strings.Contains(string(lookup.Body), "web-1,shop") })
}

func accounts(client *api.ClientWithResponses) {
	created, err := client.CreateTokenWithResponse(ctx, api.TokenRequest{Name: "calls", Role: api.RoleIngest})
	try("create_token", created, err, func() bool { return created.JSON201 != nil && created.JSON201.Token != "" })
	id := created.JSON201.Id
	changed, err := client.UpdateTokenWithResponse(ctx, id, api.TokenChange{Name: ptr("renamed")})
	try("update_token", changed, err, func() bool { return changed.JSON200 != nil && changed.JSON200.Name == "renamed" })
	tokens, err := client.ListTokensWithResponse(ctx, &api.ListTokensParams{})
	try("list_tokens", tokens, err, func() bool { return tokens.JSON200 != nil && len(tokens.JSON200.Tokens) > 0 })
	gone, err := client.DeleteTokenWithResponse(ctx, id)
	try("delete_token", gone, err, func() bool { return gone.HTTPResponse.StatusCode == 204 })
	ana, err := client.PutUserWithResponse(ctx, "ana", api.UserChange{Role: api.RoleAnalyst, Password: ptr("a long enough passphrase")})
	try("put_user", ana, err, func() bool { return ana.JSON201 != nil && ana.JSON201.Name == "ana" })
	users, err := client.ListUsersWithResponse(ctx, &api.ListUsersParams{})
	try("list_users", users, err, func() bool { return users.JSON200 != nil && len(users.JSON200.Users) > 0 })
}

func others(client *api.ClientWithResponses) {
	saved, err := client.CreateSavedSearchWithResponse(ctx, api.SavedSearchRequest{Name: "all", Query: ptr("*"), Shared: ptr(true)})
	try("create_saved_search", saved, err, func() bool { return saved.JSON201 != nil })
	list, err := client.ListSavedSearchesWithResponse(ctx, &api.ListSavedSearchesParams{})
	try("list_saved_searches", list, err, func() bool { return list.JSON200 != nil })
	audit, err := client.ListAuditEntriesWithResponse(ctx, &api.ListAuditEntriesParams{})
	try("list_audit", audit, err, func() bool { return audit.JSON200 != nil && len(audit.JSON200.Entries) > 0 })
	about, err := client.GetAboutWithResponse(ctx)
	try("about", about, err, func() bool { return about.JSON200 != nil && about.JSON200.Version != "" })
	openapi, err := client.GetOpenapiWithResponse(ctx, &api.GetOpenapiParams{})
	try("openapi", openapi, err, func() bool { return len(openapi.Body) > 100_000 })
}
