//! Users known to a provider, that is, an OpenID provider or a directory. Their rights are set anew at each login.
//!
//! **Invariant:** who somebody is depends on the provider and its subject, never on the name: a name that belongs to
//! another user here is refused, so that no provider can hand out the accounts of others.

use super::columns::Nanos;
use super::users::credentials;
use super::{Credentials, Error, Grant, Meta, Result, Role};
use logstead_record::Timestamp;
use rusqlite::{OptionalExtension, params};

/// A person known to a provider, with the rights that the settings give them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExternalUser {
    /// `oidc:ID` or `ldap:ID`.
    pub origin: String,
    /// The provider's permanent identifier for this person.
    pub subject: String,
    /// The name to show, which must not be taken.
    pub name: String,
    /// The role that follows from the person's groups.
    pub role: Role,
    /// The grant that follows from the person's groups.
    pub grant: Grant,
}

impl Meta {
    /// The user for a person who has just logged in with a provider: created at the first login, and given these
    /// rights at each.
    pub fn admit(&self, known: &ExternalUser, now: Timestamp) -> Result<Credentials> {
        let ExternalUser { origin, subject, name, role, grant } = known;
        self.write(|transaction| {
            let owner = transaction.query_row(
                "SELECT origin IS ?2 AND subject IS ?3 FROM users WHERE name = ?1",
                params![name, origin, subject],
                |row| row.get::<_, bool>(0),
            );
            if owner.optional()? == Some(false) {
                return Err(Error::NameTaken(name.clone()));
            }
            // No password matches an empty hash.
            transaction.execute(
                "INSERT INTO users (name, role, logspaces, scope, password_hash, created_at, origin, subject)
                 VALUES (?1, ?2, ?3, ?4, '', ?5, ?6, ?7)
                 ON CONFLICT (origin, subject) WHERE origin IS NOT NULL
                 DO UPDATE SET name = ?1, role = ?2, logspaces = ?3, scope = ?4",
                params![name, role, grant.logspaces_column(), grant.scope, Nanos(now), origin, subject],
            )?;
            let admitted = credentials(transaction, "origin = ?1 AND subject = ?2", [origin, subject])?;
            admitted.ok_or_else(|| Error::NoSuchUser(name.clone()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_nanos(7);

    fn known(origin: &str, subject: &str, name: &str, role: Role) -> ExternalUser {
        let (origin, subject, name) = (origin.to_owned(), subject.to_owned(), name.to_owned());
        ExternalUser { origin, subject, name, role, grant: Grant::default() }
    }

    #[test]
    fn somebody_stays_the_same_user_whatever_they_are_called_and_has_the_rights_of_the_last_login() {
        let directory = tempfile::tempdir().unwrap();
        let meta = Meta::open(&directory.path().join("logstead.db")).unwrap();
        let first = meta.admit(&known("oidc:corp", "1", "ana", Role::Admin), NOW).unwrap();
        let again = meta.admit(&known("oidc:corp", "1", "ana.b", Role::Analyst), NOW).unwrap();
        assert_eq!((again.id, again.name.as_str(), again.role), (first.id, "ana.b", Role::Analyst));
        assert_eq!(again.origin.as_deref(), Some("oidc:corp"));
        let other = meta.admit(&known("oidc:corp", "2", "ana", Role::Analyst), NOW).unwrap();
        assert_ne!(other.id, first.id);
    }

    #[test]
    fn nobody_gets_the_user_of_another_by_being_called_alike() {
        let directory = tempfile::tempdir().unwrap();
        let meta = Meta::open(&directory.path().join("logstead.db")).unwrap();
        meta.add_user("ada", Role::Admin, "h", NOW).unwrap();
        meta.admit(&known("oidc:corp", "1", "ana", Role::Analyst), NOW).unwrap();
        for (origin, subject, name) in
            [("oidc:corp", "9", "ada"), ("oidc:corp", "9", "ANA"), ("ldap:corp", "1", "ana")]
        {
            let refused = meta.admit(&known(origin, subject, name, Role::Admin), NOW);
            assert!(matches!(refused, Err(Error::NameTaken(_))), "{origin} {subject} {name}");
        }
        assert!(matches!(
            meta.admit(&known("oidc:corp", "1", "ada", Role::Admin), NOW),
            Err(Error::NameTaken(_))
        ));
        assert!(matches!(meta.set_password("ana", "h", None), Err(Error::PasswordElsewhere { .. })));
    }
}
