//! File permissions: only its own user may read the files that Logstead writes.
//!
//! **Invariant:** files and folders that are created below the data directory are for their owner only (0700 and 0600).
//! Permissions that an earlier version left open are reported, with the command that closes them, and not changed
//! silently.

use rustix::fs::Mode;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// All rights of group and others.
const OTHERS: u32 = 0o077;

/// From now on this process creates files and directories for its user only.
pub fn keep_to_owner() {
    rustix::process::umask(Mode::from_raw_mode(OTHERS));
}

/// A warning if other users of this machine may read a data directory, with the command that closes it.
pub fn too_wide(data: &Path) -> Option<String> {
    // Nothing below a closed directory can be reached.
    if !is_wide(data) {
        return None;
    }
    let entries = fs::read_dir(data).ok()?.flatten();
    let wide = entries.map(|entry| entry.path()).filter(|path| holds_messages(path) && is_wide(path));
    let mut names: Vec<String> =
        wide.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect();
    names.sort();
    let (data, names) = (data.display(), names.join(", "));
    (!names.is_empty()).then(|| {
        format!(
            "{data} is open to other users of this machine, who can read messages in it ({names}): close it with \
             `chmod -R go-rwx {data}`"
        )
    })
}

/// Whether a file may hold messages: sockets are meant for other users, and the lock file only holds a number.
fn holds_messages(path: &Path) -> bool {
    !path.ends_with("run") && !path.ends_with("lock")
}

fn is_wide(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|file| !file.is_symlink() && file.permissions().mode() & OTHERS != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn what_others_can_read_is_named_with_the_command_that_closes_it() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        for name in ["logspaces", "run"] {
            fs::create_dir_all(data.join(name)).unwrap();
            set(&data.join(name), 0o755);
        }
        fs::write(data.join("logstead.db"), "").unwrap();
        set(&data.join("logstead.db"), 0o600);
        set(&data, 0o755);
        let said = too_wide(&data).unwrap();
        assert!(said.contains("(logspaces)") && said.contains("`chmod -R go-rwx /"), "{said}");
        set(&data.join("logspaces"), 0o700);
        assert_eq!(too_wide(&data), None, "others see names, and nothing behind them");
        set(&data.join("logspaces"), 0o755);
        set(&data, 0o700);
        assert_eq!(too_wide(&data), None);
    }
}
