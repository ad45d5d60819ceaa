//! Sockets that are files: a process that sees one can connect to it, and a namespace of the network does not close it.

use std::fs;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// The kernel's list of sockets.
const LISTED: &str = "/proc/net/unix";

/// Most names in the folder of a socket that has gone which are looked at.
const MOST_NAMES: usize = 20_000;

/// Most sockets that are hidden one by one.
pub(super) const MOST: usize = 2_000;

/// Files of sockets that a process has opened now, by the kernel's list.
///
/// The list has the name that a socket got first, as its process wrote it. A program may move or link it afterwards, as `ssh` does
/// with the socket of a connection, so all sockets in the folder of a name that has gone count. A relative name is looked for in
/// the folder of each process.
///
/// # Errors
/// Returns an error if the list cannot be read.
pub(super) fn open() -> io::Result<Vec<PathBuf>> {
    let text = fs::read(LISTED)?;
    let text = String::from_utf8_lossy(&text);
    let (named, relative): (Vec<&str>, Vec<&str>) = listed(&text).partition(|name| name.starts_with('/'));
    let folders = if relative.is_empty() { Vec::new() } else { folders_of_processes() };
    let below = |folder: &PathBuf| relative.iter().map(|name| folder.join(name)).collect::<Vec<_>>();
    let all = named.into_iter().map(PathBuf::from).chain(folders.iter().flat_map(below));
    let (mut found, gone): (Vec<PathBuf>, Vec<PathBuf>) = all.partition(|path| is_socket(path));
    let mut searched: Vec<&Path> = gone.iter().filter_map(|path| path.parent()).collect();
    searched.sort();
    searched.dedup();
    for folder in searched {
        let entries = fs::read_dir(folder).into_iter().flatten().take(MOST_NAMES).flatten();
        found.extend(entries.map(|entry| entry.path()).filter(|path| is_socket(path)));
    }
    found.sort();
    found.dedup();
    Ok(found)
}

fn is_socket(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|of| of.file_type().is_socket())
}

/// Folders in which processes are, as far as this one may see it.
fn folders_of_processes() -> Vec<PathBuf> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut all: Vec<PathBuf> =
        processes.filter_map(|process| fs::read_link(process.path().join("cwd")).ok()).collect();
    all.sort();
    all.dedup();
    all
}

/// The paths in a list of the kernel. A name that begins with `@` is not a file.
fn listed(text: &str) -> impl Iterator<Item = &str> {
    text.lines().skip(1).filter_map(path_in).filter(|path| !path.starts_with('@'))
}

/// The path in a line: behind seven fields, and it may have blanks.
fn path_in(line: &str) -> Option<&str> {
    let mut rest = line;
    for _ in 0..7 {
        rest = rest.trim_start_matches(' ').split_once(' ')?.1;
    }
    Some(rest).filter(|path| !path.is_empty())
}

/// Whether a path is below one of `folders`.
pub(super) fn is_in(path: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| path.starts_with(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_the_kernel_is_read() {
        let text = "Num       RefCount Protocol Flags    Type St Inode Path\n\
                    0000: 00000002 00000000 00010000 0001 01 15 /run/a b.sock\n\
                    0000: 00000002 00000000 00010000 0001 01 16 @abstract\n\
                    0000: 00000002 00000000 00010000 0001 01    18 a /b.sock\n\
                    0000: 00000003 00000000 00000000 0001 03 17\n";
        assert_eq!(listed(text).collect::<Vec<_>>(), ["/run/a b.sock", "a /b.sock"]);
    }

    #[test]
    fn an_open_socket_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("s");
        let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
        assert!(open().unwrap().contains(&path));
    }

    #[test]
    fn a_socket_with_a_relative_name_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("s");
        let here = std::env::current_dir().unwrap();
        let relative = format!("{}.{}", "../".repeat(here.components().count()), path.display());
        let _listener = std::os::unix::net::UnixListener::bind(relative).unwrap();
        assert!(open().unwrap().iter().any(|one| one.canonicalize().unwrap() == path));
    }

    #[test]
    fn a_socket_that_was_moved_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let _listener = std::os::unix::net::UnixListener::bind(folder.join("s.new")).unwrap();
        fs::hard_link(folder.join("s.new"), folder.join("s")).unwrap();
        fs::remove_file(folder.join("s.new")).unwrap();
        fs::write(folder.join("file"), "").unwrap();
        let open = open().unwrap();
        assert!(open.contains(&folder.join("s")) && !open.contains(&folder.join("file")));
    }
}
