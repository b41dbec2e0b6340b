// OpenTelemetry's SDK for Node: otel.mjs http|proto|grpc HOST TOKEN.
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { lines } from './lines.mjs';

const [protocol, host, token] = process.argv.slice(2);
const { OTLPLogExporter } = await import(`@opentelemetry/exporter-logs-otlp-${protocol}`);
const exporter = new OTLPLogExporter(
  protocol === 'grpc'
    ? { url: `http://${host}` }
    : { url: `http://${host}/v1/logs`, headers: { Authorization: `Bearer ${token}` } },
);

// The queue is large enough for all messages: the library drops those that do not fit, which is not under test.
const processor = new BatchLogRecordProcessor({
  exporter,
  maxQueueSize: 20_000,
  scheduledDelayMillis: 200,
});
const provider = new LoggerProvider({ processors: [processor] });
const logger = provider.getLogger('clients');
for await (const body of lines()) logger.emit({ severityText: 'INFO', body });
await provider.shutdown();
