//! A small disk that a test can fill. To mount it, the test has to run as root.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A small, separate disk.
pub struct SmallDisk {
    folder: PathBuf,
}

impl SmallDisk {
    pub fn mount(folder: &Path) -> SmallDisk {
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", "size=24m", "logstead-test"]).arg(folder);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "this test needs a small disk and could not mount one: run it as root, or leave it out with \
             `--skip full_disk` ({said})"
        );
        SmallDisk { folder: folder.to_owned() }
    }

    /// The same with a file system like those of servers; the disk is a file at `image`, mounted at `folder`.
    pub fn mount_ext4(image: &Path, folder: &Path) -> SmallDisk {
        std::fs::File::create(image).unwrap().set_len(48 << 20).unwrap();
        let run = |command: &mut Command| {
            let output = command.output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(
                output.status.success(),
                "this test needs ext4 on a loop device: run it as root, or leave it out with `--skip full_disk` ({said})"
            );
        };
        run(Command::new("mkfs.ext4").args(["-q", "-F", "-m", "0"]).arg(image));
        run(Command::new("mount").args(["-o", "loop"]).arg(image).arg(folder));
        SmallDisk { folder: folder.to_owned() }
    }

    /// Takes all the free space.
    pub fn fill(&self) {
        let mut ballast = std::fs::File::create(self.ballast()).unwrap();
        for bytes in [1 << 16, 1 << 12, 1] {
            let error = loop {
                if let Err(error) = ballast.write_all(&vec![0; bytes]) {
                    break error;
                }
            };
            assert_eq!(error.kind(), ErrorKind::StorageFull, "{error}");
        }
    }

    /// Takes the space that has become free since then.
    pub fn fill_more(&self) {
        let mut ballast = std::fs::OpenOptions::new().create(true).append(true).open(self.ballast()).unwrap();
        for bytes in [1 << 16, 1 << 12, 1] {
            while ballast.write_all(&vec![0; bytes]).is_ok() {}
        }
    }

    /// Frees the space again.
    pub fn free(&self) {
        std::fs::remove_file(self.ballast()).unwrap();
    }

    fn ballast(&self) -> PathBuf {
        self.folder.join("ballast")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // The unmount is lazy, because a server that the test has not ended may still use the disk.
        Command::new("umount").arg("-l").arg(&self.folder).status().ok();
    }
}
