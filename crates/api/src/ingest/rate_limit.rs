//! Tells senders how much of their token's allowance is left, in the headers `RateLimit-Policy` and `RateLimit`
//! (draft-ietf-httpapi-ratelimit-headers), so that they can slow down before they are refused.

use super::pace::Allowance;
use axum::http::{HeaderMap, HeaderName, HeaderValue};

/// The header with the limits of a token, which stay the same.
const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
/// The header with the rest of each limit.
const REST: HeaderName = HeaderName::from_static("ratelimit");

/// Adds the headers for these allowances; none without an allowance.
pub(crate) fn add(headers: &mut HeaderMap, allowances: &[Allowance]) {
    let list = |item: fn(&Allowance) -> String| {
        let items: Vec<_> = allowances.iter().map(item).collect();
        HeaderValue::try_from(items.join(", ")).ok().filter(|value| !value.is_empty())
    };
    headers.extend(list(policy).map(|value| (POLICY, value)));
    headers.extend(list(rest).map(|value| (REST, value)));
}

/// Copies the headers to a response that replaces another.
pub(super) fn copy(from: &HeaderMap, to: &mut HeaderMap) {
    for name in [POLICY, REST] {
        to.extend(from.get(&name).map(|value| (name, value.clone())));
    }
}

fn policy(allowance: &Allowance) -> String {
    let unit = if allowance.unit == "bytes" { ";qu=\"content-bytes\"" } else { "" };
    format!("\"{}\";q={};w=1{unit}", allowance.unit, allowance.a_second)
}

fn rest(allowance: &Allowance) -> String {
    let reset = match allowance.ahead {
        ahead if 0.0 < ahead => format!(";t={}", ahead.ceil()),
        _ => String::new(),
    };
    format!("\"{}\";r={}{reset}", allowance.unit, allowance.left())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_tell_the_limits_and_their_rest() {
        let told = |allowances: &[Allowance]| {
            let mut headers = HeaderMap::new();
            add(&mut headers, allowances);
            let text = |name| headers.get(&name).map(|value| value.to_str().unwrap().to_owned());
            (text(POLICY), text(REST))
        };
        let messages = Allowance { unit: "messages", a_second: 100, ahead: 0.25 };
        let bytes = Allowance { unit: "bytes", a_second: 1000, ahead: 0.0 };
        assert_eq!(
            told(&[messages, bytes]),
            (
                Some(r#""messages";q=100;w=1, "bytes";q=1000;w=1;qu="content-bytes""#.to_owned()),
                Some(r#""messages";r=75;t=1, "bytes";r=1000"#.to_owned()),
            )
        );
        let overdrawn = Allowance { unit: "messages", a_second: 100, ahead: 9.5 };
        assert_eq!(told(&[overdrawn]).1.unwrap(), r#""messages";r=0;t=10"#);
        assert_eq!(told(&[]), (None, None), "a token without a limit has none to tell");
    }
}
