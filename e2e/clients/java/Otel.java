import com.fasterxml.jackson.databind.ObjectMapper;
import io.opentelemetry.api.logs.Severity;
import io.opentelemetry.exporter.otlp.http.logs.OtlpHttpLogRecordExporter;
import io.opentelemetry.exporter.otlp.logs.OtlpGrpcLogRecordExporter;
import io.opentelemetry.sdk.logs.SdkLoggerProvider;
import io.opentelemetry.sdk.logs.export.BatchLogRecordProcessor;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** OpenTelemetry's SDK for Java: Otel http|grpc HOST TOKEN. */
class Otel {
  public static void main(String[] args) throws Exception {
    var exporter =
        args[0].equals("http")
            ? OtlpHttpLogRecordExporter.builder()
                .setEndpoint("http://" + args[1] + "/v1/logs")
                .addHeader("Authorization", "Bearer " + args[2])
                .build()
            : OtlpGrpcLogRecordExporter.builder().setEndpoint("http://" + args[1]).build();
    // The queue holds everything: what does not fit is dropped by the library, which is not the
    // question here.
    var processor =
        BatchLogRecordProcessor.builder(exporter)
            .setMaxQueueSize(20_000)
            .setScheduleDelay(Duration.ofMillis(200))
            .build();
    var provider = SdkLoggerProvider.builder().addLogRecordProcessor(processor).build();
    var logger = provider.get("clients");
    var json = new ObjectMapper();
    var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = lines.readLine()) != null; ) {
      logger
          .logRecordBuilder()
          .setSeverity(Severity.INFO)
          .setBody(json.readValue(line, String.class))
          .emit();
    }
    provider.shutdown().join(60, TimeUnit.SECONDS);
  }
}
