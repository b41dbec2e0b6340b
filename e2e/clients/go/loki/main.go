// Grafana's client of Loki for Go: loki HOST TOKEN.
package main

import (
	"log"
	"os"
	"time"

	"github.com/grafana/loki-client-go/loki"
	"github.com/prometheus/common/config"
	"github.com/prometheus/common/model"
	"logstead.example/clients/lines"
)

func main() {
	host, token := os.Args[1], os.Args[2]
	settings, err := loki.NewDefaultConfig("http://" + host + "/loki/api/v1/push")
	if err != nil {
		log.Fatal(err)
	}
	settings.BatchWait = 200 * time.Millisecond
	settings.Client.BasicAuth = &config.BasicAuth{Username: "any", Password: config.Secret(token)}
	client, err := loki.New(settings)
	if err != nil {
		log.Fatal(err)
	}
	labels := model.LabelSet{"service": "clients"}
	lines.Each(func(text string) {
		if err := client.Handle(labels, time.Now(), text); err != nil {
			log.Fatal(err)
		}
	})
	client.Stop()
}
