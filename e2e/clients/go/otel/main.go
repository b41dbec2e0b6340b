// OpenTelemetry's SDK for Go: otel http|grpc HOST TOKEN.
package main

import (
	"context"
	"log"
	"os"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploggrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp"
	otellog "go.opentelemetry.io/otel/log"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	"logstead.example/clients/lines"
)

func exporter(ctx context.Context, protocol, host, token string) (sdklog.Exporter, error) {
	if protocol == "grpc" {
		return otlploggrpc.New(ctx, otlploggrpc.WithEndpoint(host), otlploggrpc.WithInsecure())
	}
	return otlploghttp.New(ctx, otlploghttp.WithEndpointURL("http://"+host+"/v1/logs"),
		otlploghttp.WithHeaders(map[string]string{"Authorization": "Bearer " + token}))
}

func main() {
	ctx := context.Background()
	exporter, err := exporter(ctx, os.Args[1], os.Args[2], os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	// The queue holds everything: what does not fit is dropped by the library, which is not the question here.
	processor := sdklog.NewBatchProcessor(exporter, sdklog.WithMaxQueueSize(20_000),
		sdklog.WithExportInterval(200*time.Millisecond))
	provider := sdklog.NewLoggerProvider(sdklog.WithProcessor(processor))
	logger := provider.Logger("clients")
	lines.Each(func(text string) {
		var record otellog.Record
		record.SetSeverity(otellog.SeverityInfo)
		record.SetBody(attribute.StringValue(text))
		logger.Emit(ctx, record)
	})
	if err := provider.Shutdown(ctx); err != nil {
		log.Fatal(err)
	}
}
