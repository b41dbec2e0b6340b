"""OpenTelemetry's SDK for Python: otel.py http|grpc HOST TOKEN."""

import json
import sys

from opentelemetry._logs import SeverityNumber
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import Resource

protocol, host, token = sys.argv[1:]
if protocol == "http":
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter

    exporter = OTLPLogExporter(
        endpoint=f"http://{host}/v1/logs", headers={"Authorization": f"Bearer {token}"}
    )
else:
    from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter

    exporter = OTLPLogExporter(endpoint=f"http://{host}", insecure=True)

# The queue holds everything: what does not fit is dropped by the library, which is not the question here.
processor = BatchLogRecordProcessor(exporter, max_queue_size=20_000, schedule_delay_millis=200)
provider = LoggerProvider(resource=Resource.create({"service.name": "clients"}))
provider.add_log_record_processor(processor)
logger = provider.get_logger("clients")
for line in sys.stdin:
    logger.emit(severity_number=SeverityNumber.INFO, body=json.loads(line))
provider.shutdown()
