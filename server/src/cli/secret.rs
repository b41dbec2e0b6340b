//! Secrets that a command gets in files or from the environment: in a variable, in a file that another variable
//! names, or from the systemd credentials of a unit.
//!
//! **Invariant:** a secret that is given in two ways is an error, and no error shows it.

use super::failure::{CommandFailure, Result};
use std::ffi::OsString;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// The greatest size of a file that contains a secret.
const BYTES_MAX: u64 = 64 << 10;
/// The variable that names the folder of a unit's systemd credentials.
const CREDENTIALS: &str = "CREDENTIALS_DIRECTORY";

/// The secret in a variable, in the file named by the variable with `_FILE` appended, or in a systemd credential. The
/// caller decides the meaning of an empty variable.
pub(super) fn of_environment(variable: &str, credential: Option<&str>) -> Result<Option<String>> {
    given(variable, credential, |name| std::env::var_os(name))
}

fn given(
    variable: &str,
    credential: Option<&str>,
    environment: impl Fn(&str) -> Option<OsString>,
) -> Result<Option<String>> {
    let path = |name: &str| environment(name).filter(|path| !path.is_empty()).map(PathBuf::from);
    let file_variable = format!("{variable}_FILE");
    let named = path(&file_variable);
    let of_unit = credential.and_then(|name| Some(path(CREDENTIALS)?.join(name)));
    // The variable for a file may also name the unit's credential.
    let of_unit = of_unit.filter(|path| named.as_ref() != Some(path) && path.exists());
    let text =
        environment(variable).filter(|text| !text.is_empty() || (named.is_none() && of_unit.is_none()));
    let ways = [
        text.as_ref().map(|_| variable.to_owned()),
        named.as_ref().map(|_| file_variable.clone()),
        of_unit.as_ref().map(|path| path.display().to_string()),
    ];
    let ways: Vec<String> = ways.into_iter().flatten().collect();
    if let [first, second, ..] = ways.as_slice() {
        return Err(CommandFailure::no(format!(
            "{first} and {second} both give a secret: unset one of them"
        )));
    }
    match (text, named, of_unit) {
        (Some(text), ..) => {
            let wrong = |_| CommandFailure::no(format!("{variable}: this is not UTF-8"));
            text.into_string().map(Some).map_err(wrong)
        }
        (_, Some(file), _) => {
            of_file(&file).map(Some).map_err(|error| CommandFailure::No(format!("{file_variable}: {error}")))
        }
        (.., Some(file)) => of_file(&file).map(Some).map_err(CommandFailure::No),
        (None, None, None) => Ok(None),
    }
}

/// The secret in a file, without the line break at its end.
pub(super) fn of_file(path: &Path) -> Result<String, String> {
    let name = path.display();
    let failed = |error: std::io::Error| match error.kind() {
        ErrorKind::InvalidData => format!("{name}: this is not UTF-8"),
        _ => format!("{name}: {error}"),
    };
    // Reading a pipe would wait for its writer.
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        return Err(format!("{name}: this is not a file"));
    }
    let mut text = String::new();
    let file = File::open(path).map_err(failed)?;
    let read = file.take(BYTES_MAX + 1).read_to_string(&mut text);
    if BYTES_MAX < text.len() as u64 || read.as_ref().is_ok_and(|read| BYTES_MAX < *read as u64) {
        return Err(format!(
            "{name}: it is longer than {BYTES_MAX} bytes, so it cannot be a file with a secret"
        ));
    }
    read.map_err(failed)?;
    let secret = text.strip_suffix('\n').unwrap_or(&text);
    let secret = secret.strip_suffix('\r').unwrap_or(secret);
    match secret {
        "" => Err(format!("{name}: the file is empty: write the secret into it")),
        secret if secret.contains(char::is_control) => {
            Err(format!("{name}: the secret must be one line without control characters"))
        }
        secret => Ok(secret.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    #[test]
    fn a_file_holds_one_line_and_its_end_is_cut() {
        let folder = tempfile::tempdir().unwrap();
        let read = |bytes: &[u8]| of_file(&written(folder.path(), "secret", bytes));
        for (bytes, secret) in [
            ("hunter2", "hunter2"),
            ("hunter2\n", "hunter2"),
            ("hunter2\r\n", "hunter2"),
            (" pass phrase \n", " pass phrase "),
            ("pä55\n", "pä55"),
        ] {
            assert_eq!(read(bytes.as_bytes()).as_deref(), Ok(secret));
        }
        let huge = vec![b'x'; BYTES_MAX as usize + 1];
        for (bytes, why) in [
            (b"".as_slice(), "empty"),
            (b"\n", "empty"),
            (b"\r\n", "empty"),
            (b"hunter2\nhunter3\n", "one line"),
            (b"hunter2\n\n", "one line"),
            (b"hunter2\0", "one line"),
            (b"hunter2\xff", "UTF-8"),
            (&huge, "longer than"),
        ] {
            let error = read(bytes).unwrap_err();
            assert!(error.contains("/secret: ") && error.contains(why), "{error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
        assert_eq!(read(&huge[1..]).unwrap().len() as u64, BYTES_MAX);
        assert!(of_file(folder.path()).unwrap_err().contains("not a file"));
        assert!(of_file(&folder.path().join("missing")).unwrap_err().contains("missing: "));
    }

    #[test]
    fn a_secret_is_given_in_one_way() {
        let folder = tempfile::tempdir().unwrap();
        let file = written(folder.path(), "file", b"in a file\n");
        written(folder.path(), "token", b"of the unit\n");
        let (file, folder) = (file.to_str().unwrap(), folder.path().to_str().unwrap());
        let credential = format!("{folder}/token");
        let read = |variables: &[(&str, &str)]| {
            let value =
                |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into());
            given("T", Some("token"), value).map_err(|failure| match failure {
                CommandFailure::No(message) | CommandFailure::Environment(message) => message,
            })
        };
        for (variables, expected) in [
            ([("x", ""), ("x", "")], None),
            ([("T", "text"), ("x", "")], Some("text")),
            ([("T", ""), ("x", "")], Some("")),
            ([("T_FILE", file), ("x", "")], Some("in a file")),
            ([("T_FILE", file), ("T", "")], Some("in a file")),
            ([("T_FILE", ""), ("T", "text")], Some("text")),
            ([(CREDENTIALS, folder), ("x", "")], Some("of the unit")),
            ([(CREDENTIALS, folder), ("T", "")], Some("of the unit")),
            ([(CREDENTIALS, folder), ("T_FILE", &credential)], Some("of the unit")),
            ([(CREDENTIALS, "/nowhere"), ("x", "")], None),
        ] {
            assert_eq!(read(&variables), Ok(expected.map(str::to_owned)), "{variables:?}");
        }
        for variables in [
            [("T", "hunter2"), ("T_FILE", file)],
            [("T", "hunter2"), (CREDENTIALS, folder)],
            [("T_FILE", file), (CREDENTIALS, folder)],
        ] {
            let error = read(&variables).unwrap_err();
            assert!(error.contains("both give a secret") && !error.contains("hunter2"), "{error}");
        }
        let error = read(&[("T_FILE", "/nowhere/token")]).unwrap_err();
        assert!(error.starts_with("T_FILE: /nowhere/token: "), "{error}");
    }
}
