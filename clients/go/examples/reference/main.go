// The examples of docs/reference, which shows what is between the markers. They run one after the other.
package main

import (
	"context"
	"fmt"
	"log"
	"strings"

	logstead "logstead"
	"logstead/api"
)

func main() {
	logs, err := logstead.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	for _, example := range []func(context.Context, *logstead.Client) error{
		send, lines, search, columns, messageContext, count, histogram, facets, table, export, tail,
		apply, edit, logspace, token, user, savedSearch, audit,
	} {
		if err := example(context.Background(), logs); err != nil {
			log.Fatal(err)
		}
	}
}

func send(ctx context.Context, logs *logstead.Client) error {
	// example: send
	stored, err := logs.Ingest(ctx, []any{
		map[string]any{"host": "web-1", "program": "shop", "level": "error", "message": "timed out", "took_ms": 1250},
		map[string]any{"host": "web-2", "program": "shop", "level": "info", "message": "GET /cart", "took_ms": 3},
	}, api.IngestMessagesParams{})
	if err != nil {
		return err
	}
	fmt.Println(stored.Accepted, "stored")
	// end
	return nil
}

func lines(ctx context.Context, logs *logstead.Client) error {
	// example: lines
	params := api.IngestMessagesParams{Host: logstead.Ptr("nas-1")}
	stored, err := logs.IngestMessagesWithTextBodyWithResponse(ctx, &params, "disk is almost full\ndisk is full\n")
	if err != nil {
		return err
	}
	fmt.Println(stored.JSON200.Accepted, "stored")
	// end
	return nil
}

func search(ctx context.Context, logs *logstead.Client) error {
	// example: search
	question := api.SearchRequest{
		Query: logstead.Ptr("program=shop severity>=warning"),
		From:  logstead.Ptr("-1h"),
	}
	for message, err := range logs.Search(ctx, question) {
		if err != nil {
			return err
		}
		fmt.Println(message.Host, message.Message)
	}
	// end
	return nil
}

func columns(ctx context.Context, logs *logstead.Client) error {
	// example: columns
	question := api.ExportMessagesParams{
		Query:   logstead.Ptr("program=shop"),
		Columns: logstead.Ptr("host,took_ms"),
		Order:   logstead.Ptr(api.ExportMessagesParamsOrderOldest),
	}
	type row struct {
		Host   string `json:"host"`
		TookMs int    `json:"took_ms"`
	}
	for row, err := range logstead.Rows[row](ctx, logs, question) {
		if err != nil {
			return err
		}
		fmt.Println(row.Host, row.TookMs)
	}
	// end
	return nil
}

func messageContext(ctx context.Context, logs *logstead.Client) error {
	// example: context
	found, err := logs.SearchMessagesWithResponse(ctx, api.SearchRequest{
		Query: logstead.Ptr("program=shop"),
		Order: logstead.Ptr(api.ResultOrderOldest),
		Limit: logstead.Ptr(int32(1)),
	})
	if err != nil {
		return err
	}
	around, err := logs.GetMessageContextWithResponse(ctx, found.JSON200.Messages[0].Id, &api.GetMessageContextParams{
		Before: logstead.Ptr(int32(5)),
		After:  logstead.Ptr(int32(5)),
		Same:   logstead.Ptr("program"),
	})
	if err != nil {
		return err
	}
	fmt.Println(len(around.JSON200.Before), "before,", len(around.JSON200.After), "after")
	// end
	return nil
}

func count(ctx context.Context, logs *logstead.Client) error {
	// example: count
	answer, err := logs.CountMessagesWithResponse(ctx, api.CountRequest{
		Query: logstead.Ptr("program=shop took_ms>1000"),
		From:  logstead.Ptr("-1h"),
	})
	if err != nil {
		return err
	}
	fmt.Println(answer.JSON200.Count, "slow")
	// end
	return nil
}

func histogram(ctx context.Context, logs *logstead.Client) error {
	// example: histogram
	answer, err := logs.ComputeHistogramWithResponse(ctx, api.HistogramRequest{
		Query:   logstead.Ptr("program=shop"),
		From:    logstead.Ptr("-1h"),
		Buckets: logstead.Ptr(int32(60)),
		By:      logstead.Ptr("host"),
	})
	if err != nil {
		return err
	}
	var count int64
	for _, bucket := range answer.JSON200.Buckets {
		count += bucket.Count
	}
	fmt.Println(count, "of", answer.JSON200.Total)
	// end
	return nil
}

func facets(ctx context.Context, logs *logstead.Client) error {
	// example: facets
	answer, err := logs.ComputeFacetsWithResponse(ctx, api.FacetsRequest{
		Query:  logstead.Ptr("program=shop"),
		Fields: []string{"host"},
		Limit:  logstead.Ptr(int32(10)),
	})
	if err != nil {
		return err
	}
	fmt.Println(answer.JSON200.Fields["host"].Distinct, "hosts")
	// end
	return nil
}

func table(ctx context.Context, logs *logstead.Client) error {
	// example: table
	answer, err := logs.AggregateMessagesWithResponse(ctx, api.AggregateRequest{
		Query: logstead.Ptr("program=shop | stats count(), max(took_ms) as slowest"),
	})
	if err != nil {
		return err
	}
	var names, numbers []any
	for _, column := range answer.JSON200.Columns {
		names = append(names, column.Name)
	}
	for _, cell := range answer.JSON200.Rows[0] {
		number, err := cell.AsTableCell0()
		if err != nil {
			return err
		}
		numbers = append(numbers, number)
	}
	fmt.Println(names...)
	fmt.Println(numbers...)
	// end
	return nil
}

func export(ctx context.Context, logs *logstead.Client) error {
	// example: export
	question := api.ExportMessagesParams{
		Query: logstead.Ptr("program=shop"),
		From:  logstead.Ptr("-1d"),
		Order: logstead.Ptr(api.ExportMessagesParamsOrderOldest),
	}
	for message, err := range logs.Export(ctx, question) {
		if err != nil {
			return err
		}
		fmt.Println(message.Message)
	}
	// end
	return nil
}

func tail(ctx context.Context, logs *logstead.Client) error {
	// example: tail
	tail := logs.Tail(api.TailMessagesParams{
		Query: logstead.Ptr("program=shop"),
		Last:  logstead.Ptr(int32(1)),
	})
	for message, err := range tail.Messages(ctx) {
		if err != nil {
			return err
		}
		fmt.Println(message.Message)
		break
	}
	// end
	return nil
}

func apply(ctx context.Context, logs *logstead.Client) error {
	// example: apply
	document := `
		version = 1
		[[sources]]
		id = "http"
		kind = "http"
		[[logspaces]]
		id = "main"
		[[routes]]
		id = "default"
		to = ["main"]`
	live, err := logs.GetRouterWithResponse(ctx, &api.GetRouterParams{})
	if err != nil {
		return err
	}
	params := api.PutRouterParams{
		IfMatch: live.HTTPResponse.Header.Get("ETag"),
		Comment: logstead.Ptr("from a file"),
	}
	change, err := logs.PutRouterWithBodyWithResponse(ctx, &params, "application/toml", strings.NewReader(document))
	if err != nil {
		return err
	}
	fmt.Println("revision", change.JSON200.Revision)
	// end
	return nil
}

func edit(ctx context.Context, logs *logstead.Client) error {
	// example: edit
	live, err := logs.GetRouterWithResponse(ctx, &api.GetRouterParams{})
	if err != nil {
		return err
	}
	document := *live.JSON200
	document.Logspaces = append(document.Logspaces, api.Logspace{
		Id:         "audits",
		Durability: api.DurabilityFsync,
		Retention:  api.Retention{Age: logstead.Ptr("365d")},
	})
	params := api.PutRouterParams{IfMatch: live.HTTPResponse.Header.Get("ETag")}
	change, err := logs.PutRouterWithResponse(ctx, &params, document)
	if err != nil {
		return err
	}
	fmt.Println("revision", change.JSON200.Revision)
	// end
	return nil
}

func logspace(ctx context.Context, logs *logstead.Client) error {
	// example: logspace
	change, err := logs.PutLogspaceWithResponse(ctx, "audits", &api.PutLogspaceParams{}, api.LogspaceRequest{
		Retention: &api.Retention{Age: logstead.Ptr("730d"), Size: logstead.Ptr("10GiB")},
	})
	if err != nil {
		return err
	}
	fmt.Println("revision", change.JSON200.Revision)
	// end
	return nil
}

func token(ctx context.Context, logs *logstead.Client) error {
	// example: token
	created, err := logs.CreateTokenWithResponse(ctx, api.TokenRequest{
		Name:   "shop",
		Role:   api.RoleIngest,
		Limits: &api.TokenLimits{MessagesPerSecond: logstead.Ptr(int64(1000))},
	})
	if err != nil {
		return err
	}
	secret := created.JSON201.Token // the server never tells it again
	fmt.Println(created.JSON201.Name, created.JSON201.Role, strings.Repeat("*", min(len(secret), 3)))
	// end
	return nil
}

func user(ctx context.Context, logs *logstead.Client) error {
	// example: user
	_, err := logs.PutUserWithResponse(ctx, "ana", api.UserChange{
		Role:      api.RoleAnalyst,
		Logspaces: &[]string{"main"},
		Password:  logstead.Ptr("a long enough passphrase"),
	})
	if err != nil {
		return err
	}
	ana, err := logs.GetUserWithResponse(ctx, "ana")
	if err != nil {
		return err
	}
	fmt.Println(ana.JSON200.Name, ana.JSON200.Role)
	// end
	return nil
}

func savedSearch(ctx context.Context, logs *logstead.Client) error {
	// example: saved-search
	saved, err := logs.CreateSavedSearchWithResponse(ctx, api.SavedSearchRequest{
		Name:   "errors",
		Query:  logstead.Ptr("severity>=err"),
		From:   logstead.Ptr("-1h"),
		Shared: logstead.Ptr(true),
	})
	if err != nil {
		return err
	}
	fmt.Println(saved.JSON201.Name, saved.JSON201.Query)
	// end
	return nil
}

func audit(ctx context.Context, logs *logstead.Client) error {
	// example: audit
	answer, err := logs.ListAuditEntriesWithResponse(ctx, &api.ListAuditEntriesParams{Limit: logstead.Ptr(1)})
	if err != nil {
		return err
	}
	fmt.Println(answer.JSON200.Entries[0].Action)
	// end
	return nil
}
