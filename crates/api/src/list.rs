//! Pages of lists other than those of messages: their size, and the cursor with which the next page begins.
//!
//! Text of a cursor: base64url of `list u64 LE | last`, where `last` is the key of the page's last entry.
//!
//! **Invariant:** a cursor continues only the list that it came from, with the same filters.

use super::error::{ApiError, Result};
use super::problem_type::ProblemType;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::str::FromStr;

/// Maximum number of entries on a page of a list that has no other limit.
pub(crate) const PAGE_MAX: usize = 1000;

/// Which page of a list to show.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListParams {
    /// Maximum number of entries.
    #[param(default = 1000, minimum = 1, maximum = 1000)]
    pub(crate) limit: Option<usize>,
    /// The start of the page: the `cursor` of the previous page of this list.
    pub(crate) cursor: Option<String>,
}

/// A list with its filters. Cursors of another one are refused.
pub(crate) struct ListIdentity(u64);

impl ListIdentity {
    /// The list with this name and these filters, as the caller wrote them.
    pub(crate) fn new(name: &str, filters: impl Debug) -> ListIdentity {
        let hash = blake3::hash(format!("{name} {filters:?}").as_bytes());
        ListIdentity(hash.as_bytes().first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes)))
    }

    /// The cursor of the page after an entry with this key.
    pub(crate) fn cursor(&self, last: &str) -> String {
        URL_SAFE_NO_PAD.encode([&self.0.to_le_bytes(), last.as_bytes()].concat())
    }

    /// The key of the entry after which the page begins; `None` for the first page.
    pub(crate) fn last(&self, cursor: Option<&str>) -> Result<Option<String>> {
        let Some(cursor) = cursor else { return Ok(None) };
        let refused = |detail: &str| ApiError::new(ProblemType::UnusableCursor, detail).path("cursor");
        let bytes = URL_SAFE_NO_PAD.decode(cursor).unwrap_or_default();
        let parts = bytes.split_first_chunk().map(|(list, last)| (u64::from_le_bytes(*list), last));
        match parts {
            Some((list, last)) if list == self.0 => match std::str::from_utf8(last) {
                Ok(last) => Ok(Some(last.to_owned())),
                Err(_) => Err(changed_cursor()),
            },
            Some(_) => Err(refused(
                "the cursor is from another list: send the same parameters with it, or start again without it",
            )),
            None => Err(refused("the cursor is not one that a list returned: start again without it")),
        }
    }

    /// The cursor of the page after an entry whose key has parts.
    pub(crate) fn cursor_after(&self, last: &impl Serialize) -> Result<String> {
        Ok(self.cursor(&serde_json::to_string(last).map_err(ApiError::internal)?))
    }

    /// The key, with its parts, of the entry after which the page begins.
    pub(crate) fn last_key<K: DeserializeOwned>(&self, cursor: Option<&str>) -> Result<Option<K>> {
        self.last(cursor)?.map(|last| serde_json::from_str(&last).map_err(|_| changed_cursor())).transpose()
    }

    /// The same for lists whose keys are numbers.
    pub(crate) fn last_number(&self, cursor: Option<&str>) -> Result<Option<u64>> {
        self.last(cursor)?.map(|last| last.parse().map_err(|_| changed_cursor())).transpose()
    }
}

/// A page of entries that are in memory in the order of their keys, and the cursor of the next one.
pub(crate) struct Page<T> {
    pub(crate) entries: Vec<T>,
    pub(crate) cursor: Option<String>,
}

impl<T> Page<T> {
    /// The page that a request asks for.
    pub(crate) fn new<K: Ord + ToString + FromStr>(
        list: &ListIdentity,
        limit: Option<usize>,
        cursor: Option<&str>,
        mut entries: Vec<T>,
        key: impl Fn(&T) -> K,
    ) -> Result<Page<T>> {
        let limit = page_size(limit, PAGE_MAX, PAGE_MAX)?;
        if let Some(last) = list.last(cursor)? {
            let last: K = last.parse().map_err(|_| changed_cursor())?;
            entries.retain(|entry| last < key(entry));
        }
        let has_more = limit < entries.len();
        entries.truncate(limit);
        let last = entries.last().filter(|_| has_more);
        let cursor = last.map(|last| list.cursor(&key(last).to_string()));
        Ok(Page { entries, cursor })
    }
}

fn changed_cursor() -> ApiError {
    let detail = "the cursor was changed on its way: start again without it";
    ApiError::new(ProblemType::UnusableCursor, detail).path("cursor")
}

/// The size of a page.
pub(crate) fn page_size(limit: Option<usize>, default: usize, max: usize) -> Result<usize> {
    match limit.unwrap_or(default) {
        limit if (1..=max).contains(&limit) => Ok(limit),
        limit => Err(ApiError::invalid(format!("limit is {limit}: it must be 1 to {max}")).path("limit")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_continues_its_own_list_only() {
        let list = ListIdentity::new("senders", ("web", 7));
        let cursor = list.cursor("syslog\0web-1");
        assert_eq!(list.last(Some(&cursor)).unwrap().as_deref(), Some("syslog\0web-1"));
        assert_eq!(list.last(None).unwrap(), None);
        for other in [ListIdentity::new("senders", ("web", 8)), ListIdentity::new("audit", ("web", 7))] {
            assert!(other.last(Some(&cursor)).unwrap_err().detail().contains("another list"));
        }
    }

    #[test]
    fn other_texts_are_refused() {
        let list = ListIdentity::new("revisions", ());
        for text in ["", "AAAA", "not base64!", "{}"] {
            assert!(list.last(Some(text)).unwrap_err().detail().contains("not one that a list returned"));
        }
        assert_eq!(list.last_number(Some(&list.cursor("17"))).unwrap(), Some(17));
        assert!(list.last_number(Some(&list.cursor("x"))).is_err());
    }
}
