// A webhook receiver of the official Go SDK: consents to one origin, at a rate, and prints the id of each event it takes.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strconv"

	cloudevents "github.com/cloudevents/sdk-go/v2"
	"github.com/cloudevents/sdk-go/v2/protocol/http"
)

func main() {
	port, err := strconv.Atoi(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	rate, err := strconv.Atoi(os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	origins := []string{os.Args[2]}
	protocol, err := http.New(
		http.WithPort(port),
		http.WithDefaultOptionsHandlerFunc([]string{"POST", "OPTIONS"}, rate, origins, true),
	)
	if err != nil {
		log.Fatal(err)
	}
	client, err := cloudevents.NewClient(protocol)
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(client.StartReceiver(context.Background(), func(event cloudevents.Event) {
		fmt.Println(event.ID())
	}))
}
