//! Folders that may be written to, and paths that lead out of them.

use super::*;
use std::io::{Read, Write};
use std::os::unix::fs::symlink;

struct Scene {
    root: tempfile::TempDir,
    folders: Folders,
}

/// `data`, and beside it `logs`, which may be read, `out`, which may be written, and `secret`.
fn scene() -> Scene {
    let root = tempfile::tempdir().unwrap();
    let path = |name: &str| root.path().join(name);
    for folder in ["data/logspaces", "logs/nginx", "out", "secret", "sockets"] {
        fs::create_dir_all(path(folder)).unwrap();
    }
    for file in ["data/logstead.db", "logs/a.log", "logs/nginx/b.log", "secret/shadow"] {
        fs::write(path(file), file).unwrap();
    }
    let folders = Folders {
        data: path("data"),
        // The whole data directory is allowed here, too: its own files stay out of reach all the same.
        read: vec![path("logs"), path("data")],
        write: vec![path("out"), path("data")],
        sockets: vec![path("sockets")],
    };
    Scene { root, folders }
}

impl Scene {
    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn read(&self, name: &str) -> Result<String, String> {
        let mut text = String::new();
        let opened = self.folders.open_to_read(&self.path(name));
        opened.and_then(|mut file| file.read_to_string(&mut text)).map_err(|error| error.to_string())?;
        Ok(text)
    }

    fn append(&self, path: &str) -> Result<(), String> {
        let sink = self.folders.sink(path)?;
        let opened = sink.place().and_then(|place| sink.open_to_append(&place));
        opened.and_then(|mut file| file.write_all(b"line\n")).map_err(|error| error.to_string())
    }
}

#[test]
fn sources_read_what_is_really_in_the_folders_of_the_settings() {
    let scene = scene();
    symlink(scene.path("secret/shadow"), scene.path("logs/link.log")).unwrap();
    symlink(scene.path("logs/nginx/b.log"), scene.path("logs/inside.log")).unwrap();
    symlink(scene.path("secret"), scene.path("logs/folder")).unwrap();
    fs::create_dir(scene.path("data/forward")).unwrap();
    fs::write(scene.path("data/forward/all.log"), "forwarded").unwrap();
    for (name, text) in [
        ("logs/a.log", "logs/a.log"),
        ("logs/inside.log", "logs/nginx/b.log"),
        ("data/forward/all.log", "forwarded"),
    ] {
        assert_eq!(scene.read(name).unwrap(), text);
    }
    for name in
        ["secret/shadow", "logs/link.log", "logs/folder/shadow", "data/logstead.db", "logs/../secret/shadow"]
    {
        let error = scene.read(name).unwrap_err();
        assert!(error.contains("`files.read`"), "{name}: {error}");
    }
}

#[test]
fn files_are_looked_for_in_the_folders_of_the_settings_only() {
    let scene = scene();
    let check = |pattern: &str, expected: bool| {
        assert_eq!(scene.folders.may_look_for(&scene.path(pattern)).is_ok(), expected, "{pattern}");
    };
    check("logs/*.log", true);
    check("logs/not there yet/*/x?.log", true);
    check("data/forward/*.log", true);
    check("log*/a.log", false);
    check("secret/*", false);
    check("logsecret/*", false);
    check("data/*", false);
    check("data/logspaces/main/journal/*", false);
}

#[test]
fn destinations_write_below_forward_and_the_folders_of_the_settings() {
    let scene = scene();
    let out = scene.path("out/deep/all.log").to_string_lossy().into_owned();
    for path in ["all.log", "forward/all.log", "./forward/all.log", "logstead.db", &out] {
        scene.append(path).unwrap();
    }
    assert_eq!(fs::read(scene.path("data/forward/all.log")).unwrap(), b"line\n".repeat(3));
    assert_eq!(fs::read(scene.path("data/forward/logstead.db")).unwrap(), b"line\n");
    assert_eq!(fs::read(scene.path("out/deep/all.log")).unwrap(), b"line\n");
    for name in ["data/logstead.db", "data/logspaces/main/manifest", "secret/authorized_keys", "out", "outer"]
    {
        let path = scene.path(name).to_string_lossy().into_owned();
        let error = scene.append(&path).unwrap_err();
        assert!(error.contains("`files.write`"), "{name}: {error}");
    }
    assert_eq!(fs::read_to_string(scene.path("data/logstead.db")).unwrap(), "data/logstead.db");
}

#[test]
fn a_link_that_is_planted_leads_no_destination_out() {
    let scene = scene();
    fs::create_dir(scene.path("data/forward")).unwrap();
    symlink(scene.path("secret/shadow"), scene.path("data/forward/file")).unwrap();
    symlink(scene.path("secret/new"), scene.path("data/forward/dangling")).unwrap();
    symlink(scene.path("secret"), scene.path("data/forward/folder")).unwrap();
    for path in ["file", "dangling", "folder/shadow", "folder/new"] {
        let error = scene.append(path).unwrap_err();
        assert!(error.contains("links are not followed"), "{path}: {error}");
    }
    assert_eq!(fs::read_dir(scene.path("secret")).unwrap().count(), 1);
    assert_eq!(fs::read_to_string(scene.path("secret/shadow")).unwrap(), "secret/shadow");
}

#[test]
fn secrets_are_read_in_their_folder_only() {
    let scene = scene();
    fs::create_dir(scene.path("data/secrets")).unwrap();
    fs::write(scene.path("data/secrets/siem.token"), "hunter2\r\nnot this\n").unwrap();
    fs::write(scene.path("data/secrets/empty"), "\n").unwrap();
    symlink("siem.token", scene.path("data/secrets/link")).unwrap();
    symlink(scene.path("secret/shadow"), scene.path("data/secrets/out")).unwrap();
    for path in ["siem.token", "secrets/siem.token", "./secrets/siem.token", "link"] {
        assert_eq!(scene.folders.secret(path).unwrap(), "hunter2");
    }
    let absolute = scene.path("secret/shadow").to_string_lossy().into_owned();
    for (path, why) in [
        ("out", "it is not in the folder"),
        ("../logstead.db", "it is not in the folder"),
        (&absolute, "it is not in the folder"),
        ("empty", "its first line is empty"),
        ("missing", "No such file"),
    ] {
        let error = scene.folders.secret(path).unwrap_err().to_string();
        assert!(error.contains(why), "{path}: {error}");
    }
}

#[test]
fn sockets_are_in_run_or_the_folders_of_the_settings() {
    let scene = scene();
    let socket = |path: &str| scene.folders.socket(path).map_err(|error| error.to_string());
    let real = |name: &str| real(&scene.path(name));
    assert_eq!(socket("run/a/log.sock").unwrap(), real("data/run/a/log.sock"));
    let mode = fs::metadata(scene.path("data/run/a")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755, "other users reach it where the data directory lets them");
    let outside = scene.path("sockets/log.sock").to_string_lossy().into_owned();
    assert_eq!(socket(&outside).unwrap(), real("sockets/log.sock"));
    symlink(scene.path("secret"), scene.path("sockets/link")).unwrap();
    let linked = scene.path("sockets/link/log.sock").to_string_lossy().into_owned();
    for path in ["log.sock", "logspaces/log.sock", "/nowhere/log.sock", &linked] {
        let error = socket(path).unwrap_err();
        assert!(error.contains("`files.sockets`"), "{path}: {error}");
    }
}
