//! The destination that stores objects in S3, or in another store with its protocol.

use serde::Serialize;

use super::http::{HttpServer, check_encryption, check_headers, secret};
use super::proxy::Proxy;
use super::stream::ClientTls;
use super::url::{HttpHeader, Url};
use crate::choice::{Addressing, Compression, HttpFormat, Packing};
use crate::name_template::NameTemplate;
use crate::problem::quoted;
use crate::table_reader::TableReader;
use crate::unit::{Period, Size};

/// The greatest length of a prefix, which leaves room for the rest of the key.
const PREFIX_BYTES_MAX: usize = 900;

/// The keys of an S3 destination.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
pub struct S3 {
    /// The server, unless it is that of AWS for the region.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub url: Option<Url>,
    /// The bucket.
    pub bucket: String,
    /// The region that it is in.
    pub region: String,
    /// The place of the bucket's name in a request.
    pub addressing: Addressing,
    /// The id of the key that signs requests.
    pub access_key: String,
    /// The secret key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_key: Option<String>,
    /// The file that contains the secret, as an alternative to the key above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_key_file: Option<String>,
    /// The beginning of the names of objects.
    #[schema(value_type = String)]
    pub prefix: NameTemplate,
    /// The limits of the messages that are gathered into one object.
    pub object: GatherLimits,
    /// The content of a line.
    pub format: HttpFormat,
    /// The compression of objects.
    pub compression: Packing,
    /// Headers added to every request, as `NAME: VALUE`.
    #[schema(value_type = Vec<String>)]
    pub headers: Vec<HttpHeader>,
    /// The longest time that a request may take.
    #[schema(value_type = String)]
    pub timeout: Period,
    /// The proxy for requests, instead of that of the server's environment.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub proxy: Option<Proxy>,
    /// The trusted authorities and our certificate for encrypted connections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls: Option<ClientTls>,
}

/// The limits of messages that are sent together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Gather)]
pub struct GatherLimits {
    /// The greatest size, as messages are in memory.
    #[schema(value_type = String)]
    pub size: Size,
    /// The longest time that a message waits for more.
    #[schema(value_type = String)]
    pub age: Period,
}

impl S3 {
    pub(super) fn read(fields: &mut TableReader<'_>) -> S3 {
        let (secret_key, secret_key_file) = secret(fields, "secret_key", "secret_key_file");
        let s3 = S3 {
            url: fields.optional("url"),
            bucket: fields.required("bucket", "logs".to_owned()),
            region: fields.get("region"),
            addressing: fields.get("addressing"),
            access_key: fields.required("access_key", "unknown".to_owned()),
            prefix: fields.get("prefix"),
            object: fields.settings_table("object.", |fields| GatherLimits {
                size: fields.get_within("size"),
                age: fields.get_within("age"),
            }),
            format: fields.get("format"),
            compression: fields.get("compression"),
            headers: fields.get("headers"),
            timeout: fields.get_within("timeout"),
            proxy: fields.optional("proxy"),
            tls: fields.optional_table("tls.", ClientTls::read),
            secret_key,
            secret_key_file,
        };
        s3.check(fields);
        s3
    }

    fn check(&self, fields: &mut TableReader<'_>) {
        if self.secret_key.is_none() && self.secret_key_file.is_none() {
            fields.note("secret_key_file", "is missing: requests must be signed");
        }
        if !is_bucket(&self.bucket) {
            let hint = "write 3 to 63 lower-case letters, digits, `-` and `.`, like `logs-archive`";
            fields.note("bucket", format!("{} cannot be a bucket: {hint}", quoted(&self.bucket)));
        }
        if !is_region(&self.region) {
            let hint = "write one like `eu-central-1`";
            fields.note("region", format!("{} cannot be a region: {hint}", quoted(&self.region)));
        }
        if self.access_key.is_empty() || !self.access_key.bytes().all(|byte| byte.is_ascii_graphic()) {
            fields.note("access_key", "must consist of letters, digits and punctuation, without spaces");
        }
        if let Err(message) = check_prefix(&self.prefix) {
            fields.note("prefix", message);
        }
        let server = self.server();
        let host = server.url.host();
        if self.addressing == Addressing::Virtual && host.parse::<std::net::IpAddr>().is_ok() {
            fields.note(
                "addressing",
                "must be `path`, because a bucket's name cannot stand in front of an IP address",
            );
        }
        if server.url.as_str().contains('?') {
            fields.note("url", "must not have a query: write it without `?` and what follows");
        }
        check_headers(&self.headers, fields);
        check_encryption(self.tls.as_ref(), &server.url, fields);
    }

    /// The server that requests are sent to.
    pub fn server(&self) -> HttpServer {
        let aws = || Url::parse(&format!("https://s3.{}.amazonaws.com", self.region));
        HttpServer {
            url: self.url.clone().or_else(|| aws().ok()).unwrap_or_else(Url::nowhere),
            user: None,
            password: None,
            password_file: None,
            connections: 1,
            headers: self.headers.clone(),
            // Objects are compressed, not requests.
            compression: Compression::None,
            timeout: self.timeout,
            proxy: self.proxy.clone(),
            tls: self.tls.clone(),
        }
    }
}

fn is_bucket(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-".contains(&byte);
    let at_an_end = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let name = name.as_bytes();
    (3..=63).contains(&name.len())
        && name.iter().all(|byte| allowed(*byte))
        && at_an_end(name.first())
        && at_an_end(name.last())
}

fn is_region(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=50).contains(&name.len()) && name.bytes().all(allowed)
}

/// Checks a prefix: servers and tools interpret `//`, `.` and `..` in their own ways.
fn check_prefix(prefix: &NameTemplate) -> Result<(), String> {
    let shape = prefix.shape();
    let folders = shape.strip_suffix('/').unwrap_or(&shape);
    if !shape.is_empty() && folders.split('/').any(|part| matches!(part, "" | "." | "..")) {
        let hint = "write it like `logs/{received:%Y/%m/%d}/`";
        return Err(format!(
            "{} begins with `/`, or has `//`, `.` or `..` in it: {hint}",
            quoted(prefix.as_str())
        ));
    }
    if PREFIX_BYTES_MAX < shape.len() {
        return Err(format!("could become longer than the {PREFIX_BYTES_MAX} bytes allowed: shorten it"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_is_made_of_folders_that_have_names() {
        for (text, expected) in [
            ("", true),
            ("logs", true),
            ("logs/", true),
            ("{host}/{received:%Y/%m}/", true),
            ("a..b/.c", true),
            ("/logs", false),
            ("/", false),
            ("logs//", false),
            ("logs/../", false),
            ("{received:../%Y}", false),
            ("./", false),
        ] {
            let prefix = NameTemplate::parse(text).expect("a template");
            assert_eq!(check_prefix(&prefix).is_ok(), expected, "{text}");
        }
    }

    #[test]
    fn a_bucket_and_a_region_can_stand_in_the_name_of_a_host() {
        for (name, expected) in [("logs", true), ("my.logs-1", true), ("lo", false), ("Logs", false)] {
            assert_eq!(is_bucket(name), expected, "{name}");
        }
        for name in ["-logs", "logs.", "a/b", "a b", &"a".repeat(64)] {
            assert!(!is_bucket(name), "{name}");
        }
        for (name, expected) in [("eu-central-1", true), ("garage", true), ("", false), ("a.b", false)] {
            assert_eq!(is_region(name), expected, "{name}");
        }
    }
}
