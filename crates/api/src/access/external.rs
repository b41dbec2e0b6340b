//! The rights of people whom a provider knows: the first rule of the settings that names one of their groups decides.

use logstead_accounts::identity::Person;
use logstead_accounts::{ExternalUser, Grant, Role, name};
use logstead_config::accounts::{AccountRole, GroupGrant, grant_of};

/// The user that a person maps to, or the reason for the log why there is none.
pub(super) fn known(person: &Person, origin: &str, grants: &[GroupGrant]) -> Result<ExternalUser, String> {
    let Person { subject, name, groups } = person;
    let Some(rule) = grant_of(grants, groups, origin.starts_with("ldap:")) else {
        let shown = groups.iter().take(20).map(String::as_str).collect::<Vec<_>>().join(", ");
        return Err(format!("no rule of {origin} names a group of {name}, whose groups are: {shown}"));
    };
    if let Some(flaw) = name::flaw(name) {
        return Err(format!("the name of {subject} cannot be used here: {flaw}"));
    }
    let role = match rule.role {
        AccountRole::Analyst => Role::Analyst,
        AccountRole::Operator => Role::Operator,
        AccountRole::Admin => Role::Admin,
    };
    let grant = Grant { logspaces: rule.logspaces.clone(), scope: rule.scope.clone() };
    Ok(ExternalUser { origin: origin.to_owned(), subject: subject.clone(), name: name.clone(), role, grant })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(group: &str, role: AccountRole, logspaces: Option<&str>) -> GroupGrant {
        let logspaces = logspaces.map(|id| vec![id.to_owned()]);
        GroupGrant { group: group.to_owned(), role, logspaces, scope: None }
    }

    #[test]
    fn the_first_rule_that_names_a_group_of_a_person_says_what_they_may_do() {
        let grants = [
            rule("log-admins", AccountRole::Admin, None),
            rule("cn=ops,dc=example,dc=org", AccountRole::Operator, None),
            rule("*", AccountRole::Analyst, Some("main")),
        ];
        let check_at =
            |origin: &str, groups: &[&str], grants: &[GroupGrant], expected: Option<(Role, Option<&str>)>| {
                let groups = groups.iter().map(|&group| group.to_owned()).collect();
                let person = Person { subject: "1".to_owned(), name: "ana".to_owned(), groups };
                let found = known(&person, origin, grants).ok();
                let found = found.map(|known| (known.role, known.grant.logspaces.map(|ids| ids.join(" "))));
                assert_eq!(found, expected.map(|(role, ids)| (role, ids.map(str::to_owned))));
            };
        let check = |groups: &[&str], grants: &[GroupGrant], expected| {
            check_at("ldap:corp", groups, grants, expected)
        };
        check_at("oidc:corp", &["x", "Log-Admins"], &grants[..2], None);
        check_at("oidc:corp", &["x", "log-admins"], &grants[..2], Some((Role::Admin, None)));
        check(&["x", "Log-Admins"], &grants, Some((Role::Admin, None)));
        check(&["CN=Ops,DC=example,DC=org", "log-admins"], &grants, Some((Role::Admin, None)));
        check(&["cn=ops,dc=example,dc=org"], &grants, Some((Role::Operator, None)));
        check(&[], &grants, Some((Role::Analyst, Some("main"))));
        check(&["x"], &grants[..2], None);
        check(&["*"], &grants[..2], None);
        check(&["*"], &[rule("log-admins", AccountRole::Admin, None)], None);
    }

    #[test]
    fn a_name_that_no_user_could_have_is_not_taken() {
        let grants = [rule("*", AccountRole::Analyst, None)];
        for name in ["system", "a b", "\u{430}dmin", &"x".repeat(65), "token:1"] {
            let person = Person { subject: "1".to_owned(), name: name.to_owned(), groups: Vec::new() };
            assert!(known(&person, "oidc:corp", &grants).is_err(), "{name}");
        }
    }
}
