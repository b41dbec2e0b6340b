//! The second factor of a user: the secret of an authenticator app, and recovery codes in case the app is lost.
//!
//! **Invariant:** a code is accepted once. A recovery code is stored as a hash and removed when it is used.
//! **Invariant:** an enrolment counts only after a code of it was seen, so that nobody locks themselves out.

use super::columns::Nanos;
use super::one_time::{SECRET_BYTES, TotpSecret};
use super::secret::setup_code;
use super::{Error, Meta, Result, Secret};
use logstead_record::{SECOND, Timestamp};
use rusqlite::{OptionalExtension, Transaction, params};

/// How many recovery codes a user gets.
const RECOVERY_CODES: usize = 10;
/// How long an enrolment may take until its first code is entered.
const ENROLMENT_MAX: i64 = 15 * 60 * SECOND;

/// A second factor that is in use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SecondFactor {
    /// The time when it was set up.
    pub since: Timestamp,
    /// Recovery codes that were not used yet.
    pub recovery_codes_left: u32,
}

impl Meta {
    /// The second factor of a user; `None` if there is none.
    pub fn second_factor(&self, user_id: i64) -> Result<Option<SecondFactor>> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(
            "SELECT confirmed_at, (SELECT count(*) FROM recovery_codes WHERE recovery_codes.user_id = totp.user_id)
             FROM totp WHERE user_id = ?1 AND confirmed_at IS NOT NULL",
        )?;
        let found = statement.query_row([user_id], |row| {
            Ok(SecondFactor { since: row.get::<_, Nanos>(0)?.0, recovery_codes_left: row.get(1)? })
        });
        Ok(found.optional()?)
    }

    /// Begins an enrolment, and discards an unfinished one. Refused while a second factor is in use.
    pub fn begin_totp(&self, user_id: i64, secret: &TotpSecret, now: Timestamp) -> Result<()> {
        let begun = self.write(|connection| {
            Ok(connection.execute(
                "INSERT INTO totp (user_id, secret, begun_at, last_step) VALUES (?1, ?2, ?3, 0)
                 ON CONFLICT (user_id) DO UPDATE SET secret = ?2, begun_at = ?3, last_step = 0 WHERE confirmed_at IS NULL",
                params![user_id, secret.0, Nanos(now)],
            )?)
        })?;
        if begun == 1 { Ok(()) } else { Err(Error::SecondFactorExists) }
    }

    /// Finishes an enrolment with its first code. Returns the recovery codes, which are shown only this once; `None`
    /// if the code is wrong.
    pub fn confirm_totp(&self, user_id: i64, code: &str, now: Timestamp) -> Result<Option<Vec<String>>> {
        let codes = recovery_codes()?;
        self.write(|transaction| {
            let found = transaction.query_row(
                "SELECT secret FROM totp WHERE user_id = ?1 AND confirmed_at IS NULL AND ?2 < begun_at",
                params![user_id, Nanos(now.saturating_add(-ENROLMENT_MAX))],
                |row| row.get::<_, [u8; SECRET_BYTES]>(0),
            );
            let secret = found.optional()?.map(TotpSecret).ok_or(Error::NoEnrolment)?;
            let Some(step) = secret.step_of(code, now) else { return Ok(None) };
            transaction.execute(
                "UPDATE totp SET confirmed_at = ?2, last_step = ?3 WHERE user_id = ?1",
                params![user_id, Nanos(now), step],
            )?;
            replace_codes(transaction, user_id, &codes)?;
            Ok(Some(codes.clone()))
        })
    }

    /// Whether a code matches the user's second factor and was not used before. This uses up the code.
    pub fn use_totp(&self, user_id: i64, code: &str, now: Timestamp) -> Result<bool> {
        let mut store = self.store();
        let found = store.connection.query_row(
            "SELECT secret, last_step FROM totp WHERE user_id = ?1 AND confirmed_at IS NOT NULL",
            [user_id],
            |row| Ok((row.get::<_, [u8; SECRET_BYTES]>(0)?, row.get::<_, i64>(1)?)),
        );
        let Some((secret, last_step)) = found.optional()? else { return Ok(false) };
        let last_step = last_step.max(store.books.last_step(user_id));
        let Some(step) = TotpSecret(secret).step_of(code, now).filter(|step| last_step < *step) else {
            return Ok(false);
        };
        let written = store.write(|connection| {
            connection
                .execute("UPDATE totp SET last_step = ?2 WHERE user_id = ?1", params![user_id, step])?;
            Ok(())
        });
        match written {
            // Logins work even if the disk does not: the used step is kept in memory, where it is checked as well.
            Err(error) if error.is_of_the_disk() => {
                store.must_wait(&error);
                store.books.used_step(user_id, step);
                Ok(true)
            }
            written => written.map(|()| true),
        }
    }

    /// Whether a recovery code is one of the user's. This uses up the code.
    pub fn use_recovery_code(&self, user_id: i64, code: &str) -> Result<bool> {
        let hash = hash(code);
        self.write(|connection| {
            let removed = connection.execute(
                "DELETE FROM recovery_codes WHERE user_id = ?1 AND hash = ?2",
                params![user_id, hash],
            )?;
            Ok(removed == 1)
        })
    }

    /// Replaces all recovery codes. Returns the new ones, which are shown only this once.
    pub fn renew_recovery_codes(&self, user_id: i64) -> Result<Vec<String>> {
        let codes = recovery_codes()?;
        self.write(|transaction| {
            let is_enrolled: bool = transaction.query_row(
                "SELECT EXISTS (SELECT 1 FROM totp WHERE user_id = ?1 AND confirmed_at IS NOT NULL)",
                [user_id],
                |row| row.get(0),
            )?;
            if !is_enrolled {
                return Err(Error::NoSecondFactor);
            }
            replace_codes(transaction, user_id, &codes)?;
            Ok(())
        })?;
        Ok(codes)
    }

    /// Removes a user's second factor and recovery codes.
    pub fn remove_totp(&self, user_id: i64) -> Result<()> {
        let mut store = self.store();
        let removed = store.write(|transaction| {
            let removed = transaction.execute("DELETE FROM totp WHERE user_id = ?1", [user_id])?;
            transaction.execute("DELETE FROM recovery_codes WHERE user_id = ?1", [user_id])?;
            Ok(removed)
        })?;
        store.books.forget_step(user_id);
        if removed == 1 { Ok(()) } else { Err(Error::NoSecondFactor) }
    }
}

fn replace_codes(transaction: &Transaction<'_>, user_id: i64, codes: &[String]) -> Result<()> {
    transaction.execute("DELETE FROM recovery_codes WHERE user_id = ?1", [user_id])?;
    for code in codes {
        transaction.execute(
            "INSERT INTO recovery_codes (user_id, hash) VALUES (?1, ?2)",
            params![user_id, hash(code)],
        )?;
    }
    Ok(())
}

/// Generates recovery codes. Each has 80 random bits, so storing a plain hash is enough.
fn recovery_codes() -> Result<Vec<String>> {
    (0..RECOVERY_CODES).map(|_| setup_code()).collect()
}

/// The hash of a code as it was typed, in upper or lower case, with or without dashes.
fn hash(code: &str) -> [u8; 32] {
    let letters = code.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase());
    Secret::presented(&letters.collect::<String>()).hash()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Role;
    use crate::one_time::step_at;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_nanos(seconds * SECOND)
    }

    /// A user with id 1 who has had a second factor since second 3000.
    fn enrolled() -> (tempfile::TempDir, Meta, TotpSecret, Vec<String>) {
        let directory = tempfile::tempdir().unwrap();
        let meta = Meta::open(&directory.path().join("logstead.db")).unwrap();
        meta.add_user("ana", Role::Analyst, "h", at(0)).unwrap();
        let secret = TotpSecret::new().unwrap();
        meta.begin_totp(1, &secret, at(3000)).unwrap();
        let codes = meta.confirm_totp(1, &secret.code(100), at(3000)).unwrap().unwrap();
        (directory, meta, secret, codes)
    }

    #[test]
    fn a_code_works_once_and_none_before_it_works_afterwards() {
        let (_directory, meta, secret, _) = enrolled();
        let check = |step: i64, now: i64, expected: bool| {
            assert_eq!(meta.use_totp(1, &secret.code(step), at(now)).unwrap(), expected, "{step} at {now}");
        };
        check(100, 3001, false);
        check(101, 3031, true);
        check(101, 3032, false);
        check(100, 3033, false);
        check(103, 3061, true);
        check(102, 3062, false);
        assert_eq!(step_at(at(3061)), 102);
        assert!(!meta.use_totp(2, &secret.code(104), at(3120)).unwrap(), "another user's");
    }

    #[test]
    fn an_enrolment_without_a_code_counts_for_nothing_and_ends() {
        let directory = tempfile::tempdir().unwrap();
        let meta = Meta::open(&directory.path().join("logstead.db")).unwrap();
        meta.add_user("ana", Role::Analyst, "h", at(0)).unwrap();
        let (first, second) = (TotpSecret::new().unwrap(), TotpSecret::new().unwrap());
        assert!(matches!(meta.confirm_totp(1, "123456", at(3000)), Err(Error::NoEnrolment)));
        meta.begin_totp(1, &first, at(3000)).unwrap();
        meta.begin_totp(1, &second, at(3000)).unwrap();
        assert_eq!(meta.confirm_totp(1, &first.code(100), at(3000)).unwrap(), None);
        assert_eq!(meta.second_factor(1).unwrap(), None);
        assert!(!meta.use_totp(1, &second.code(100), at(3000)).unwrap());
        let late = 3000 + 15 * 60;
        assert!(matches!(meta.confirm_totp(1, &second.code(late / 30), at(late)), Err(Error::NoEnrolment)));
        meta.confirm_totp(1, &second.code(100), at(3000)).unwrap().unwrap();
        assert!(matches!(meta.begin_totp(1, &first, at(3001)), Err(Error::SecondFactorExists)));
        assert!(matches!(meta.confirm_totp(1, &second.code(100), at(3000)), Err(Error::NoEnrolment)));
    }

    #[test]
    fn recovery_codes_work_once_each_and_only_those_of_the_newest_set() {
        let (_directory, meta, _, codes) = enrolled();
        assert_eq!(codes.len(), RECOVERY_CODES);
        let left = || meta.second_factor(1).unwrap().unwrap().recovery_codes_left;
        assert!(meta.use_recovery_code(1, &codes[0].to_lowercase().replace('-', " ")).unwrap());
        assert!(!meta.use_recovery_code(1, &codes[0]).unwrap());
        assert!(!meta.use_recovery_code(2, &codes[1]).unwrap());
        assert!(!meta.use_recovery_code(1, "").unwrap());
        assert_eq!(left(), 9);
        let renewed = meta.renew_recovery_codes(1).unwrap();
        assert!(!meta.use_recovery_code(1, &codes[1]).unwrap());
        assert!(meta.use_recovery_code(1, &renewed[1]).unwrap());
        assert_eq!(left(), 9);
        let stored: Vec<Vec<u8>> = {
            let connection = meta.connection();
            let mut statement = connection.prepare("SELECT hash FROM recovery_codes").unwrap();
            statement.query_map([], |row| row.get(0)).unwrap().collect::<rusqlite::Result<_>>().unwrap()
        };
        assert!(stored.iter().all(|hash| hash.len() == 32));
    }

    #[test]
    fn what_is_removed_is_gone_with_its_codes() {
        let (_directory, meta, secret, codes) = enrolled();
        meta.remove_totp(1).unwrap();
        assert!(!meta.use_totp(1, &secret.code(101), at(3030)).unwrap());
        assert!(!meta.use_recovery_code(1, &codes[0]).unwrap());
        assert!(matches!(meta.remove_totp(1), Err(Error::NoSecondFactor)));
        assert!(matches!(meta.renew_recovery_codes(1), Err(Error::NoSecondFactor)));
    }
}
