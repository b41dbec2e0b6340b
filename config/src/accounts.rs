//! External logins by OpenID providers and directories, and the roles that need a second factor.
//!
//! **Invariant:** nobody is admitted by default: a provider's user needs a rule that names one of their groups.

use logstead_query as query;

use crate::check::is_id;
use crate::destination::Proxy;
use crate::node::DocumentNode;
use crate::problem::{Findings, Path, quoted};
use crate::read::{ReadValue, choices};
use crate::table_reader::TableReader;
use crate::unit::Period;

/// The settings of logins.
#[derive(Clone, PartialEq, Debug)]
pub struct Accounts {
    /// Roles that need a second factor.
    pub second_factor: Vec<AccountRole>,
    /// OpenID providers.
    pub oidc: Vec<Oidc>,
    /// Directories.
    pub ldap: Vec<Ldap>,
}

choices! {
    /// The role of an account, as settings name it.
    pub enum AccountRole: "role" {
        /// May search messages.
        Analyst = "analyst",
        /// May change the router.
        Operator = "operator",
        /// May manage users and tokens.
        Admin = "admin",
    }
}

/// The rights of a group's members.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GroupGrant {
    /// A group, or `*` for everybody whom the provider knows.
    pub group: String,
    /// Their role.
    pub role: AccountRole,
    /// The logspaces that they may search; `None` for all.
    pub logspaces: Option<Vec<String>>,
    /// A filter that limits their results.
    pub scope: Option<String>,
}

/// An OpenID provider.
#[derive(Clone, PartialEq, Debug)]
pub struct Oidc {
    /// The id that names the provider in addresses and in the audit log.
    pub id: String,
    /// The label of its button on the login page.
    pub label: String,
    /// The address of its issuer, below which its configuration is found.
    pub issuer: String,
    /// Our client id at the provider.
    pub client_id: String,
    /// The file with our client secret; empty for a public client.
    pub client_secret_file: String,
    /// The file with the certificate authorities to trust; empty for those of the system.
    pub ca_file: String,
    /// The proxy for requests, instead of that of the environment.
    pub proxy: Option<Proxy>,
    /// The requested scopes.
    pub scopes: Vec<String>,
    /// The claim with the user's name.
    pub name_claim: String,
    /// The claim with the user's groups.
    pub groups_claim: String,
    /// The longest time to wait for each of its answers.
    pub timeout: Period,
    /// The rights of groups; the first rule that matches counts.
    pub grants: Vec<GroupGrant>,
}

/// A directory.
#[derive(Clone, PartialEq, Debug)]
pub struct Ldap {
    /// The id that names the directory in the audit log.
    pub id: String,
    /// Its address.
    pub url: String,
    /// Whether an unencrypted connection is switched to TLS (StartTLS) before anything else is sent.
    pub start_tls: bool,
    /// The file with the certificate authorities to trust; empty for those of the system.
    pub ca_file: String,
    /// The DN of a user's entry, with `{name}` for the user's name; empty to search for the entry.
    pub user_dn: String,
    /// The user to search as; empty for an anonymous search.
    pub bind_dn: String,
    /// The file with that user's password.
    pub bind_password_file: String,
    /// The entry below which users are searched for.
    pub user_base: String,
    /// The filter for the entry of a user, with `{name}`.
    pub user_filter: String,
    /// The attribute that identifies a user even if the name changes.
    pub id_attribute: String,
    /// The attribute that lists a user's groups; empty for none.
    pub groups_attribute: String,
    /// The entry below which groups are searched for; empty to search for none.
    pub group_base: String,
    /// The filter for the groups of a user, with `{dn}` and `{name}`.
    pub group_filter: String,
    /// The longest time that a login may take.
    pub timeout: Period,
    /// The rights of groups; the first rule that matches counts.
    pub grants: Vec<GroupGrant>,
}

impl Accounts {
    /// The OpenID provider with this id.
    pub fn provider(&self, id: &str) -> Option<&Oidc> {
        self.oidc.iter().find(|provider| provider.id == id)
    }
}

/// The grant of the first rule that names one of the groups. Directories ignore case in names (RFC 4517); at an
/// OpenID provider, two groups may differ only in case.
pub fn grant_of<'a>(grants: &'a [GroupGrant], groups: &[String], folds_case: bool) -> Option<&'a GroupGrant> {
    let same = |group: &String, named: &String| {
        group == named || folds_case && group.to_lowercase() == named.to_lowercase()
    };
    let fits = |rule: &&GroupGrant| rule.group == "*" || groups.iter().any(|group| same(group, &rule.group));
    grants.iter().find(fits)
}

/// Reads the table `accounts`.
pub(crate) fn read(fields: &mut TableReader<'_>) -> Option<Accounts> {
    let second_factor = fields.optional("second_factor");
    let (oidc, ldap) = (fields.optional::<Vec<Oidc>>("oidc"), fields.optional::<Vec<Ldap>>("ldap"));
    if let Some(twice) = oidc.as_deref().and_then(|list| twice(list, |provider| &provider.id)) {
        fields.note("oidc", format!("has two providers with the id {}", quoted(twice)));
    }
    if let Some(twice) = ldap.as_deref().and_then(|list| twice(list, |directory| &directory.id)) {
        fields.note("ldap", format!("has two directories with the id {}", quoted(twice)));
    }
    Some(Accounts { second_factor: second_factor?, oidc: oidc?, ldap: ldap? })
}

fn twice<T>(list: &[T], id: impl Fn(&T) -> &String) -> Option<&String> {
    list.iter()
        .enumerate()
        .find(|(at, item)| list[..*at].iter().any(|other| id(other) == id(item)))
        .map(|(_, item)| id(item))
}

impl ReadValue for GroupGrant {
    fn read(node: &DocumentNode, path: &Path, findings: &mut Findings) -> Option<GroupGrant> {
        let mut fields = TableReader::of(node, path, findings)?;
        let group = named(&mut fields, "group");
        let role = fields.required("role", AccountRole::Analyst);
        let logspaces: Option<Vec<String>> = fields.optional("logspaces");
        let scope: Option<String> = fields.optional("scope");
        if logspaces.as_ref().is_some_and(Vec::is_empty) {
            fields.note("logspaces", "is empty: name at least one logspace, or leave it out to grant all");
        }
        if let Some(Err(error)) = scope.as_deref().map(query::parse) {
            fields.note("scope", format!("is invalid: {}", error.message));
        }
        fields.finish();
        Some(GroupGrant { group, role, logspaces, scope })
    }
}

impl ReadValue for Oidc {
    fn read(node: &DocumentNode, path: &Path, findings: &mut Findings) -> Option<Oidc> {
        let mut fields = TableReader::of(node, path, findings)?;
        let id = id(&mut fields);
        let issuer = named(&mut fields, "issuer");
        if !issuer.is_empty() && !issuer.starts_with("https://") && !is_local(&issuer, "http://") {
            fields.note(
                "issuer",
                "must begin with `https://`: otherwise anyone who can alter its answers could log in as any user",
            );
        }
        if issuer.contains(['?', '#']) {
            fields.note("issuer", "must have neither `?` nor `#`");
        }
        let scopes = ["openid", "profile", "email"].map(str::to_owned).to_vec();
        let provider = Oidc {
            label: fields.or("label", id.clone()),
            issuer,
            client_id: named(&mut fields, "client_id"),
            client_secret_file: fields.or("client_secret_file", String::new()),
            ca_file: fields.or("ca_file", String::new()),
            proxy: fields.optional("proxy"),
            scopes: fields.or("scopes", scopes),
            name_claim: fields.or("name_claim", "preferred_username".to_owned()),
            groups_claim: fields.or("groups_claim", "groups".to_owned()),
            timeout: timeout(&mut fields),
            grants: grants(&mut fields),
            id,
        };
        if !provider.scopes.iter().any(|scope| scope == "openid") {
            fields
                .note("scopes", "must include `openid`: without it, a provider does not say who the user is");
        }
        fields.finish();
        Some(provider)
    }
}

impl ReadValue for Ldap {
    fn read(node: &DocumentNode, path: &Path, findings: &mut Findings) -> Option<Ldap> {
        let mut fields = TableReader::of(node, path, findings)?;
        let directory = Ldap {
            id: id(&mut fields),
            url: named(&mut fields, "url"),
            start_tls: fields.or("start_tls", false),
            ca_file: fields.or("ca_file", String::new()),
            user_dn: fields.or("user_dn", String::new()),
            bind_dn: fields.or("bind_dn", String::new()),
            bind_password_file: fields.or("bind_password_file", String::new()),
            user_base: fields.or("user_base", String::new()),
            user_filter: fields.or("user_filter", "(uid={name})".to_owned()),
            id_attribute: fields.or("id_attribute", "entryUUID".to_owned()),
            groups_attribute: fields.or("groups_attribute", String::new()),
            group_base: fields.or("group_base", String::new()),
            group_filter: fields.or("group_filter", "(member={dn})".to_owned()),
            timeout: timeout(&mut fields),
            grants: grants(&mut fields),
        };
        check(&directory, &mut fields);
        fields.finish();
        Some(directory)
    }
}

fn check(directory: &Ldap, fields: &mut TableReader<'_>) {
    let Ldap { url, start_tls, user_dn, user_base, user_filter, group_filter, bind_dn, .. } = directory;
    let (is_plain, is_encrypted) = (url.starts_with("ldap://"), url.starts_with("ldaps://"));
    if !url.is_empty() && !is_plain && !is_encrypted {
        fields.note("url", "must be like `ldaps://ldap.example.org` or `ldap://ldap.example.org:389`");
    }
    if is_plain && !start_tls && !is_local(url, "ldap://") {
        fields.note("url", "would send passwords unencrypted: use `ldaps://`, or `start_tls = true`");
    }
    if is_encrypted && *start_tls {
        fields.note("start_tls", "is for `ldap://`: `ldaps://` is encrypted from the first byte");
    }
    check_entry(user_dn, user_base, fields);
    if !user_dn.is_empty() && !user_dn.contains("{name}") {
        fields.note("user_dn", "must contain `{name}` where the user's name belongs");
    }
    if !user_filter.contains("{name}") {
        fields.note("user_filter", "must contain `{name}` where the user's name belongs");
    }
    if !group_filter.contains("{dn}") && !group_filter.contains("{name}") {
        fields.note("group_filter", "must contain `{dn}` or `{name}`: otherwise everybody is in every group");
    }
    if bind_dn.is_empty() != directory.bind_password_file.is_empty() {
        fields.note("bind_dn", "and `bind_password_file` must be set together");
    }
}

/// Whether a URL of this scheme is of this machine.
fn is_local(url: &str, scheme: &str) -> bool {
    let host = url.strip_prefix(scheme).unwrap_or_default();
    let rest = ["127.0.0.1", "[::1]", "localhost"].iter().find_map(|here| host.strip_prefix(here));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/']))
}

/// Checks that a user's entry is either named or searched for, not both.
fn check_entry(user_dn: &str, user_base: &str, fields: &mut TableReader<'_>) {
    match (user_dn.is_empty(), user_base.is_empty()) {
        (true, true) => fields
            .note("user_base", "is missing: name the entry that users are searched below, or set `user_dn`"),
        (false, false) => {
            fields.note(
                "user_dn",
                "cannot be set together with `user_base`: set `user_dn` to name a user's entry, or `user_base` to search \
                 for it",
            );
        }
        _ => {}
    }
}

fn id(fields: &mut TableReader<'_>) -> String {
    let id = named(fields, "id");
    if !id.is_empty() && !is_id(&id) {
        fields.note(
            "id",
            "must consist of lower-case letters, digits, `_` and `-`, and begin with a letter or digit",
        );
    }
    id
}

/// Reads a required text that must not be empty.
fn named(fields: &mut TableReader<'_>, key: &'static str) -> String {
    let text: Option<String> = fields.optional(key);
    if text.as_deref().is_none_or(|text| text.trim().is_empty()) {
        fields.note(key, "is missing");
    }
    text.unwrap_or_default()
}

fn timeout(fields: &mut TableReader<'_>) -> Period {
    let range = Period::millis(100)..=Period::seconds(60);
    fields.optional_within("timeout", range).unwrap_or(Period::seconds(10))
}

fn grants(fields: &mut TableReader<'_>) -> Vec<GroupGrant> {
    let grants: Option<Vec<GroupGrant>> = fields.optional("grants");
    if grants.as_ref().is_none_or(Vec::is_empty) {
        fields.note("grants", "is missing: without a rule that names a group, nobody can log in");
    }
    grants.unwrap_or_default()
}
