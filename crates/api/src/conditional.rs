//! The headers with which a client says which document it has, and which codings it takes.

use axum::http::{HeaderMap, HeaderName, header};

/// True if `If-None-Match` names this tag, by weak comparison: the client has the same document, however it was
/// compressed on the way.
pub(crate) fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    values(headers, header::IF_NONE_MATCH)
        .map(str::trim)
        .any(|named| named == "*" || named.strip_prefix("W/").unwrap_or(named) == tag)
}

/// True if a client accepts a coding, that is, names it with a weight other than 0.
pub(crate) fn takes(headers: &HeaderMap, coding: &str) -> bool {
    values(headers, header::ACCEPT_ENCODING).any(|accepted| {
        let (name, weight) = accepted.split_once(';').unwrap_or((accepted, ""));
        let is_refused = weight.trim().strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0_f32));
        name.trim().eq_ignore_ascii_case(coding) && !is_refused
    })
}

/// The items of a list in headers of this name.
fn values(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(','))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn brotli_goes_to_those_who_take_it() {
        for (accepted, expected) in [
            ("gzip, deflate, br, zstd", true),
            ("BR;q=0.5", true),
            ("gzip, br;q=0", false),
            ("gzip, br; q=0.0", false),
            ("gzip", false),
            ("brr", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(accepted));
            assert_eq!(takes(&headers, "br"), expected, "{accepted}");
        }
        assert!(!takes(&HeaderMap::new(), "br"));
    }
}
