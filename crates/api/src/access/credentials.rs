//! Names and passwords: which ones are allowed, and whether a password is right.
//!
//! **Invariant:** a password or a code is tried only by an attempt that does not have to wait, and every failure is counted.
//! Failures are forgotten only after every step of a login has succeeded, so that knowing the password gives no
//! additional guesses at codes.

use super::external::known;
use crate::access::Call;
use crate::access::throttle::LoginAttempt;
use crate::error::{ApiError, Result};
use crate::extract::Peer;
use crate::problem_type::ProblemType;
use crate::state::SharedState;
use crate::waiting::{blocking, places};
use logstead_accounts as accounts;
use logstead_accounts::identity::ldap;
use logstead_accounts::{Account, Actor, Credentials, name, password};
use logstead_config::accounts::Ldap;
use logstead_flow::machine::clock;
use std::time::Instant;

/// 422 for a name that a new user or token cannot have.
pub(crate) fn check_name(name: &str) -> Result<()> {
    match name::flaw(name) {
        Some(flaw) => Err(ApiError::invalid(flaw).path("name")),
        None => Ok(()),
    }
}

/// The hash of a new password of the user `name`; 422 if it is too weak.
pub(crate) async fn hash_password(shared: &SharedState, name: &str, password: String) -> Result<String> {
    if let Some(weakness) = password::weakness(&password, name) {
        return Err(ApiError::invalid(weakness).path("password"));
    }
    let _permit = shared.password_permit().await?;
    Ok(blocking(move || password::hash(&password)).await??)
}

/// 429 for an attempt that has to wait.
pub(crate) fn refuse_the_impatient(shared: &SharedState, attempt: &LoginAttempt) -> Result<()> {
    let Some(wait) = shared.throttle.lock().wait(attempt, Instant::now()) else { return Ok(()) };
    let seconds = wait.as_secs() + 1;
    let detail = format!("too many failed attempts: try again in {seconds} s");
    Err(ApiError::new(ProblemType::TooManyAttempts, detail).retry_after_seconds(seconds))
}

/// The user as stored, if the password is right. After too many failures an attempt has to wait. The caller reports
/// the login as [`succeeded`].
pub(crate) async fn check_password(
    shared: &SharedState,
    attempt: &LoginAttempt,
    name: &str,
    password: String,
) -> Result<Option<Credentials>> {
    refuse_the_impatient(shared, attempt)?;
    let asked = name.to_owned();
    let found = shared.meta(move |meta| meta.credentials(&asked)).await?;
    let directories = directories(shared, name, found.as_ref());
    let user = if directories.is_empty() {
        let _permit = shared.password_permit().await?;
        // Checks again: of many simultaneous attempts, the first have finished by now.
        refuse_the_impatient(shared, attempt)?;
        let verified = blocking(move || {
            let fits = is_password(&password, found.as_ref().map(|user| user.password_hash.as_str()));
            found.filter(|_| fits)
        });
        verified.await?
    } else {
        // Logins with directories have slots of their own, so that they do not make our own users wait.
        let _turn = places(&shared.directories_asked, 1, "too many people are logging in at once").await?;
        refuse_the_impatient(shared, attempt)?;
        let typed = password.clone();
        let known = check_directories(shared, directories, name, password).await?;
        if known.is_none() {
            // This takes equally long as for our own users, so that the time does not reveal who keeps the password.
            let _permit = shared.password_permit().await?;
            blocking(move || is_password(&typed, None)).await?;
        }
        known
    };
    let user = user.filter(|user| !user.is_disabled);
    if user.is_none() {
        shared.throttle.lock().failed(attempt, Instant::now());
    }
    Ok(user)
}

/// The passwords that were compared with a hash, for the tests.
#[cfg(test)]
static VERIFIED: std::sync::Mutex<Vec<String>> = std::sync::Mutex::new(Vec::new());

/// Whether a password matches a hash; takes equally long without one.
fn is_password(password: &str, hash: Option<&str>) -> bool {
    #[cfg(test)]
    VERIFIED.lock().unwrap().push(password.to_owned());
    password::verify(password, hash)
}

/// The directories that may know a user's password. None for users whose password we keep, so that they can log in
/// even if a directory fails.
fn directories(shared: &SharedState, name: &str, found: Option<&Credentials>) -> Vec<Ldap> {
    let all = shared.state.settings.accounts.ldap.iter();
    match found {
        Some(user) => all.filter(|ldap| user.origin.as_ref() == Some(&origin_of(ldap))).cloned().collect(),
        // A name that no user could have is not looked up.
        None if name::flaw(&name.to_lowercase()).is_some() => Vec::new(),
        None => all.cloned().collect(),
    }
}

fn origin_of(directory: &Ldap) -> String {
    format!("ldap:{}", directory.id)
}

/// The user returned by the first directory that accepts this name and password.
async fn check_directories(
    shared: &SharedState,
    directories: Vec<Ldap>,
    name: &str,
    password: String,
) -> Result<Option<Credentials>> {
    let (asked, meta) = (name.to_lowercase(), shared.state.meta.clone());
    blocking(move || {
        for directory in &directories {
            let person = ldap::person(directory, &asked, &password).map_err(|error| {
                tracing::error!("nobody can log in with the directory {}: {error}", directory.id);
                let detail =
                    format!("the directory {} cannot be reached: try again, or see the log", directory.id);
                ApiError::new(ProblemType::DirectoryUnreachable, detail)
            })?;
            let Some(person) = person else { continue };
            let known = known(&person, &origin_of(directory), &directory.grants).map_err(|told| {
                tracing::warn!("{told}");
                ApiError::forbidden("you are in no group that may use this Logstead: ask an administrator")
            })?;
            return Ok(Some(meta.admit(&known, clock::now())?));
        }
        Ok(None)
    })
    .await?
}

/// Refuses a caller who does not know the current password, and makes guessing it as slow as at the login.
pub(super) async fn check_current(
    Call { shared, caller }: &Call,
    peer: Peer,
    password: Option<&str>,
) -> Result<()> {
    let refused = |detail: &str| ApiError::invalid(detail).path("current_password");
    let password = password.ok_or_else(|| refused("send your current password too, as current_password"))?;
    let attempt = LoginAttempt::new(&caller.name, peer.0, None);
    if check_password(shared, &attempt, &caller.name, password.to_owned()).await?.is_none() {
        return Err(refused("this is not your current password"));
    }
    succeeded(shared, &attempt);
    Ok(())
}

/// Forgets the failures of an attempt once every step of it has succeeded.
pub(super) fn succeeded(shared: &SharedState, attempt: &LoginAttempt) {
    shared.throttle.lock().succeeded(attempt);
}

/// 401 unless the user has no second factor, or this is one of its codes that was not used before.
pub(super) async fn check_second_factor(
    shared: &SharedState,
    attempt: &LoginAttempt,
    user: &Credentials,
    code: Option<&str>,
) -> Result<()> {
    if !user.has_second_factor {
        return Ok(());
    }
    let Some(code) = code.map(str::trim).filter(|code| !code.is_empty()) else {
        let detail = "send a code of your authenticator app too, or a recovery code, as `code`";
        return Err(ApiError::new(ProblemType::NeedsSecondFactor, detail).path("code"));
    };
    if !use_code(shared, attempt, user.id, &user.name, code).await? {
        let detail = "this code is wrong, or was used before";
        return Err(ApiError::new(ProblemType::WrongCode, detail).path("code"));
    }
    Ok(())
}

/// Whether a code comes from the user's authenticator app or is a recovery code. This uses up the code.
pub(super) async fn use_code(
    shared: &SharedState,
    attempt: &LoginAttempt,
    user_id: i64,
    user: &str,
    code: &str,
) -> Result<bool> {
    refuse_the_impatient(shared, attempt)?;
    // The failure is counted first and removed afterwards, so that of many simultaneous guesses only the free ones
    // are checked.
    shared.throttle.lock().failed(attempt, Instant::now());
    let (code, typed) = (code.to_owned(), accounts::typed(code));
    let is_of_app = typed.is_some();
    let fits = shared.meta(move |meta| match typed {
        Some(typed) => meta.use_totp(user_id, &typed, clock::now()),
        None => meta.use_recovery_code(user_id, &code),
    });
    let fits = fits.await?;
    let actor = || Actor { account: Some(Account::User(user_id)), name: user.to_owned() };
    match (fits, is_of_app) {
        (true, true) => {}
        (true, false) => shared.audit(actor(), "totp.recovery", "a recovery code was used".to_owned()).await,
        (false, _) => shared.audit(actor(), "totp.refused", "a wrong code".to_owned()).await,
    }
    Ok(fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ApiState;
    use crate::state::ApiInner;
    use logstead_accounts::Meta;
    use logstead_config::settings::{self, Layers};
    use logstead_config::{Period, check_toml};
    use logstead_indexer::RealDisk;
    use logstead_pipeline::{Pipeline, RevisionChange};
    use logstead_record::Timestamp;
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    const ROUTER: &str = "version = 1\n[[logspaces]]\nid = \"main\"\n[[sources]]\nid = \"http\"\nkind = \"http\"\n\
                          [[routes]]\nid = \"all\"\nto = [\"main\"]\n";

    fn with_directories(directories: Vec<Ldap>) -> (SharedState, tempfile::TempDir) {
        let data = tempfile::TempDir::new().unwrap();
        let mut settings = settings::load(&Layers::default()).unwrap();
        settings.accounts.ldap = directories;
        let settings = Arc::new(settings);
        let meta = Meta::open(&data.path().join("logstead.db")).unwrap();
        let (document, checked) = check_toml(ROUTER).unwrap();
        let change = RevisionChange { toml: ROUTER.to_owned(), document, checked };
        let revision = meta.add_revision(ROUTER, "system", "", Timestamp::from_nanos(0)).unwrap();
        let pipeline =
            Pipeline::start(Arc::new(RealDisk), data.path(), settings.clone(), revision, change).unwrap();
        let state = ApiState {
            meta: meta.clone(),
            pipeline: pipeline.clone(),
            revisions: Arc::new(crate::revision::Revisions::new(pipeline, meta)),
            settings,
            admin_token: None,
            setup_code: None,
            process: crate::Process::default(),
        };
        (ApiInner::new(state), data)
    }

    /// A directory that knows nobody, and counts the requests.
    fn directory() -> (Ldap, Arc<AtomicUsize>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("ldap://{}", listener.local_addr().unwrap());
        let asked = Arc::new(AtomicUsize::new(0));
        let counting = asked.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { continue };
                let mut request = [0; 1024];
                // An LDAP message is a sequence of its number and the operation; 0x60 means bind.
                while let Ok(bytes) = stream.read(&mut request)
                    && let [0x30, _, 0x02, 1, number, 0x60, ..] = request[..bytes]
                {
                    counting.fetch_add(1, Ordering::Relaxed);
                    // The response: invalid credentials.
                    let answer = [0x30, 12, 0x02, 1, number, 0x61, 7, 0x0a, 1, 49, 0x04, 0, 0x04, 0];
                    if stream.write_all(&answer).is_err() {
                        break;
                    }
                }
            }
        });
        let nothing = String::new;
        let ldap = Ldap {
            id: "corp".to_owned(),
            url,
            start_tls: false,
            ca_file: nothing(),
            user_dn: "cn={name},dc=example".to_owned(),
            bind_dn: nothing(),
            bind_password_file: nothing(),
            user_base: nothing(),
            user_filter: nothing(),
            id_attribute: "entryUUID".to_owned(),
            groups_attribute: nothing(),
            group_base: nothing(),
            group_filter: nothing(),
            timeout: Period::seconds(10),
            grants: Vec::new(),
        };
        (ldap, asked)
    }

    #[tokio::test]
    async fn a_wrong_password_takes_the_same_work_whoever_it_is_of() {
        for has_directory in [false, true] {
            let (ldap, asked) = directory();
            let (shared, _data) = with_directories(if has_directory { vec![ldap] } else { Vec::new() });
            let hash = password::hash("correct horse").unwrap();
            shared
                .state
                .meta
                .add_user("ana", accounts::Role::Analyst, &hash, Timestamp::from_nanos(0))
                .unwrap();
            for name in ["ana", "eve", "not a name \u{430}"] {
                // Other tests compare passwords at the same time.
                let wrong = format!("wrong horse of {name} {has_directory}");
                let attempt = LoginAttempt::new(name, None, None);
                let found = check_password(&shared, &attempt, name, wrong.clone()).await.unwrap();
                assert!(found.is_none());
                let hashes = VERIFIED.lock().unwrap().iter().filter(|verified| **verified == wrong).count();
                assert_eq!(hashes, 1, "{name}, with a directory: {has_directory}");
            }
            assert_eq!(
                asked.load(Ordering::Relaxed),
                usize::from(has_directory),
                "our own are not asked for"
            );
        }
    }
}
