//! Logins with passwords from a directory: the real binary with OpenLDAP's slapd (Debian package `slapd`).
//!
//! Keywords: LDAP, directory.

use crate::certificates::Authority;
use crate::program::{Daemon, program};
use crate::support::{ROUTER, Server, free_port, wait_until};
use serde_json::{Value, json};
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use tempfile::TempDir;

const PASSWORD: &str = "correct horse";

/// The entries: people below `ou=people`, groups below `ou=groups`. Only the service account may read them.
const ENTRIES: &str = r"
dn: dc=example,dc=org
objectClass: dcObject
objectClass: organization
o: Example
dc: example

dn: ou=people,dc=example,dc=org
objectClass: organizationalUnit
ou: people

dn: ou=groups,dc=example,dc=org
objectClass: organizationalUnit
ou: groups

dn: cn=logstead,dc=example,dc=org
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: logstead
userPassword: service password

dn: uid=ana,ou=people,dc=example,dc=org
objectClass: inetOrgPerson
uid: ana
cn: Ana
sn: A
mail: ana@example.org
userPassword: correct horse

dn: uid=bo,ou=people,dc=example,dc=org
objectClass: inetOrgPerson
uid: bo
cn: Bo
sn: B
mail: bo@example.org
description: cn=readers,ou=groups,dc=example,dc=org
userPassword: correct horse

dn: uid=cy,ou=people,dc=example,dc=org
objectClass: inetOrgPerson
uid: cy
cn: Cy
sn: C
mail: twice@example.org
userPassword: correct horse

dn: uid=dee,ou=people,dc=example,dc=org
objectClass: inetOrgPerson
uid: dee
cn: Dee
sn: D
mail: twice@example.org
userPassword: correct horse

dn: uid=admin,ou=people,dc=example,dc=org
objectClass: inetOrgPerson
uid: admin
cn: Not ours
sn: N
userPassword: password there

dn: cn=ops,ou=groups,dc=example,dc=org
objectClass: groupOfNames
cn: ops
member: uid=ana,ou=people,dc=example,dc=org

dn: cn=readers,ou=groups,dc=example,dc=org
objectClass: groupOfNames
cn: readers
member: uid=ana,ou=people,dc=example,dc=org
member: uid=bo,ou=people,dc=example,dc=org
member: uid=dee,ou=people,dc=example,dc=org
member: uid=admin,ou=people,dc=example,dc=org
";

/// A running directory.
struct Directory {
    _slapd: Daemon,
    folder: TempDir,
    ca: String,
    plain: u16,
    encrypted: u16,
}

impl Directory {
    fn start() -> Directory {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let authority = Authority::new(folder.path(), "authority");
        let identity = authority.sign("server");
        fs::create_dir(path("database")).unwrap();
        let settings = [
            "include /etc/ldap/schema/core.schema".to_owned(),
            "include /etc/ldap/schema/cosine.schema".to_owned(),
            "include /etc/ldap/schema/inetorgperson.schema".to_owned(),
            "modulepath /usr/lib/ldap".to_owned(),
            "moduleload back_mdb".to_owned(),
            format!("pidfile {}", path("pid")),
            format!("TLSCACertificateFile {}", authority.certificate()),
            format!("TLSCertificateFile {}", identity.certificate),
            format!("TLSCertificateKeyFile {}", identity.key),
            "database mdb".to_owned(),
            "suffix dc=example,dc=org".to_owned(),
            format!("directory {}", path("database")),
            "access to attrs=userPassword by anonymous auth by * none".to_owned(),
            "access to * by dn.exact=cn=logstead,dc=example,dc=org read by self read by * none".to_owned(),
        ];
        fs::write(path("slapd.conf"), settings.join("\n") + "\n").unwrap();
        fs::write(path("entries.ldif"), ENTRIES.trim_start()).unwrap();
        let slapd = || program("slapd", "slapd");
        let added = slapd()
            .args(["-T", "add", "-f", &path("slapd.conf"), "-l", &path("entries.ldif")])
            .output()
            .unwrap();
        assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stderr));
        let (plain, encrypted) = (free_port(), free_port());
        let urls = format!("ldap://127.0.0.1:{plain} ldaps://127.0.0.1:{encrypted}");
        let mut command = slapd();
        command.args(["-d", "0", "-f", &path("slapd.conf"), "-h", &urls]);
        let daemon = Daemon::start(&mut command, folder.path());
        wait_until("the directory listens", || {
            [plain, encrypted].iter().all(|port| TcpStream::connect(("127.0.0.1", *port)).is_ok())
        });
        Directory { _slapd: daemon, ca: authority.certificate(), folder, plain, encrypted }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A server that uses the directory, with these additional lines of settings.
    fn server(&self, how: &str) -> Server {
        fs::write(self.path("password"), "service password\n").unwrap();
        let settings = format!(
            "[[accounts.ldap]]\nid = \"corp\"\n{how}\n\
             [[accounts.ldap.grants]]\ngroup = \"ops\"\nrole = \"operator\"\n\
             [[accounts.ldap.grants]]\ngroup = \"cn=readers,ou=groups,dc=example,dc=org\"\nrole = \"analyst\"\n\
             logspaces = [\"main\"]\nscope = \"host:web-*\"\n"
        );
        fs::write(self.path("logstead.toml"), settings).unwrap();
        let mut server = Server::start(ROUTER);
        server.terminate();
        server.restart_with(&["--config", self.path("logstead.toml").to_str().unwrap()]);
        let ours = json!({"name": "admin", "role": "admin", "password": PASSWORD});
        assert_eq!(server.post("/users", &ours).0, 201);
        server
    }

    /// The settings to search as the service account and then bind.
    fn searching(&self, connection: &str) -> String {
        format!(
            "{connection}\nuser_base = \"ou=people,dc=example,dc=org\"\nuser_filter = \"(|(uid={{name}})(mail={{name}}))\"\n\
             bind_dn = \"cn=logstead,dc=example,dc=org\"\nbind_password_file = \"{}\"\n\
             group_base = \"ou=groups,dc=example,dc=org\"",
            self.path("password").display()
        )
    }
}

/// Logs in; returns the status and the body of the answer.
fn log_in(server: &Server, name: &str, password: &str) -> (u16, Value) {
    let login = json!({"name": name, "password": password});
    server.call("POST", "/session", &[("Content-Type", "application/json")], login.to_string().as_bytes())
}

#[track_caller]
fn check(server: &Server, name: &str, password: &str, expected: (u16, &str)) {
    let (status, answer) = log_in(server, name, password);
    assert_eq!(status, expected.0, "{name}: {answer}");
    assert!(answer.to_string().contains(expected.1), "{name}: {answer}");
}

#[test]
fn the_passwords_and_groups_of_a_directory_count_and_ours_before_them() {
    let directory = Directory::start();
    let ca = &directory.ca;
    let connections = [
        format!("url = \"ldap://127.0.0.1:{}\"", directory.plain),
        format!("url = \"ldaps://127.0.0.1:{}\"\nca_file = \"{}\"", directory.encrypted, ca),
        format!("url = \"ldap://127.0.0.1:{}\"\nstart_tls = true\nca_file = \"{}\"", directory.plain, ca),
    ];
    for connection in connections {
        let server = directory.server(&directory.searching(&connection));
        let rights = "\"logspaces\":[\"main\"],\"name\":\"bo\",\"role\":\"analyst\",\"scope\":\"host:web-*\"";
        let rows = [
            ("ana", PASSWORD, (200, "\"role\":\"operator\"")),
            ("ANA", PASSWORD, (200, "\"name\":\"ana\"")),
            ("bo", PASSWORD, (200, rights)),
            ("bo", "a guess", (401, "name or password")),
            ("bo", "", (401, "name or password")),
            ("nobody", PASSWORD, (401, "name or password")),
            ("cy", PASSWORD, (403, "in no group")),
            // Two entries match, so it is unknown which one is meant.
            ("twice@example.org", PASSWORD, (503, "cannot be reached")),
            ("admin", PASSWORD, (200, "\"role\":\"admin\"")),
            ("admin", "password there", (401, "name or password")),
        ];
        for (name, password, expected) in rows {
            check(&server, name, password, expected);
        }
        let (_, users) = server.call("GET", "/users", &[], b"");
        let users: Vec<_> = users["users"]
            .as_array()
            .unwrap()
            .iter()
            .map(|user| (user["name"].as_str().unwrap(), user["origin"].as_str()))
            .collect();
        assert_eq!(users, [("admin", None), ("ana", Some("ldap:corp")), ("bo", Some("ldap:corp"))]);
        let (status, refused) = server.call(
            "PUT",
            "/users/ana/password",
            &[("Content-Type", "application/json")],
            br#"{"password": "third horse"}"#,
        );
        assert_eq!(status, 409, "{refused}");
        assert!(refused["detail"].as_str().unwrap().contains("kept by ldap:corp"), "{refused}");
    }
}

#[test]
fn a_name_is_no_filter_and_an_empty_password_opens_nothing() {
    let directory = Directory::start();
    let server =
        directory.server(&directory.searching(&format!("url = \"ldap://127.0.0.1:{}\"", directory.plain)));
    for name in [
        "*",
        "a*",
        "ana)(uid=*",
        "*)(objectClass=*",
        "bo,ou=people",
        "uid=ana,ou=people,dc=example,dc=org",
        "\0",
        "ana ",
    ] {
        check(&server, name, PASSWORD, (401, "name or password"));
    }
}

#[test]
fn a_directory_may_be_asked_as_the_user_alone() {
    let directory = Directory::start();
    let how = format!(
        "url = \"ldap://127.0.0.1:{}\"\nuser_dn = \"uid={{name}},ou=people,dc=example,dc=org\"\n\
         groups_attribute = \"description\"",
        directory.plain
    );
    // Here the user's own entry lists the groups, as `memberOf` does in other directories.
    let server = directory.server(&how);
    check(&server, "bo", "a guess", (401, "name or password"));
    check(&server, "bo", "", (401, "name or password"));
    check(&server, "bo", PASSWORD, (200, "\"role\":\"analyst\""));
    check(&server, "ana", PASSWORD, (403, "in no group"));
    check(&server, "admin", PASSWORD, (200, "\"role\":\"admin\""));
}

#[test]
fn a_directory_that_is_away_or_silent_or_a_stranger_lets_nobody_in_and_ours_can_log_in() {
    let directory = Directory::start();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("url = \"ldap://{}\"\ntimeout = \"300ms\"", silent.local_addr().unwrap());
    let away = format!("url = \"ldap://127.0.0.1:{}\"", free_port());
    // Its authority is not known to the system.
    let stranger = format!("url = \"ldaps://127.0.0.1:{}\"", directory.encrypted);
    for how in [silent, away, stranger] {
        let server = directory.server(&directory.searching(&how));
        check(&server, "ana", PASSWORD, (503, "the directory corp cannot be reached"));
        check(&server, "admin", PASSWORD, (200, "\"role\":\"admin\""));
    }
}

#[test]
fn the_rights_of_a_user_are_those_of_the_last_login() {
    let directory = Directory::start();
    let server =
        directory.server(&directory.searching(&format!("url = \"ldap://127.0.0.1:{}\"", directory.plain)));
    check(&server, "bo", PASSWORD, (200, "\"role\":\"analyst\""));
    let promoted = json!({"role": "operator", "logspaces": null, "scope": null});
    let headers = [("Content-Type", "application/json")];
    assert_eq!(server.call("PUT", "/users/bo", &headers, promoted.to_string().as_bytes()).0, 200);
    check(&server, "bo", PASSWORD, (200, "\"role\":\"analyst\""));
    assert_eq!(server.call("POST", "/users/bo/disable", &[], b"").0, 204);
    check(&server, "bo", PASSWORD, (401, "name or password"));
}
