// Graylog's library for Go over UDP: gelf HOST TOKEN.
package main

import (
	"log"
	"os"
	"time"

	"github.com/Graylog2/go-gelf/gelf"
	"logstead.example/clients/lines"
)

func main() {
	writer, err := gelf.NewUDPWriter(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	lines.Each(func(text string) {
		message := &gelf.Message{
			Version: "1.1", Host: "clients", Short: text, Level: gelf.LOG_INFO,
			TimeUnix: float64(time.Now().UnixNano()) / 1e9,
		}
		if err := writer.WriteMessage(message); err != nil {
			log.Fatal(err)
		}
	})
	if err := writer.Close(); err != nil {
		log.Fatal(err)
	}
}
