//! Owners and actors: the account of an owner, which is never reused, and the name of an actor, which people read.
//!
//! **Invariant:** rights depend on the account. A name can be given to someone else later.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use std::fmt;

/// An owner.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Account {
    /// A user, by id.
    User(i64),
    /// An API token, by id.
    Token(i64),
    /// The holder of `LOGSTEAD_ADMIN_TOKEN`.
    Environment,
}

impl Account {
    fn parse(text: &str) -> Option<Account> {
        match text.split_once(':') {
            Some(("user", id)) => id.parse().ok().map(Account::User),
            Some(("token", id)) => id.parse().ok().map(Account::Token),
            None if text == "environment" => Some(Account::Environment),
            _ => None,
        }
    }
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Account::User(id) => write!(f, "user:{id}"),
            Account::Token(id) => write!(f, "token:{id}"),
            Account::Environment => f.write_str("environment"),
        }
    }
}

impl ToSql for Account {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.to_string().into())
    }
}

impl FromSql for Account {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Account> {
        Account::parse(value.as_str()?).ok_or(FromSqlError::InvalidType)
    }
}

/// An actor: its account, if it has one, and its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Actor {
    /// `None` for the system itself and for failed logins.
    pub account: Option<Account>,
    /// The name of a user, or `token:` and the name of a token.
    pub name: String,
}

impl From<&str> for Actor {
    /// Makes an actor without an account.
    fn from(name: &str) -> Actor {
        Actor { account: None, name: name.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_read_as_it_was_written() {
        for account in [Account::User(7), Account::Token(3), Account::Environment] {
            assert_eq!(Account::parse(&account.to_string()), Some(account));
        }
        for text in ["", "user", "user:", "user:x", "former:ana", "environment:1", "Environment"] {
            assert_eq!(Account::parse(text), None, "{text}");
        }
    }
}
