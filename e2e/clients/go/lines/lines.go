// Package lines reads the messages to send: each line of standard input is a JSON string.
package lines

import (
	"bufio"
	"encoding/json"
	"log"
	"os"
)

// Each calls send with every message.
func Each(send func(text string)) {
	scanner := bufio.NewScanner(os.Stdin)
	scanner.Buffer(nil, 4<<20)
	for scanner.Scan() {
		var text string
		if err := json.Unmarshal(scanner.Bytes(), &text); err != nil {
			log.Fatal(err)
		}
		send(text)
	}
	if err := scanner.Err(); err != nil {
		log.Fatal(err)
	}
}
