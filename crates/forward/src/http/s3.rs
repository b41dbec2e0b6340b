//! S3, and other stores that speak its protocol: messages are written as lines into objects.
//!
//! **Invariant:** the name of an object comes from its first message. A group that is sent again begins with the same
//! message or with a later one, so an object is replaced only by one that has all of its messages that still wait.

use super::answer::{AnswerMeaning, HttpAnswer, meaning};
use super::client::{Client, HttpRequest, glimpse, without_query};
use super::event::EventWriter;
use super::secret::{Authority, Secret};
use crate::groups::{NameGroup, groups};
use crate::packing::{self, Packer};
use crate::sink::{MessageSink, OutgoingMessage, Remedy, SendFailure, SendReport};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use logstead_config::{Addressing, HttpFormat, Packing, S3 as Config};
use logstead_flow::machine::clock;
use logstead_flow::machine::folders::Folders;
use rusty_s3::{Bucket, Credentials, S3Action, UrlStyle};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use ureq::http::{Method, StatusCode};

/// How long a signature is valid: longer than a request takes, plus the error that a clock may have.
const SIGNATURE_LIFE: Duration = Duration::from_secs(3600);
/// The checksum with which the store verifies the body; some buckets require it.
const CHECKSUM: &str = "x-amz-checksum-crc32c";

pub(crate) struct S3 {
    config: Config,
    secret: Option<Secret>,
    folders: Arc<Folders>,
    client: Client,
    events: EventWriter,
    line: Vec<u8>,
    body: Vec<u8>,
}

impl S3 {
    pub(crate) fn new(config: &Config, folders: &Arc<Folders>) -> S3 {
        S3 {
            secret: Secret::of(config.secret_key.as_ref(), config.secret_key_file.as_ref()),
            folders: folders.clone(),
            client: Client::new(&config.server(), Authority::Nobody, folders),
            events: EventWriter::new(config.format),
            line: Vec::new(),
            body: Vec::new(),
            config: config.clone(),
        }
    }

    /// Writes lines and compresses them.
    fn pack(&mut self, messages: &[OutgoingMessage<'_>], places: &[usize]) -> io::Result<()> {
        let mut body = std::mem::take(&mut self.body);
        body.clear();
        let mut packer = Packer::new(self.config.compression, body)?;
        for place in places {
            self.line.clear();
            self.events.write_line(&messages[*place], &mut self.line);
            self.line.push(b'\n');
            packer.write_all(&self.line)?;
        }
        self.body = packer.finish()?;
        Ok(())
    }

    /// Stores an object; returns its length.
    fn store(&mut self, object: &NameGroup, messages: &[OutgoingMessage<'_>]) -> Result<usize, SendFailure> {
        self.pack(messages, &object.places)?;
        let key = format!("{}{}{}", object.name, messages[object.places[0]].id(), self.ending());
        let checksum = STANDARD.encode(crc32c::crc32c(&self.body).to_be_bytes());
        let url = self.signed(&key, &checksum).map_err(SendFailure::wait)?;
        let question = HttpRequest {
            method: Method::PUT,
            header: Some((CHECKSUM, &checksum)),
            ..HttpRequest::post(&url, self.content_type(), &self.body)
        };
        let answer = self.client.ask(&question)?;
        match meaning(answer.status) {
            AnswerMeaning::Done => Ok(self.body.len()),
            _ => Err(self.failure(&answer, &url)),
        }
    }

    /// The URL of an object, signed for storing it. The secret is read each time, so that a new one is used.
    fn signed(&self, key: &str, checksum: &str) -> Result<String, String> {
        let Config { bucket, region, access_key, headers, addressing, .. } = &self.config;
        let server = self.config.server();
        let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", server.url);
        let style = match addressing {
            Addressing::Virtual => UrlStyle::VirtualHost,
            Addressing::Path => UrlStyle::Path,
        };
        let endpoint = server.url.as_str().parse().map_err(|error| wrong(&error))?;
        let bucket =
            Bucket::new(endpoint, style, bucket.clone(), region.clone()).map_err(|error| wrong(&error))?;
        let secret = self.secret.as_ref().ok_or("the secret key is missing")?;
        let secret = secret.read(&self.folders).map_err(|error| error.to_string())?;
        let credentials = Credentials::new(access_key, secret);
        let mut action = bucket.put_object(Some(&credentials), key);
        action.headers_mut().insert(CHECKSUM, checksum);
        for header in headers {
            let name = header.name.to_ascii_lowercase();
            // Only these headers have to be signed, and proxies may change others.
            if name.starts_with("x-amz-") {
                action.headers_mut().insert(name, header.value.as_str());
            }
        }
        let now =
            Timestamp::from_nanosecond(i128::from(clock::now().nanos())).map_err(|error| wrong(&error))?;
        Ok(action.sign_with_time(SIGNATURE_LIFE, &now).to_string())
    }

    fn ending(&self) -> String {
        let lines = match self.config.format {
            HttpFormat::Json => ".ndjson",
            HttpFormat::Raw | HttpFormat::Message => ".log",
        };
        format!("{lines}{}", packing::ending(self.config.compression))
    }

    fn content_type(&self) -> &'static str {
        match (self.config.compression, self.config.format) {
            (Packing::Zstd, _) => "application/zstd",
            (Packing::Gzip, _) => "application/gzip",
            (Packing::None, HttpFormat::Json) => "application/x-ndjson",
            (Packing::None, HttpFormat::Raw | HttpFormat::Message) => "text/plain",
        }
    }

    /// No message makes an object invalid, unless it is too large: everything else can wait for an operator.
    fn failure(&self, answer: &HttpAnswer, url: &str) -> SendFailure {
        let (code, text) = error_of(&answer.body);
        let reason = if code.is_empty() {
            answer.shown.clone()
        } else {
            let status = StatusCode::from_u16(answer.status)
                .map_or_else(|_| String::new(), |status| status.to_string());
            format!("{}: {status}: {code}: {text}", without_query(url))
        };
        let remedy = if answer.status == 413 || code == "EntityTooLarge" {
            Remedy::Split
        } else {
            Remedy::Wait(answer.retry_after)
        };
        match self.advice(answer.status, &code) {
            Some(advice) => {
                SendFailure { reason: format!("{}; {advice}", reason.trim_end_matches('.')), remedy }
            }
            None => SendFailure { reason, remedy },
        }
    }

    /// Advice for the operator.
    fn advice(&self, status: u16, code: &str) -> Option<String> {
        let Config { bucket, region, .. } = &self.config;
        Some(match code {
            "NoSuchBucket" => format!("create the bucket `{bucket}`, or correct `bucket`"),
            "AccessDenied" | "AllAccessDisabled" | "AccountProblem" => {
                format!("allow the key `s3:PutObject` in the bucket `{bucket}`, and set the clock")
            }
            "InvalidAccessKeyId" => "correct `access_key`".to_owned(),
            "SignatureDoesNotMatch" => "correct the secret key".to_owned(),
            "RequestTimeTooSkewed" => "set the clock of this machine".to_owned(),
            "AuthorizationHeaderMalformed" | "AuthorizationQueryParametersError" | "PermanentRedirect" => {
                format!("the bucket may be in another region than `{region}`: correct `region` or `url`")
            }
            _ if (300..400).contains(&status) => "correct `region`, `url` or `addressing`".to_owned(),
            _ => return None,
        })
    }
}

impl MessageSink for S3 {
    fn send(&mut self, messages: &[OutgoingMessage<'_>]) -> Result<SendReport, SendFailure> {
        let mut objects = groups(&self.config.prefix, messages).into_iter();
        let mut bytes = 0;
        let mut is_first = true;
        while let Some(object) = objects.next() {
            match self.store(&object, messages) {
                Ok(length) => bytes += length,
                Err(failure) if is_first => return Err(failure),
                Err(failure) => {
                    let left = std::iter::once(object).chain(objects);
                    let mut again: Vec<usize> = left.flat_map(|object| object.places).collect();
                    again.sort_unstable();
                    return Ok(SendReport { bytes, again, busy: Some(failure), ..SendReport::default() });
                }
            }
            is_first = false;
        }
        Ok(SendReport::all(bytes))
    }
}

/// The code and the text of an error.
fn error_of(body: &[u8]) -> (String, String) {
    let text = String::from_utf8_lossy(body);
    let element = |name: &str| {
        let (_, rest) = text.split_once(&format!("<{name}>"))?;
        let (inner, _) = rest.split_once(&format!("</{name}>"))?;
        Some(glimpse(inner))
    };
    (element("Code").unwrap_or_default(), element("Message").unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::super::peer::{
        AfterAnswer, Peer, PeerRequest, PeerTurn, answer, answer_with, batch, folders, header,
    };
    use super::*;
    use logstead_config::{GatherLimits, HttpHeader, NameTemplate, Period, Proxy, Size, Url};
    use logstead_record::Batch;
    use std::path::Path;
    use std::time::Instant;

    fn config(peer: &Peer) -> Config {
        Config {
            url: Some(Url::parse(&peer.url).unwrap()),
            bucket: "logs".to_owned(),
            region: "eu-central-1".to_owned(),
            addressing: Addressing::Path,
            access_key: "AKIA".to_owned(),
            secret_key: Some("hunter2".to_owned()),
            secret_key_file: None,
            prefix: NameTemplate::parse("a/{received:%Y/%m}/").unwrap(),
            object: GatherLimits { size: Size::mib(1), age: Period::seconds(1) },
            format: HttpFormat::Message,
            compression: Packing::None,
            headers: Vec::new(),
            timeout: Period::seconds(30),
            proxy: Proxy::parse("none").ok(),
            tls: None,
        }
    }

    fn sink(config: &Config) -> S3 {
        S3::new(config, &folders(Path::new("/nowhere")))
    }

    fn messages(batch: &Batch) -> Vec<OutgoingMessage<'_>> {
        (0..batch.rows()).map(|row| OutgoingMessage { batch, row, sequence: 7 + row as u64 }).collect()
    }

    /// The path of a request, without its signature.
    fn path(asked: &PeerRequest) -> &str {
        let target = asked.head.split(' ').nth(1).unwrap();
        target.split('?').next().unwrap()
    }

    fn failure(peer: &Peer) -> SendFailure {
        let batch = batch(2);
        sink(&config(peer)).send(&messages(&batch)).unwrap_err()
    }

    #[test]
    fn messages_become_an_object_that_is_signed_and_named_by_the_first_of_them() {
        let peer = Peer::start(vec![answer(200, "")]);
        let headers =
            ["x-amz-storage-class: GLACIER", "X-Team: blue"].map(|header| HttpHeader::parse(header).unwrap());
        let batch = batch(3);
        let sent = sink(&Config { headers: headers.into(), ..config(&peer) }).send(&messages(&batch));
        let asked = peer.asked();
        assert_eq!(sent, Ok(SendReport::all(asked.body.len())));
        assert_eq!(asked.body, b"caf\xE9 \"one\"\nmessage 1\nmessage 2\n");
        assert!(asked.head.starts_with("PUT "), "{}", asked.head);
        assert_eq!(path(&asked), format!("/logs/a/2023/11/{}.log", messages(&batch)[0].id()));
        for part in [
            "X-Amz-Credential=AKIA%2F",
            "%2Feu-central-1%2Fs3%2Faws4_request",
            "X-Amz-SignedHeaders=host%3Bx-amz-checksum-crc32c%3Bx-amz-storage-class&",
            "X-Amz-Signature=",
        ] {
            assert!(asked.head.contains(part), "{}", asked.head);
        }
        let checksum = STANDARD.encode(crc32c::crc32c(&asked.body).to_be_bytes());
        assert_eq!(header(&asked.head, "x-amz-checksum-crc32c"), Some(&*checksum));
        assert_eq!(header(&asked.head, "content-type"), Some("text/plain"));
        assert_eq!(header(&asked.head, "content-encoding"), None);
        assert_eq!(header(&asked.head, "x-team"), Some("blue"));
        assert!(!asked.head.contains("hunter2"));
    }

    #[test]
    fn the_same_messages_make_the_same_object_however_often_they_are_sent() {
        for compression in [Packing::Zstd, Packing::Gzip] {
            let (late, garbage) = (
                PeerTurn::bytes("", AfterAnswer::Close),
                PeerTurn::bytes("SSH-2.0-x\r\n\r\n", AfterAnswer::Close),
            );
            let peer = Peer::start(vec![late, garbage, answer(200, "")]);
            let config = Config { compression, format: HttpFormat::Json, ..config(&peer) };
            let mut sink = sink(&config);
            let batch = batch(2);
            sink.send(&messages(&batch)).unwrap_err();
            sink.send(&messages(&batch)).unwrap_err();
            sink.send(&messages(&batch)).unwrap();
            let [first, second, third] = [peer.asked(), peer.asked(), peer.asked()];
            assert_eq!((path(&first), path(&second)), (path(&third), path(&third)));
            assert!(first.body == third.body && second.body == third.body);
            let ending = format!(".ndjson{}", packing::ending(compression));
            assert!(path(&third).ends_with(&ending), "{}", path(&third));
        }
    }

    #[test]
    fn what_begins_with_the_same_message_replaces_its_object() {
        let peer = Peer::start(vec![answer(200, ""), answer(200, "")]);
        let mut sink = sink(&config(&peer));
        let batch = batch(3);
        sink.send(&messages(&batch)[..2]).unwrap();
        sink.send(&messages(&batch)).unwrap();
        assert_eq!(path(&peer.asked()), path(&peer.asked()));
    }

    #[test]
    fn each_prefix_has_an_object_and_those_that_fail_are_sent_again_alone() {
        let error = "<Error><Code>SlowDown</Code><Message>Reduce your\nrequest rate.</Message></Error>";
        let peer = Peer::start(vec![answer(200, ""), answer_with(503, "Retry-After: 9\r\n", error)]);
        let config = Config { prefix: NameTemplate::parse("{host}/").unwrap(), ..config(&peer) };
        let batch = batch(4);
        // The hosts are web-1, web-1, web-0, web-1.
        let sent = sink(&config).send(&messages(&batch)).unwrap();
        assert_eq!(sent.again, [2]);
        let busy = sent.busy.unwrap();
        assert!(
            busy.reason.ends_with(": 503 Service Unavailable: SlowDown: Reduce your request rate."),
            "{}",
            busy.reason
        );
        assert_eq!(busy.remedy, Remedy::Wait(Some(Duration::from_secs(9))));
        let (first, second) = (peer.asked(), peer.asked());
        assert_eq!(first.body, b"caf\xE9 \"one\"\nmessage 1\nmessage 3\n");
        assert_eq!(second.body, b"message 2\n");
        assert!(path(&second).starts_with("/logs/web-0/"), "{}", path(&second));
    }

    #[test]
    fn a_refusal_says_what_to_do_and_costs_no_message() {
        let error = |code: &str| {
            format!("<?xml version=\"1.0\"?>\n<Error><Code>{code}</Code><Message>No.</Message></Error>")
        };
        for (status, code, expected) in [
            (
                404,
                "NoSuchBucket",
                "404 Not Found: NoSuchBucket: No; create the bucket `logs`, or correct `bucket`",
            ),
            (403, "AccessDenied", "; allow the key `s3:PutObject` in the bucket `logs`"),
            (403, "InvalidAccessKeyId", "; correct `access_key`"),
            (403, "SignatureDoesNotMatch", "; correct the secret key"),
            (400, "AuthorizationHeaderMalformed", "another region than `eu-central-1`"),
            (409, "OperationAborted", "409 Conflict: OperationAborted: No."),
            (500, "InternalError", "500 Internal Server Error"),
        ] {
            let peer = Peer::start(vec![answer(status, &error(code))]);
            let failure = failure(&peer);
            assert!(failure.reason.contains(expected), "{}", failure.reason);
            assert!(
                failure.reason.starts_with(&format!("{}/logs/a/2023/11/", peer.url)),
                "{}",
                failure.reason
            );
            assert!(!failure.reason.contains("X-Amz"), "{}", failure.reason);
            assert_eq!(failure.remedy, Remedy::Wait(None));
        }
        let moved = Peer::start(vec![answer_with(301, "Location: https://other/?a=b\r\n", "")]);
        assert!(failure(&moved).reason.ends_with("; correct `region`, `url` or `addressing`"));
    }

    #[test]
    fn what_is_too_large_is_sent_in_parts() {
        let large = "<Error><Code>EntityTooLarge</Code><Message>Too large.</Message></Error>";
        for turn in [answer(400, large), answer(413, "")] {
            assert_eq!(failure(&Peer::start(vec![turn])).remedy, Remedy::Split);
        }
    }

    #[test]
    fn a_store_that_never_answers_is_given_up() {
        let peer = Peer::start(vec![PeerTurn::bytes(
            "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n",
            AfterAnswer::Hang,
        )]);
        let config = Config { timeout: Period::millis(300), ..config(&peer) };
        let (begin, batch) = (Instant::now(), batch(1));
        let failure = sink(&config).send(&messages(&batch)).unwrap_err();
        assert!(failure.reason.contains("no complete answer before the deadline"), "{}", failure.reason);
        assert!(begin.elapsed() < Duration::from_secs(25));
    }

    #[test]
    fn a_secret_in_a_file_is_read_for_each_object() {
        let folder = tempfile::tempdir().unwrap();
        let peer = Peer::start(vec![answer(200, "")]);
        let config = Config { secret_key: None, secret_key_file: Some("s3.key".to_owned()), ..config(&peer) };
        let mut sink = S3::new(&config, &folders(folder.path()));
        let batch = batch(1);
        let failure = sink.send(&messages(&batch)).unwrap_err();
        assert!(failure.reason.contains("secrets/s3.key: No such file"), "{}", failure.reason);
        std::fs::create_dir(folder.path().join("secrets")).unwrap();
        std::fs::write(folder.path().join("secrets/s3.key"), "hunter2\n").unwrap();
        assert!(sink.send(&messages(&batch)).is_ok());
    }

    #[test]
    fn the_bucket_stands_in_front_of_the_host_or_in_the_path() {
        let peer = Peer::start(Vec::new());
        let virtual_host = Config { url: None, addressing: Addressing::Virtual, ..config(&peer) };
        let own = Config { url: Some(Url::parse("https://s3.example:9000/x").unwrap()), ..config(&peer) };
        for (config, begin) in [
            (&virtual_host, "https://logs.s3.eu-central-1.amazonaws.com/a/b%20c?X-Amz-"),
            (&own, "https://s3.example:9000/x/logs/a/b%20c?X-Amz-"),
        ] {
            let url = sink(config).signed("a/b c", "").unwrap();
            assert!(url.starts_with(begin), "{url}");
        }
    }
}
