//! Request bodies as agents for each protocol write them.

use super::messages::SyslogMessage;
use super::protobuf::ProtobufMessage;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write as _;

const SECOND: i64 = 1_000_000_000;

/// The lines one after the other, as syslog.
pub(super) fn syslog(messages: &[SyslogMessage<'_>]) -> Vec<u8> {
    lines(messages, |message, out| out.extend_from_slice(message.line.as_bytes()))
}

/// Only the texts.
pub(super) fn text(messages: &[SyslogMessage<'_>]) -> Vec<u8> {
    lines(messages, |message, out| out.extend_from_slice(message.text.as_bytes()))
}

/// Our own protocol, which VictoriaLogs calls JSON lines.
pub(super) fn ndjson(messages: &[SyslogMessage<'_>]) -> Vec<u8> {
    lines(messages, |message, out| {
        let SyslogMessage { time, host, program, pid, text, .. } = message;
        let severity = message.severity_name();
        write_json(
            &json!({
                "time": time, "host": host, "program": program, "pid": pid, "severity": severity, "message": text,
            }),
            out,
        );
    })
}

/// Elasticsearch's `_bulk`, with the keys of the Elastic Common Schema.
pub(super) fn bulk(messages: &[SyslogMessage<'_>]) -> Vec<u8> {
    lines(messages, |message, out| {
        out.extend_from_slice(b"{\"create\":{\"_index\":\"logs\"}}\n");
        let SyslogMessage { time, host, program, pid, text, .. } = message;
        let severity = message.severity_name();
        let document = json!({
            "@timestamp": time, "message": text, "host": {"name": host}, "log": {"level": severity},
            "process": {"name": program, "pid": pid},
        });
        write_json(&document, out);
    })
}

/// Loki's push as JSON.
pub(super) fn loki_json(messages: &[SyslogMessage<'_>]) -> Vec<u8> {
    let stream = |((host, program, level), entries): (_, Vec<&SyslogMessage<'_>>)| {
        let values: Vec<Value> =
            entries.iter().map(|entry| json!([entry.nanos.to_string(), entry.text])).collect();
        json!({"stream": {"host": host, "program": program, "level": level}, "values": values})
    };
    let streams: Vec<Value> = streams(messages).into_iter().map(stream).collect();
    json!({ "streams": streams }).to_string().into_bytes()
}

/// Loki's push in Protocol Buffers, not compressed yet.
pub(super) fn loki(messages: &[SyslogMessage<'_>]) -> Vec<u8> {
    let mut request = ProtobufMessage::default();
    for ((host, program, level), entries) in streams(messages) {
        request.message(1, |stream| {
            let labels = format!("{{host=\"{host}\", program=\"{program}\", level=\"{level}\"}}");
            stream.bytes(1, labels.as_bytes());
            for SyslogMessage { nanos, text, .. } in entries {
                stream.message(2, |entry| {
                    let stamp = |stamp: &mut ProtobufMessage| {
                        stamp.number(1, (nanos / SECOND) as u64).number(2, (nanos % SECOND) as u64);
                    };
                    entry.message(1, stamp).bytes(2, text.as_bytes());
                });
            }
        });
    }
    request.0
}

/// OpenTelemetry's export in Protocol Buffers, with a resource for each service of a host.
pub(super) fn otlp(messages: &[SyslogMessage<'_>]) -> Vec<u8> {
    let text = |field: u32, text: &str, value: &mut ProtobufMessage| {
        value.message(field, |value| {
            value.bytes(1, text.as_bytes());
        });
    };
    let pair = |name: &str, value: &str, pair: &mut ProtobufMessage| {
        text(2, value, pair.bytes(1, name.as_bytes()));
    };
    let mut resources: BTreeMap<(&str, &str), Vec<&SyslogMessage<'_>>> = BTreeMap::new();
    for message in messages {
        resources.entry((message.host, message.program)).or_default().push(message);
    }
    let mut request = ProtobufMessage::default();
    for ((host, service), records) in resources {
        request.message(1, |of_resource| {
            of_resource.message(1, |resource| {
                resource.message(1, |attribute| pair("host.name", host, attribute));
                resource.message(1, |attribute| pair("service.name", service, attribute));
            });
            of_resource.message(2, |of_scope| {
                of_scope.message(1, |scope| {
                    scope.bytes(1, b"syslog");
                });
                for message in records {
                    of_scope.message(2, |record| {
                        // From 21 for an emergency to 5 for debugging, as the standard defines.
                        let number = [21, 19, 18, 17, 13, 10, 9, 5][usize::from(message.severity())];
                        record.fixed64(1, message.nanos as u64).number(2, number);
                        text(5, message.text, record.bytes(3, message.severity_name().as_bytes()));
                        record.message(6, |attribute| pair("process.pid", message.pid, attribute));
                        record.fixed64(11, message.nanos as u64);
                    });
                }
            });
        });
    }
    request.0
}

/// Events of Splunk's collector.
pub(super) fn hec(messages: &[SyslogMessage<'_>]) -> Vec<u8> {
    lines(messages, |message, out| {
        let SyslogMessage { nanos, host, program, pid, text, .. } = message;
        let severity = message.severity_name();
        let event = json!({
            "time": *nanos as f64 / SECOND as f64, "host": host, "sourcetype": "syslog", "event": text,
            "fields": {"program": program, "pid": pid, "severity": severity},
        });
        write_json(&event, out);
    })
}

/// GELF objects, each followed by a zero byte.
pub(super) fn gelf(messages: &[SyslogMessage<'_>]) -> Vec<u8> {
    let mut out = Vec::new();
    for message in messages {
        let SyslogMessage { nanos, host, program, pid, text, .. } = message;
        let object = json!({
            "version": "1.1", "host": host, "short_message": text, "timestamp": *nanos as f64 / SECOND as f64,
            "level": message.severity(), "_program": program, "_pid": pid,
        });
        write_json(&object, &mut out);
        out.push(0);
    }
    out
}

/// An array for Datadog's intake.
pub(super) fn datadog(messages: &[SyslogMessage<'_>]) -> Vec<u8> {
    let object = |message: &SyslogMessage<'_>| {
        let SyslogMessage { nanos, host, program, text, .. } = message;
        let status = message.severity_name();
        json!({
            "message": text, "hostname": host, "service": program, "status": status, "ddsource": "syslog",
            "ddtags": "env:prod,team:web", "timestamp": nanos / 1_000_000,
        })
    };
    Value::from(messages.iter().map(object).collect::<Vec<_>>()).to_string().into_bytes()
}

/// Entries of systemd's journal, with the fields that it adds to messages received over syslog.
pub(super) fn journal(messages: &[SyslogMessage<'_>]) -> Vec<u8> {
    lines(messages, |message, out| {
        let SyslogMessage { nanos, host, program, pid, text, .. } = message;
        let (micros, severity, facility) = (nanos / 1000, message.severity(), message.priority / 8);
        // Writing to memory cannot fail.
        writeln!(
            out,
            "__CURSOR=s=6b0c7ae3c1664ae2a5d8d7d6e3f0a001;i={micros:x};b=1f0b5a9c4b0e4d0d9c2f3f7f0b7c1a22;m={micros:x}\n\
             __REALTIME_TIMESTAMP={micros}\n__MONOTONIC_TIMESTAMP={micros}\n\
             _BOOT_ID=1f0b5a9c4b0e4d0d9c2f3f7f0b7c1a22\n_MACHINE_ID=0d6e3f0a00116b0c7ae3c1664ae2a5d8\n\
             _HOSTNAME={host}\n_TRANSPORT=syslog\nPRIORITY={severity}\nSYSLOG_FACILITY={facility}\n\
             SYSLOG_IDENTIFIER={program}\nSYSLOG_PID={pid}\n_PID={pid}\n_UID=0\n_GID=0\n_COMM={program}\n\
             _SYSTEMD_CGROUP=/system.slice/{program}.service\n_SYSTEMD_UNIT={program}.service\nMESSAGE={text}"
        )
        .ok();
    })
}

/// The messages of a body grouped by their labels, as Loki's agents do.
fn streams<'m, 'l>(
    messages: &'m [SyslogMessage<'l>],
) -> BTreeMap<(&'l str, &'l str, &'static str), Vec<&'m SyslogMessage<'l>>> {
    let mut streams: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for message in messages {
        let labels = (message.host, message.program, message.severity_name());
        streams.entry(labels).or_default().push(message);
    }
    streams
}

fn lines<'l>(messages: &[SyslogMessage<'l>], write: impl Fn(&SyslogMessage<'l>, &mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::new();
    for message in messages {
        write(message, &mut out);
        out.push(b'\n');
    }
    out
}

fn write_json(value: &Value, out: &mut Vec<u8>) {
    serde_json::to_writer(out, value).expect("memory takes everything");
}
