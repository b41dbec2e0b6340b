// Elasticsearch's client for Go, version 9, by its indexer for bulk requests: elastic HOST TOKEN.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"log"
	"os"
	"time"

	"github.com/elastic/go-elasticsearch/v9"
	"github.com/elastic/go-elasticsearch/v9/esutil"
	"logstead.example/clients/lines"
)

func main() {
	host, token := os.Args[1], os.Args[2]
	client, err := elasticsearch.NewClient(elasticsearch.Config{
		Addresses:    []string{"http://" + host},
		APIKey:       token,
		MaxRetries:   600,
		RetryBackoff: func(int) time.Duration { return 100 * time.Millisecond },
	})
	if err != nil {
		log.Fatal(err)
	}
	indexer, err := esutil.NewBulkIndexer(esutil.BulkIndexerConfig{
		Client: client, Index: "logs", NumWorkers: 2, FlushBytes: 1 << 20, FlushInterval: 500 * time.Millisecond,
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	lines.Each(func(text string) {
		document, err := json.Marshal(map[string]string{"message": text})
		if err != nil {
			log.Fatal(err)
		}
		item := esutil.BulkIndexerItem{Action: "create", Body: bytes.NewReader(document)}
		if err := indexer.Add(ctx, item); err != nil {
			log.Fatal(err)
		}
	})
	if err := indexer.Close(ctx); err != nil {
		log.Fatal(err)
	}
	if failed := indexer.Stats().NumFailed; failed > 0 {
		log.Fatalf("%d were refused", failed)
	}
}
