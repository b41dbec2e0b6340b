//! The reply to a request: `ExportLogsServiceResponse`, or `google.rpc.Status`, in the encoding of the request.

use super::Encoding;
use serde_json::json;
use std::time::Duration;

/// The type of the detail that states the time to try again.
const RETRY_INFO: &str = "type.googleapis.com/google.rpc.RetryInfo";

/// The reply to a request that was accepted.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct OtlpReply {
    /// The number of rejected records. They must not be sent again.
    pub rejected: usize,
    /// The reason.
    pub message: String,
}

/// The reason for which a request was not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Status {
    /// The kind of error.
    pub code: Code,
    /// The reason in words.
    pub message: String,
    /// The time after which to try again, if that helps.
    pub retry_after: Option<Duration>,
}

/// The kinds of errors: the codes of gRPC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Code {
    /// It cannot be read.
    InvalidArgument = 3,
    /// Its sender is not allowed to send here.
    PermissionDenied = 7,
    /// The request is too large, or comes too soon.
    ResourceExhausted = 8,
    /// There is no such method.
    Unimplemented = 12,
    /// The request cannot be accepted now.
    Unavailable = 14,
    /// Its sender did not authenticate.
    Unauthenticated = 16,
}

impl OtlpReply {
    /// Encodes the body of a response; it is empty if there is nothing to report.
    pub fn encode(&self, encoding: Encoding) -> Vec<u8> {
        let says_something = 0 < self.rejected || !self.message.is_empty();
        match encoding {
            Encoding::Json if says_something => {
                // Numbers of 64 bits are strings in JSON.
                let rejected = self.rejected.to_string();
                let partial = json!({"rejectedLogRecords": rejected, "errorMessage": self.message});
                json!({"partialSuccess": partial}).to_string().into_bytes()
            }
            Encoding::Json => b"{}".to_vec(),
            Encoding::Protobuf if says_something => {
                let (mut partial, mut answer) = (Vec::new(), Vec::new());
                write_number(1, self.rejected as u64, &mut partial);
                write_bytes(2, self.message.as_bytes(), &mut partial);
                write_bytes(1, &partial, &mut answer);
                answer
            }
            Encoding::Protobuf => Vec::new(),
        }
    }
}

impl Status {
    /// A status without a time to try again.
    pub fn new(code: Code, message: impl Into<String>) -> Status {
        Status { code, message: message.into(), retry_after: None }
    }

    /// Encodes the body of a response.
    pub fn encode(&self, encoding: Encoding) -> Vec<u8> {
        match encoding {
            Encoding::Json => self.encode_json(),
            Encoding::Protobuf => self.encode_protobuf(),
        }
    }

    fn encode_json(&self) -> Vec<u8> {
        let mut status = json!({"code": self.code as u8, "message": self.message});
        if let Some(after) = self.retry_after {
            let delay = format!("{}s", after.as_secs_f64());
            status["details"] = json!([{"@type": RETRY_INFO, "retryDelay": delay}]);
        }
        status.to_string().into_bytes()
    }

    fn encode_protobuf(&self) -> Vec<u8> {
        let mut status = Vec::new();
        write_number(1, self.code as u64, &mut status);
        write_bytes(2, self.message.as_bytes(), &mut status);
        if let Some(after) = self.retry_after {
            let (mut delay, mut info, mut detail) = (Vec::new(), Vec::new(), Vec::new());
            write_number(1, after.as_secs(), &mut delay);
            write_number(2, u64::from(after.subsec_nanos()), &mut delay);
            write_bytes(1, &delay, &mut info);
            write_bytes(1, RETRY_INFO.as_bytes(), &mut detail);
            write_bytes(2, &info, &mut detail);
            write_bytes(3, &detail, &mut status);
        }
        status
    }
}

/// Appends a number to a message, unless it is 0: a missing number means the same.
fn write_number(field: u64, number: u64, out: &mut Vec<u8>) {
    if number != 0 {
        write_varint(field << 3, out);
        write_varint(number, out);
    }
}

/// Appends a text or a message to a message.
fn write_bytes(field: u64, bytes: &[u8], out: &mut Vec<u8>) {
    write_varint(field << 3 | 2, out);
    write_varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

fn write_varint(mut number: u64, out: &mut Vec<u8>) {
    while 0x80 <= number {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_without_anything_to_say_is_empty() {
        assert_eq!(OtlpReply::default().encode(Encoding::Json), b"{}");
        assert_eq!(OtlpReply::default().encode(Encoding::Protobuf), b"");
    }

    #[test]
    fn what_was_rejected_is_said_in_the_encoding_of_the_request() {
        let answer = OtlpReply { rejected: 2, message: "too long".to_owned() };
        let json = r#"{"partialSuccess":{"errorMessage":"too long","rejectedLogRecords":"2"}}"#;
        assert_eq!(answer.encode(Encoding::Json), json.as_bytes());
        assert_eq!(answer.encode(Encoding::Protobuf), b"\x0a\x0c\x08\x02\x12\x08too long");
    }

    #[test]
    fn a_status_says_when_to_come_again() {
        let retry_after = Some(Duration::from_millis(1500));
        let status = Status { retry_after, ..Status::new(Code::Unavailable, "full") };
        let detail = r#"{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1.5s"}"#;
        let json = format!(r#"{{"code":14,"details":[{detail}],"message":"full"}}"#);
        assert_eq!(String::from_utf8(status.encode(Encoding::Json)).unwrap(), json);
        let expected = [
            &b"\x08\x0e\x12\x04full\x1a\x36\x0a\x28type.googleapis.com/google.rpc.RetryInfo"[..],
            b"\x12\x0a\x0a\x08\x08\x01\x10\x80\xca\xb5\xee\x01",
        ];
        assert_eq!(status.encode(Encoding::Protobuf), expected.concat());
    }
}
