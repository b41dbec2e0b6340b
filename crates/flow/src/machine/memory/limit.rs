//! The memory that the process may take: the smallest limit of its own control groups and all groups above these
//! (versions 1 and 2), or the machine's memory.
//!
//! A group is found through `/proc/self/cgroup`, which names it within its hierarchy, and `/proc/self/mountinfo`, which
//! tells which part of a hierarchy is mounted in which folder. In a container, that part is often the group itself.
//!
//! **Invariant:** a limit that cannot be read is never taken for none. It makes the limit unknown, and the reason is
//! reported.

use std::fmt::{Display, Formatter};
use std::io::{ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

/// The maximum number of bytes that are read of a table of mounts; a node of a cluster has thousands of mounts, of
/// 200 bytes each.
const MOUNTS_BYTES_MAX: u64 = 16 << 20;
/// The maximum number of bytes that are read of any other file.
const FILE_BYTES_MAX: u64 = 64 << 10;
/// The maximum number of nested groups that are read; the kernel's own limit is lower unless it was raised.
const DEPTH_MAX: usize = 256;

/// The memory that the process may take.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryLimit {
    /// `None` if the machine does not say, and no group has a limit.
    pub bytes: Option<u64>,
    /// The origin of the limit.
    pub origin: LimitOrigin,
    /// The error because of which a smaller limit may be unknown: a file could not be read.
    pub unknown: Option<String>,
}

/// The origin of a limit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LimitOrigin {
    /// The machine's memory: no group has a smaller limit.
    Machine,
    /// The limit in this file of a control group, of this version.
    Group {
        /// The version of control groups.
        version: u8,
        /// The file that holds the limit.
        file: String,
    },
}

impl Display for LimitOrigin {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            LimitOrigin::Machine => write!(f, "the machine"),
            LimitOrigin::Group { version, file } => write!(f, "cgroup v{version}, {file}"),
        }
    }
}

/// The limit of this process.
pub fn of_process() -> MemoryLimit {
    read(Path::new("/"))
}

/// The limit of the process whose `/proc` and control groups are below a folder.
fn read(root: &Path) -> MemoryLimit {
    let machine = machine_bytes(root);
    let mut found = SmallestLimit { bytes: machine, origin: LimitOrigin::Machine, unknown: None };
    if let Err(why) = found.ask_groups(root) {
        found.unknown.get_or_insert(why);
    }
    MemoryLimit { bytes: found.bytes, origin: found.origin, unknown: found.unknown }
}

/// The machine's memory.
fn machine_bytes(root: &Path) -> Option<u64> {
    let text = text_of(&root.join("proc/meminfo"), FILE_BYTES_MAX).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// A control group of the process: the version of its hierarchy, and its path there.
#[derive(Clone, PartialEq, Eq, Debug)]
struct ControlGroup {
    version: u8,
    path: PathBuf,
}

/// A part of a hierarchy, and the folder in which it is mounted.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Mount {
    version: u8,
    part: PathBuf,
    folder: PathBuf,
}

/// The smallest limit so far.
struct SmallestLimit {
    bytes: Option<u64>,
    origin: LimitOrigin,
    unknown: Option<String>,
}

impl SmallestLimit {
    fn ask_groups(&mut self, root: &Path) -> Result<(), String> {
        let path = root.join("proc/self/cgroup");
        let text = match text_of(&path, FILE_BYTES_MAX) {
            Ok(text) => text,
            // A kernel without control groups sets no limit by them.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(format!("{}: {error}", path_text(&path, root))),
        };
        let groups: Vec<ControlGroup> = text.lines().filter_map(group_of).collect();
        let path = root.join("proc/self/mountinfo");
        let text = text_of(&path, MOUNTS_BYTES_MAX)
            .map_err(|error| format!("{}: {error}", path_text(&path, root)))?;
        let mounts: Vec<Mount> = text.lines().filter_map(mount_of).collect();
        for group in &groups {
            if let Err(why) = self.ask_group(root, group, &mounts) {
                self.unknown.get_or_insert(why);
            }
        }
        Ok(())
    }

    /// Reads the limits of a group and of all groups above it, as far as these are mounted.
    fn ask_group(&mut self, root: &Path, group: &ControlGroup, mounts: &[Mount]) -> Result<(), String> {
        let of_version = || mounts.iter().filter(|mount| mount.version == group.version);
        let ControlGroup { version, path } = group;
        if of_version().next().is_none() {
            // Every kernel has the hierarchy of version 2. If it is not mounted, it limits no memory. If the process
            // has its own group in the memory hierarchy of version 1, memory may be limited there.
            return if *version == 2 || path == Path::new("/") {
                Ok(())
            } else {
                Err(format!("the memory group {} of version {version} is not mounted", path.display()))
            };
        }
        // The mount with the shortest part shows the most groups above it.
        let visible = of_version().filter_map(|mount| Some((mount, below(path, &mount.part)?)));
        let Some((mount, rest)) = visible.min_by_key(|(mount, _)| mount.part.components().count()) else {
            let shown = path.display();
            return Err(format!("no mounted folder shows the control group {shown} of version {version}"));
        };
        let top = root.join(mount.folder.strip_prefix("/").unwrap_or(&mount.folder));
        let mut folder = top.join(rest);
        if !folder.is_dir() {
            return Err(format!("{} is not a folder", path_text(&folder, root)));
        }
        for _ in 0..DEPTH_MAX {
            self.ask_folder(root, *version, &folder)?;
            if folder == top || !folder.pop() {
                return Ok(());
            }
        }
        Err(format!("the control group {} is nested too deeply", path.display()))
    }

    fn ask_folder(&mut self, root: &Path, version: u8, folder: &Path) -> Result<(), String> {
        if version == 2 {
            for name in ["memory.max", "memory.high"] {
                self.ask_file(root, version, &folder.join(name), |text| Some(text.trim().to_owned()))?;
            }
            return Ok(());
        }
        self.ask_file(root, version, &folder.join("memory.limit_in_bytes"), |text| {
            Some(text.trim().to_owned())
        })?;
        // The smallest limit of all groups above it, also of those that are not mounted here.
        self.ask_file(root, version, &folder.join("memory.stat"), |text| {
            let line = text.lines().find_map(|line| line.strip_prefix("hierarchical_memory_limit "));
            line.map(|line| line.trim().to_owned())
        })
    }

    /// A missing file limits nothing: version 2 has it only in groups whose memory is controlled, and never at the
    /// top.
    fn ask_file(
        &mut self,
        root: &Path,
        version: u8,
        path: &Path,
        value: impl Fn(&str) -> Option<String>,
    ) -> Result<(), String> {
        let text = match text_of(path, FILE_BYTES_MAX) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(format!("{}: {error}", path_text(path, root))),
        };
        let Some(value) = value(&text) else { return Ok(()) };
        if value == "max" || value == "-1" {
            return Ok(());
        }
        let unreadable = |_| format!("{}: {:?} is not a limit", path_text(path, root), start_of(&value));
        let bytes: u64 = value.parse().map_err(unreadable)?;
        if self.bytes.is_none_or(|least| bytes < least) && bytes < NO_LIMIT_MIN {
            self.bytes = Some(bytes);
            self.origin = LimitOrigin::Group { version, file: path_text(path, root) };
        }
        Ok(())
    }
}

/// Version 1 has no word for "none", but a number that no machine has: the largest multiple of a page in 63 bits.
const NO_LIMIT_MIN: u64 = (i64::MAX as u64) & !0xffff;

/// `hierarchy:controllers:path`. The memory is controlled in version 2, which names no controllers, or in the hierarchy of
/// version 1 that names it.
fn group_of(line: &str) -> Option<ControlGroup> {
    let mut parts = line.splitn(3, ':');
    let (number, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
    let version = match controllers {
        "" if number == "0" => 2,
        _ if controllers.split(',').any(|name| name == "memory") => 1,
        _ => return None,
    };
    // The group was removed while the process was in it.
    let path = path.strip_suffix(" (deleted)").unwrap_or(path);
    Some(ControlGroup { version, path: path.into() })
}

/// `id parent device part folder options … - type source options`
fn mount_of(line: &str) -> Option<Mount> {
    let (before, after) = line.split_once(" - ")?;
    let mut before = before.split(' ').skip(3);
    let (part, folder) = (unescaped(before.next()?), unescaped(before.next()?));
    let mut after = after.split(' ');
    let (kind, options) = (after.next()?, after.nth(1)?);
    let version = match kind {
        "cgroup2" => 2,
        "cgroup" if options.split(',').any(|option| option == "memory") => 1,
        _ => return None,
    };
    Some(Mount { version, part: part.into(), folder: folder.into() })
}

/// The kernel writes spaces, tabs, newlines and backslashes as three octal digits.
fn unescaped(text: &str) -> String {
    let mut parts = text.split('\\');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let split = part.split_at_checked(3);
        let code = split.and_then(|(digits, rest)| Some((u8::from_str_radix(digits, 8).ok()?, rest)));
        match code.filter(|(code, _)| code.is_ascii()) {
            Some((code, rest)) => {
                plain.push(char::from(code));
                plain.push_str(rest);
            }
            None => {
                plain.push('\\');
                plain.push_str(part);
            }
        }
    }
    plain
}

/// The rest of a path below another; `None` if it is not below it, or leads upwards: a group outside what a namespace
/// shows begins with `/..`.
fn below(path: &Path, part: &Path) -> Option<PathBuf> {
    let leads_up = |path: &Path| path.components().any(|part| part == Component::ParentDir);
    let rest = path.strip_prefix(part).ok()?;
    (!leads_up(part) && !leads_up(rest)).then(|| rest.to_owned())
}

/// The text of a small file.
fn text_of(path: &Path, bytes_max: u64) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(bytes_max + 1).read_to_end(&mut bytes)?;
    if bytes_max < bytes.len() as u64 {
        return Err(std::io::Error::new(
            ErrorKind::InvalidData,
            format!("it is longer than {bytes_max} bytes"),
        ));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A path as the process sees it.
fn path_text(path: &Path, root: &Path) -> String {
    Path::new("/").join(path.strip_prefix(root).unwrap_or(path)).display().to_string()
}

fn start_of(value: &str) -> String {
    value.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;
    const V1: &str = "35 31 0:32 PART /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory";
    const V2: &str = "41 31 0:38 PART /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate";
    const NONE_V1: &str = "9223372036854771712\n";

    /// The limit that is found in a tree of these files, on a machine with 16 GiB.
    fn limit(files: &[(&str, &str)]) -> MemoryLimit {
        let root = tempfile::tempdir().unwrap();
        let of_machine = [("proc/meminfo", "MemTotal:       16777216 kB\nMemFree: 1 kB\n")];
        for (path, text) in of_machine.iter().chain(files) {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        read(root.path())
    }

    fn of(bytes: u64, version: u8, file: &str) -> MemoryLimit {
        MemoryLimit {
            bytes: Some(bytes),
            origin: LimitOrigin::Group { version, file: file.into() },
            unknown: None,
        }
    }

    fn of_machine() -> MemoryLimit {
        MemoryLimit { bytes: Some(16 * GIB), origin: LimitOrigin::Machine, unknown: None }
    }

    #[track_caller]
    fn is_unknown(limit: &MemoryLimit, why: &str) {
        let unknown = limit.unknown.as_deref().expect("something could not be read");
        assert!(unknown.contains(why), "{unknown}");
    }

    #[test]
    fn without_groups_it_is_what_the_machine_has() {
        assert_eq!(limit(&[]), of_machine());
        let unlimited = [
            ("proc/self/cgroup", "0::/system.slice/logstead.service\n"),
            ("proc/self/mountinfo", &V2.replace("PART", "/")),
            ("sys/fs/cgroup/cgroup.procs", ""),
            ("sys/fs/cgroup/system.slice/logstead.service/memory.max", "max\n"),
            ("sys/fs/cgroup/system.slice/logstead.service/memory.high", "max\n"),
        ];
        assert_eq!(limit(&unlimited), of_machine());
    }

    #[test]
    fn a_unit_of_version_2_has_its_limit_or_a_smaller_one_above_it() {
        let group = "sys/fs/cgroup/system.slice/logstead.service";
        let check = |files: &[(&str, &str)], expected: MemoryLimit| {
            let base = [
                ("proc/self/cgroup", "0::/system.slice/logstead.service\n"),
                ("proc/self/mountinfo", &V2.replace("PART", "/")),
            ];
            let files: Vec<(String, &str)> =
                files.iter().map(|(path, text)| ((*path).into(), *text)).collect();
            let all: Vec<(&str, &str)> =
                base.into_iter().chain(files.iter().map(|(path, text)| (path.as_str(), *text))).collect();
            assert_eq!(limit(&all), expected);
        };
        let own = format!("{group}/memory.max");
        let high = format!("{group}/memory.high");
        let above = "sys/fs/cgroup/system.slice/memory.max";
        check(&[(&own, "268435456\n")], of(256 << 20, 2, &format!("/{own}")));
        check(&[(&own, "268435456\n"), (&high, "134217728\n")], of(128 << 20, 2, &format!("/{high}")));
        check(&[(&own, "268435456\n"), (above, "1048576\n")], of(1 << 20, 2, &format!("/{above}")));
        check(&[(&own, "max\n"), (above, "1073741824\n")], of(GIB, 2, &format!("/{above}")));
        // A limit above the machine's memory has no effect.
        check(&[(&own, "1099511627776\n")], of_machine());
        // Memory is not controlled below the slice.
        check(&[(&format!("{group}/cgroup.procs"), ""), (above, "7\n")], of(7, 2, &format!("/{above}")));
    }

    #[test]
    fn a_group_of_version_1_has_its_limit_or_a_smaller_one_above_it() {
        let cgroup = "5:cpu,cpuacct:/other\n4:hugetlb,memory:/docker/a b\n1:name=systemd:/\n";
        let base = [("proc/self/cgroup", cgroup), ("proc/self/mountinfo", &V1.replace("PART", "/"))];
        let own = "sys/fs/cgroup/memory/docker/a b/memory.limit_in_bytes";
        let above = "sys/fs/cgroup/memory/docker/memory.limit_in_bytes";
        let top = ("sys/fs/cgroup/memory/memory.limit_in_bytes", NONE_V1);
        let with = |more: &[(&'static str, &'static str)]| limit(&[&base[..], &[top], more].concat());
        assert_eq!(with(&[(own, "268435456\n")]), of(256 << 20, 1, &format!("/{own}")));
        assert_eq!(with(&[(own, "268435456\n"), (above, "65536\n")]), of(65536, 1, &format!("/{above}")));
        assert_eq!(with(&[(own, NONE_V1), (above, "-1\n")]), of_machine());
        assert_eq!(with(&[(own, "18446744073709551615\n")]), of_machine());
    }

    #[test]
    fn in_a_container_of_version_1_the_mount_begins_at_the_group() {
        let cgroup = "4:memory:/docker/0123\n0::/\n";
        let file = "sys/fs/cgroup/memory/memory.limit_in_bytes";
        let stat = "sys/fs/cgroup/memory/memory.stat";
        let base = [
            ("proc/self/cgroup", cgroup),
            ("proc/self/mountinfo", &V1.replace("PART", "/docker/0123")),
            (file, "536870912\n"),
        ];
        assert_eq!(limit(&base), of(512 << 20, 1, &format!("/{file}")));
        // A group above it, which is not mounted here, has a smaller limit.
        let stat_text = "cache 0\nhierarchical_memory_limit 134217728\nhierarchical_memsw_limit 1\n";
        let all = [&base[..], &[(stat, stat_text)]].concat();
        assert_eq!(limit(&all), of(128 << 20, 1, &format!("/{stat}")));
    }

    #[test]
    fn in_a_namespace_of_version_2_the_group_is_the_top() {
        let base = [
            ("proc/self/cgroup", "0::/\n"),
            ("proc/self/mountinfo", &V2.replace("PART", "/")),
            ("sys/fs/cgroup/memory.max", "268435456\n"),
        ];
        assert_eq!(limit(&base), of(256 << 20, 2, "/sys/fs/cgroup/memory.max"));
    }

    #[test]
    fn both_versions_at_once_count() {
        let mounts = format!("{}\n{}\n", V1.replace("PART", "/"), V2.replace("PART", "/"))
            .replace("/sys/fs/cgroup rw,nosuid", "/sys/fs/cgroup/unified rw,nosuid");
        let base = [
            ("proc/self/cgroup", "4:memory:/a\n0::/b\n"),
            ("proc/self/mountinfo", &mounts),
            ("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1000000\n"),
            ("sys/fs/cgroup/unified/b/memory.max", "900000\n"),
        ];
        assert_eq!(limit(&base), of(900_000, 2, "/sys/fs/cgroup/unified/b/memory.max"));
    }

    #[test]
    fn a_mount_whose_name_has_spaces_is_found() {
        let mount = V2.replace("PART", "/").replace("/sys/fs/cgroup", "/my\\040groups");
        let base = [
            ("proc/self/cgroup", "0::/a\n"),
            ("proc/self/mountinfo", mount.as_str()),
            ("my groups/a/memory.max", "5\n"),
        ];
        assert_eq!(limit(&base), of(5, 2, "/my groups/a/memory.max"));
    }

    #[test]
    fn what_cannot_be_read_is_told_and_never_taken_for_none() {
        let v2 = V2.replace("PART", "/");
        let group = ("proc/self/cgroup", "0::/a\n");
        is_unknown(&limit(&[group]), "/proc/self/mountinfo");
        for text in ["", "many", "12 bytes", "-7", "99999999999999999999", "\u{0}", "0x10", &"9".repeat(500)]
        {
            let found = limit(&[group, ("proc/self/mountinfo", &v2), ("sys/fs/cgroup/a/memory.max", text)]);
            is_unknown(&found, "/sys/fs/cgroup/a/memory.max");
            assert_eq!((found.bytes, found.origin), (Some(16 * GIB), LimitOrigin::Machine));
        }
        let endless = "1".repeat(FILE_BYTES_MAX as usize + 1);
        let found = limit(&[group, ("proc/self/mountinfo", &v2), ("sys/fs/cgroup/a/memory.max", &endless)]);
        is_unknown(&found, "longer than");
        // A folder in place of the file.
        let found = limit(&[group, ("proc/self/mountinfo", &v2), ("sys/fs/cgroup/a/memory.max/file", "5")]);
        is_unknown(&found, "/sys/fs/cgroup/a/memory.max");
        is_unknown(&limit(&[group, ("proc/self/mountinfo", &v2)]), "/sys/fs/cgroup/a");
        // The process is in a group that its mounts do not show.
        for path in ["/../../other", "/elsewhere"] {
            let cgroup = format!("0::{path}\n");
            let part = V2.replace("PART", "/docker/0123");
            is_unknown(&limit(&[("proc/self/cgroup", &cgroup), ("proc/self/mountinfo", &part)]), path);
        }
        is_unknown(&limit(&[("proc/self/cgroup", "4:memory:/a\n"), ("proc/self/mountinfo", "")]), "/a");
    }

    #[test]
    fn a_limit_that_is_known_counts_although_another_is_not() {
        let v2 = V2.replace("PART", "/");
        let base = [
            ("proc/self/cgroup", "0::/a/b\n"),
            ("proc/self/mountinfo", v2.as_str()),
            ("sys/fs/cgroup/a/b/memory.max", "268435456\n"),
            ("sys/fs/cgroup/a/memory.max", "much\n"),
        ];
        let found = limit(&base);
        assert_eq!(found.bytes, Some(256 << 20));
        is_unknown(&found, "/sys/fs/cgroup/a/memory.max");
    }

    #[test]
    fn nonsense_in_the_tables_is_passed_over() {
        for text in ["", "\n\n", ":", "::", "0:", "memory", "- - - -", "\u{fffd}\\777 \\ - cgroup2"] {
            let found = limit(&[("proc/self/cgroup", text), ("proc/self/mountinfo", text)]);
            assert_eq!(found.bytes, Some(16 * GIB), "{text:?}");
        }
        assert_eq!(unescaped("\\040\\134\\9\\"), " \\\\9\\");
        let meminfo = [("proc/meminfo", "MemTotal: a lot\n")];
        assert_eq!(limit(&meminfo).bytes, None);
    }
}
