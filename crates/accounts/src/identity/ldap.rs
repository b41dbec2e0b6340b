//! An LDAP directory (RFC 4511): checks whether a name and a password belong to one of its entries, and finds the
//! groups of that entry.
//!
//! **Invariant:** a name reaches a filter or an entry's name only escaped (RFC 4515, RFC 4514).
//! **Invariant:** an empty password is never sent: directories answer it with success, without having checked anything
//! (RFC 4513, 5.1.2).

use super::{Person, bounded, secret_of};
use ldap3::result::Result as LdapResult;
use ldap3::{
    LdapConn, LdapConnSettings, ResultEntry, Scope, SearchEntry, SearchOptions, dn_escape, ldap_escape,
};
use logstead_client::tls::{Authorities, TlsOptions, config};
use logstead_config::accounts::Ldap;
use std::time::{Duration, Instant};

/// A directory's result code for a wrong password.
const INVALID_CREDENTIALS: u32 = 49;
/// Finding more groups than this means that the filter is wrong.
const GROUPS_FOUND_MAX: i32 = 1000;

/// Checks a name and a password; `None` if the directory has no such entry or the password is wrong.
pub fn person(directory: &Ldap, name: &str, password: &str) -> Result<Option<Person>, String> {
    if password.is_empty() {
        return Ok(None);
    }
    let told = |error: &dyn std::fmt::Display| format!("{}: {error}", directory.url);
    let service_password = match directory.bind_password_file.as_str() {
        "" => None,
        path => Some(secret_of(path)?),
    };
    let mut talk = LdapConversation::begin(directory, service_password)?;
    talk.person(name, password).map_err(|error| told(&error))
}

/// A conversation with a directory, which has a deadline.
struct LdapConversation<'a> {
    directory: &'a Ldap,
    service_password: Option<String>,
    connection: LdapConn,
    end: Instant,
}

/// The attributes of a user's entry that are read.
struct LdapEntry {
    dn: String,
    id: String,
    groups: Vec<String>,
}

impl LdapConversation<'_> {
    fn begin(directory: &Ldap, service_password: Option<String>) -> Result<LdapConversation<'_>, String> {
        let told = |error: &dyn std::fmt::Display| format!("{}: {error}", directory.url);
        let end = Instant::now() + directory.timeout.duration();
        let mut settings = LdapConnSettings::new()
            .set_conn_timeout(directory.timeout.duration())
            .set_starttls(directory.start_tls);
        if directory.start_tls || directory.url.starts_with("ldaps://") {
            let authorities = match directory.ca_file.as_str() {
                "" => Authorities::System,
                path => Authorities::File(path.into()),
            };
            let options = TlsOptions { authorities, ..TlsOptions::default() };
            settings = settings.set_config(config(&options).map_err(|error| told(&error))?);
        }
        let connection = LdapConn::with_settings(settings, &directory.url).map_err(|error| told(&error))?;
        Ok(LdapConversation { directory, service_password, connection, end })
    }

    fn person(&mut self, name: &str, password: &str) -> Result<Option<Person>, String> {
        let directory = self.directory;
        let dn = if directory.user_dn.is_empty() {
            self.bind_as_service()?;
            let filter = directory.user_filter.replace("{name}", &ldap_escape(name));
            match self.search(&directory.user_base, Scope::Subtree, &filter, &["1.1"], 2)?.as_slice() {
                [] => return Ok(None),
                [only] => only.dn.clone(),
                [_, _, ..] => return Err(format!("the filter {filter} finds more than one entry")),
            }
        } else {
            directory.user_dn.replace("{name}", &dn_escape(name))
        };
        if !self.bind(&dn, password)? {
            return Ok(None);
        }
        if directory.user_dn.is_empty() {
            // Binds as the service again, since users need not be allowed to read groups.
            self.bind_as_service()?;
        }
        let LdapEntry { dn, id, mut groups } = self.entry(&dn)?;
        groups.extend(self.groups_of(&dn, name)?);
        Ok(Some(Person { subject: id, name: name.to_owned(), groups: bounded(groups, name) }))
    }

    fn bind_as_service(&mut self) -> Result<(), String> {
        let Some(password) = self.service_password.clone() else { return Ok(()) };
        let dn = &self.directory.bind_dn;
        if self.bind(dn, &password)? { Ok(()) } else { Err(format!("the password of {dn} is wrong")) }
    }

    fn bind(&mut self, dn: &str, password: &str) -> Result<bool, String> {
        let left = self.left()?;
        let answer = self.connection.with_timeout(left).simple_bind(dn, password);
        let answer = answer.map_err(|error| error.to_string())?;
        match answer.rc {
            0 => Ok(true),
            INVALID_CREDENTIALS => Ok(false),
            _ => Err(format!("{dn} cannot log in: {answer}")),
        }
    }

    fn entry(&mut self, dn: &str) -> Result<LdapEntry, String> {
        let Ldap { id_attribute, groups_attribute, .. } = self.directory;
        let attributes = [id_attribute.as_str(), groups_attribute.as_str()];
        let attributes: Vec<&str> = attributes.into_iter().filter(|name| !name.is_empty()).collect();
        let found = self.search(dn, Scope::Base, "(objectClass=*)", &attributes, 1)?.pop();
        let entry = found.ok_or_else(|| format!("{dn} cannot be read"))?;
        let id = if id_attribute.is_empty() {
            dn.to_lowercase()
        } else {
            let id = value(&entry, id_attribute);
            id.ok_or_else(|| {
                format!("{dn} has no {id_attribute}: name another `id_attribute` in the settings")
            })?
        };
        let of = entry.attrs.iter().find(|(name, _)| name.eq_ignore_ascii_case(groups_attribute));
        let group_base = &self.directory.group_base;
        let groups = of.map(|(_, values)| values.iter().flat_map(|dn| names(dn, group_base)).collect());
        Ok(LdapEntry { dn: entry.dn.clone(), id, groups: groups.unwrap_or_default() })
    }

    fn groups_of(&mut self, dn: &str, name: &str) -> Result<Vec<String>, String> {
        let Ldap { group_base, group_filter, .. } = self.directory;
        if group_base.is_empty() {
            return Ok(Vec::new());
        }
        let filter = filled(group_filter, dn, name);
        let found = self.search(group_base, Scope::Subtree, &filter, &["1.1"], GROUPS_FOUND_MAX)?;
        Ok(found.iter().flat_map(|group| names(&group.dn, group_base)).collect())
    }

    fn search(
        &mut self,
        base: &str,
        scope: Scope,
        filter: &str,
        attributes: &[&str],
        entries_max: i32,
    ) -> Result<Vec<SearchEntry>, String> {
        let left = self.left()?;
        let options = SearchOptions::new().sizelimit(entries_max).timelimit(left.as_secs().max(1) as i32);
        let search: LdapResult<_> = self
            .connection
            .with_timeout(left)
            .with_search_options(options)
            .search(base, scope, filter, attributes);
        let (entries, _) = search
            .and_then(|answer| answer.success())
            .map_err(|error| format!("the search for {filter} below {base} failed: {error}"))?;
        let is_entry = |entry: &ResultEntry| !entry.is_ref() && !entry.is_intermediate();
        Ok(entries.into_iter().filter(is_entry).map(SearchEntry::construct).collect())
    }

    /// How long the conversation may still take.
    fn left(&self) -> Result<Duration, String> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(format!("it took longer than {}", self.directory.timeout)) } else { Ok(left) }
    }
}

impl Drop for LdapConversation<'_> {
    fn drop(&mut self) {
        // This closes the connection; a directory that has gone away needs no unbind.
        self.connection.unbind().ok();
    }
}

/// Puts an entry's DN and a user's name into a filter. Braces inside these values are not expanded again.
fn filled(filter: &str, dn: &str, name: &str) -> String {
    let (dn, name) = (ldap_escape(dn), ldap_escape(name));
    let parts = filter.split("{dn}").map(|part| part.replace("{name}", &name));
    parts.collect::<Vec<_>>().join(&dn)
}

/// A value of an attribute: as text, or as hexadecimal digits if it is not text.
fn value(entry: &SearchEntry, attribute: &str) -> Option<String> {
    let text = entry.attrs.iter().find(|(name, _)| name.eq_ignore_ascii_case(attribute));
    let text = text.and_then(|(_, values)| values.first().cloned());
    text.or_else(|| {
        let bytes = entry.bin_attrs.iter().find(|(name, _)| name.eq_ignore_ascii_case(attribute));
        let first = bytes.and_then(|(_, values)| values.first())?;
        Some(first.iter().map(|byte| format!("{byte:02x}")).collect())
    })
}

/// The names of a group: its DN and, if it stands directly below the entry of groups, the first value in the DN:
/// `cn=ops,ou=groups,dc=example,dc=org` and `ops`. Further down, anyone who may create entries could create one with
/// that name.
fn names(dn: &str, group_base: &str) -> Vec<String> {
    let short = dn.split_once(',').filter(|(_, parent)| !dn.contains('\\') && is_same(parent, group_base));
    let short = short.and_then(|(first, _)| first.split_once('=')).map(|(_, value)| value.trim().to_owned());
    std::iter::once(dn.to_owned()).chain(short).collect()
}

/// Whether two DNs without escapes are the same.
fn is_same(one: &str, other: &str) -> bool {
    let parts = |dn: &str| dn.split(',').map(|part| part.trim().to_lowercase()).collect::<Vec<_>>();
    !other.is_empty() && parts(one) == parts(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_can_not_change_what_a_filter_asks() {
        let filter = "(&(member={dn})(memberUid={name}))";
        for (name, expected) in [
            ("ana", "(&(member=uid=ana,dc=x)(memberUid=ana))"),
            ("*", "(&(member=uid=ana,dc=x)(memberUid=\\2a))"),
            ("a)(uid=*", "(&(member=uid=ana,dc=x)(memberUid=a\\29\\28uid=\\2a))"),
            ("{dn}", "(&(member=uid=ana,dc=x)(memberUid={dn}))"),
            ("a\\b\0", "(&(member=uid=ana,dc=x)(memberUid=a\\5cb\\00))"),
        ] {
            assert_eq!(filled(filter, "uid=ana,dc=x", name), expected);
        }
        assert_eq!(filled("(member={dn})", "cn={name} (x)", "ana"), "(member=cn={name} \\28x\\29)");
    }

    #[test]
    fn a_group_has_a_short_name_where_groups_stand_and_nowhere_else() {
        let base = "OU=groups, dc=x";
        assert_eq!(
            names("cn=Log Admins, ou=Groups,dc=x", base),
            ["cn=Log Admins, ou=Groups,dc=x", "Log Admins"]
        );
        for only in [
            "cn=ops,ou=project,ou=groups,dc=x",
            "cn=ops,ou=people,dc=x",
            "cn=ops,dc=x",
            "cn=a\\,cn=b,ou=groups,dc=x",
            "ops",
        ] {
            assert_eq!(names(only, base), [only]);
        }
        assert_eq!(
            names("cn=ops,ou=groups,dc=x", ""),
            ["cn=ops,ou=groups,dc=x"],
            "nobody said where groups are"
        );
    }
}
