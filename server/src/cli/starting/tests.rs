//! Starts with a database that was changed or lost since the last run.

use super::*;
use logstead_accounts as accounts;
use logstead_flow::machine::clock;
use std::fs;

const ROUTER: &str = "version = 1\n[[logspaces]]\nid = \"main\"\nretention = { age = \"10y\" }\n";
const SHORTER: &str = "version = 1\n[[logspaces]]\nid = \"main\"\nretention = { age = \"90d\" }\n";

/// A data directory as left by a server, first with a shorter retention and then with the intended one.
fn data() -> tempfile::TempDir {
    let data = tempfile::tempdir().unwrap();
    fs::create_dir_all(data.path().join("logspaces/main/journal")).unwrap();
    fs::write(data.path().join("logspaces/main/journal/1.journal"), [0; 100]).unwrap();
    let meta = open_first(data.path());
    for toml in [SHORTER, ROUTER] {
        meta.add_revision(toml, "ana", "", clock::now()).unwrap();
        document_backups::write(data.path(), &meta).unwrap();
    }
    data
}

fn open_first(data: &Path) -> Meta {
    Meta::open(&database(data)).unwrap()
}

fn refusal(data: &Path) -> String {
    match open(data, DatabaseChoice::Last) {
        Err(CommandFailure::Environment(message)) => message,
        Err(CommandFailure::No(message)) => panic!("exit code 1: {message}"),
        Ok(_) => panic!("it starts"),
    }
}

/// The document that would run, under which every stored message must be kept as long as it should be.
fn runs(data: &Path, wanted: DatabaseChoice) -> String {
    let meta = open(data, wanted).unwrap();
    match document(data, &meta, None, wanted == DatabaseChoice::New).unwrap() {
        StartingDocument::Stored(_, change) | StartingDocument::New(_, change) => change.toml,
    }
}

#[test]
fn a_database_that_is_lost_beside_messages_is_not_replaced_by_an_empty_one() {
    let data = data();
    let path = database(data.path());
    fs::remove_file(&path).unwrap();
    let said = refusal(data.path());
    assert!(said.contains("logstead.db is missing, and logspaces/main holds messages"), "{said}");
    assert!(said.contains("--new-database"), "{said}");
    assert!(!path.exists(), "nothing is made");
    fs::write(&path, "").unwrap();
    assert!(refusal(data.path()).contains("is empty"));
    assert_eq!(runs(data.path(), DatabaseChoice::New), ROUTER, "the newest kept document");
    assert_eq!(fs::read(data.path().join("logstead.db.damaged-1")).unwrap(), b"");
    assert_eq!(runs(data.path(), DatabaseChoice::Last), ROUTER, "the flag was needed once");
    assert!(open(data.path(), DatabaseChoice::New).is_err(), "a database that is whole is never set aside");
}

#[test]
fn without_any_document_the_shipped_one_removes_nothing() {
    let data = data();
    fs::remove_file(database(data.path())).unwrap();
    fs::remove_dir_all(document_backups::folder(data.path())).unwrap();
    let toml = runs(data.path(), DatabaseChoice::New);
    let (document, _) = check_toml(&toml).unwrap();
    assert_eq!(document.logspaces[0].id, "main");
    assert_eq!(document.logspaces[0].retention, Retention::default(), "{toml}");
    assert!(toml.contains("# Logstead's own log."), "comments stay: {toml}");
}

#[test]
fn a_new_directory_starts_with_the_shipped_document() {
    let data = tempfile::tempdir().unwrap();
    assert_eq!(runs(data.path(), DatabaseChoice::Last), DEFAULT_ROUTER_TOML);
    // These are the files that a failed first start leaves.
    fs::create_dir_all(data.path().join("logspaces/main/journal")).unwrap();
    fs::write(data.path().join("logspaces/main/journal/1.journal"), [0; 56]).unwrap();
    fs::remove_file(database(data.path())).unwrap();
    assert_eq!(runs(data.path(), DatabaseChoice::Last), DEFAULT_ROUTER_TOML);
}

#[test]
fn an_older_copy_of_the_database_runs_the_newest_document_nevertheless() {
    let data = data();
    let path = database(data.path());
    fs::remove_file(&path).unwrap();
    open_first(data.path()).add_revision(SHORTER, "ana", "", clock::now()).unwrap();
    let said = refusal(data.path());
    assert!(said.contains("revision 1, and ") && said.contains("--accept-database"), "{said}");
    assert_eq!(runs(data.path(), DatabaseChoice::Any), ROUTER);
    assert_eq!(runs(data.path(), DatabaseChoice::Last), ROUTER, "the flag was needed once");
    let meta = open(data.path(), DatabaseChoice::Last).unwrap();
    assert_eq!(meta.latest_revision().unwrap().unwrap().number, 2);
    assert_eq!(meta.add_revision(ROUTER, "bo", "", clock::now()).unwrap(), 3);
}

#[test]
fn a_newer_document_that_is_damaged_is_not_passed_over() {
    let data = data();
    fs::remove_file(database(data.path())).unwrap();
    open_first(data.path()).add_revision(SHORTER, "ana", "", clock::now()).unwrap();
    fs::write(document_backups::path(data.path(), 2), "cut").unwrap();
    assert!(refusal(data.path()).contains("000002.toml"));
    assert!(open(data.path(), DatabaseChoice::Any).is_err());
}

#[test]
fn a_database_whose_document_was_changed_under_it_is_refused() {
    let data = data();
    let path = database(data.path());
    let changed = replaced(&fs::read(&path).unwrap(), b"\"10y\"", b"\"10d\"");
    fs::write(&path, changed).unwrap();
    assert!(refusal(data.path()).contains("it is not what was written last"));
    let Err(CommandFailure::Environment(said)) = open(data.path(), DatabaseChoice::Any) else {
        panic!("it starts")
    };
    assert!(said.contains("000002.toml is intact and differs"), "{said}");
}

/// The contents of a database.
fn answers(meta: &Meta) -> String {
    let account = accounts::Account::User(1);
    format!(
        "{:?} {:?} {:?} {:?} {:?}",
        meta.users().unwrap(),
        meta.tokens().unwrap(),
        meta.saved_searches(account).unwrap(),
        meta.revisions_before(u64::MAX, 1000).unwrap(),
        meta.audit(1000).unwrap()
    )
}

/// The files of a database, by the suffix of their names.
type Files = std::collections::BTreeMap<&'static str, Vec<u8>>;

fn taken(data: &Path) -> Files {
    let read = |suffix| Some((suffix, fs::read(data.join(format!("logstead.db{suffix}"))).ok()?));
    ["", "-wal", ".sum"].into_iter().filter_map(read).collect()
}

fn put(data: &Path, files: &Files) {
    for suffix in ["", "-wal", "-shm", ".sum"] {
        let path = data.join(format!("logstead.db{suffix}"));
        match files.get(suffix) {
            Some(bytes) => fs::write(path, bytes).unwrap(),
            None => drop(fs::remove_file(path)),
        }
    }
}

/// A database with an entry of each kind, and the states in which a process that is killed during a change can leave
/// it, with the contents of each.
fn states(data: &Path) -> (Files, Vec<(&'static str, Files, String)>) {
    use logstead_accounts::{NewToken, Role};
    let meta = open_first(data);
    let now = clock::now();
    meta.add_first_admin("ada", "hash", now).unwrap();
    let older = {
        drop(meta);
        taken(data)
    };
    let meta = open_first(data);
    for number in 0..40 {
        let name = format!("token-{number}");
        let new = NewToken { name: &name, role: Role::Analyst, created_by: "ada".into(), expires_at: None };
        meta.add_token(&new, now).unwrap();
        meta.add_audit(&"ada".into(), "token.create", &name, now);
    }
    let before = answers(&meta);
    let open = taken(data);
    assert!(open.get("-wal").is_none_or(Vec::is_empty), "nothing stays in the log");
    drop(meta);
    let closed = taken(data);
    // Makes a change that is written only to the log.
    let connection = rusqlite::Connection::open(database(data)).unwrap();
    connection.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
    connection.execute("UPDATE tokens SET role = 'operator' WHERE id % 3 = 0", []).unwrap();
    connection
        .execute("INSERT INTO audit (time, user, action, detail) VALUES (1, '', '', ?1)", ["x".repeat(9000)])
        .unwrap();
    let logged = taken(data);
    drop(connection);
    let meta = open_first(data);
    let after = answers(&meta);
    drop(meta);
    let done = taken(data);
    assert_ne!(before, after);
    let mix = |parts: [(&'static str, &Files); 3]| -> Files {
        parts.into_iter().map(|(suffix, from)| (suffix, from[suffix].clone())).collect()
    };
    // In this state, half of the pages have reached the file.
    let mut half = mix([("", &logged), ("-wal", &logged), (".sum", &done)]);
    let (file, whole) = (half.get_mut("").unwrap(), &done[""]);
    file[..8192].copy_from_slice(&whole[..8192]);
    let states = vec![
        ("at rest", closed, before.clone()),
        ("before its sum is noted", mix([("", &logged), ("-wal", &logged), (".sum", &logged)]), before),
        ("with its sum noted", mix([("", &logged), ("-wal", &logged), (".sum", &done)]), after.clone()),
        ("half taken in", half, after.clone()),
        ("taken in", mix([("", &done), ("-wal", &logged), (".sum", &done)]), after),
    ];
    (older, states)
}

/// Tests five hundred kinds of damage: flipped bits, cuts, zeros, and files that are emptied, lost or older.
#[test]
fn no_damage_of_the_database_or_of_its_log_is_silent() {
    let data = data();
    let (older, states) = states(data.path());
    let (mut tried, mut refused, mut same) = (0, 0, 0);
    for (state, files, expected) in &states {
        let mut check = |what: String, files: &Files| {
            put(data.path(), files);
            tried += 1;
            match open(data.path(), DatabaseChoice::Last) {
                Ok(meta) => {
                    assert_eq!(&answers(&meta), expected, "{state}, {what}: silently another");
                    same += 1;
                }
                Err(CommandFailure::Environment(said)) => {
                    assert!(
                        said.contains("logstead.db") && said.contains("backup"),
                        "{state}, {what}: {said}"
                    );
                    refused += 1;
                }
                Err(CommandFailure::No(said)) => panic!("{state}, {what}: {said}"),
            }
        };
        check("untouched".to_owned(), files);
        for suffix in ["", "-wal"].into_iter().filter(|suffix| files.contains_key(suffix)) {
            let whole = &files[suffix];
            let mut with = |what: String, bytes: Option<Vec<u8>>| {
                let mut files = files.clone();
                match bytes {
                    Some(bytes) => drop(files.insert(suffix, bytes)),
                    None => drop(files.remove(suffix)),
                }
                check(format!("{what} of logstead.db{suffix}"), &files);
            };
            for at in (3..whole.len()).step_by(whole.len() / 35) {
                let mut flipped = whole.clone();
                flipped[at] ^= 1 << (at % 8);
                with(format!("a bit of byte {at}"), Some(flipped));
                if at % 2 == 0 {
                    with(format!("all behind byte {at}"), Some(whole[..at].to_vec()));
                } else {
                    let mut zeros = whole.clone();
                    let end = (at + 512).min(zeros.len());
                    zeros[at..end].fill(0);
                    with(format!("zeros from byte {at}"), Some(zeros));
                }
            }
            with("all".to_owned(), Some(Vec::new()));
            with("the file".to_owned(), None);
            with("all but what was there earlier".to_owned(), older.get(suffix).cloned());
            // Takes the log of another state, which is intact in itself.
            let other = states.iter().find_map(|(_, files, _)| files.get("-wal")).cloned();
            with("everything".to_owned(), other);
        }
    }
    assert!(
        500 <= tried && tried / 4 < refused && tried / 20 < same,
        "{tried}: {refused} refused, {same} the same"
    );
}

#[test]
fn looking_at_a_damaged_database_changes_no_file() {
    let data = data();
    let (_, states) = states(data.path());
    for (state, files, _) in &states {
        for damaged in ["", "-wal"] {
            let mut files = files.clone();
            files.insert(damaged, Vec::new());
            put(data.path(), &files);
            let found = accounts::inspect(&database(data.path()), CheckDepth::Full).unwrap();
            assert!(damaged == "-wal" || !matches!(found, DatabaseState::Intact(_)), "{state}: {found:?}");
            assert_eq!(taken(data.path()), files, "{state}");
            assert!(!data.path().join("logstead.db-shm").exists());
        }
    }
}

#[test]
fn the_file_alone_is_the_whole_database_while_it_is_in_use() {
    let data = data();
    let meta = open(data.path(), DatabaseChoice::Last).unwrap();
    meta.add_first_admin("ada", "hash", clock::now()).unwrap();
    meta.add_revision(ROUTER, "ada", "", clock::now()).unwrap();
    let copy = tempfile::tempdir().unwrap();
    fs::copy(database(data.path()), database(copy.path())).unwrap();
    assert_eq!(answers(&open(copy.path(), DatabaseChoice::Last).unwrap()), answers(&meta));
}

fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let at = bytes.windows(from.len()).position(|window| window == from).expect("it is there");
    [&bytes[..at], to, &bytes[at + from.len()..]].concat()
}

#[test]
fn whatever_happens_to_the_database_no_shorter_retention_runs() {
    let data = data();
    let path = database(data.path());
    let whole = fs::read(&path).unwrap();
    let check = |what: &str, bytes: &[u8]| {
        for suffix in ["", "-wal", "-shm"] {
            fs::remove_file(data.path().join(format!("logstead.db{suffix}"))).ok();
        }
        fs::write(&path, bytes).unwrap();
        let Ok(meta) = open(data.path(), DatabaseChoice::Any) else { return };
        match document(data.path(), &meta, None, false) {
            Ok(StartingDocument::Stored(_, change)) => assert_eq!(change.toml, ROUTER, "{what}"),
            Ok(StartingDocument::New(name, _)) => panic!("{what}: {name} runs"),
            Err(_) => {}
        }
    };
    for at in (0..whole.len()).step_by(whole.len() / 400) {
        let mut flipped = whole.clone();
        flipped[at] ^= 1 << (at % 8);
        check(&format!("a bit of byte {at} flipped"), &flipped);
    }
    for at in (0..whole.len()).step_by(whole.len() / 100) {
        check(&format!("cut to {at} bytes"), &whole[..at]);
    }
}
