//! Sockets that are files: a process that sees one can connect to it, and a namespace of the network does not close it.

use std::fs;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// The kernel's list of sockets.
const LISTED: &str = "/proc/net/unix";

/// Most sockets that are hidden one by one.
pub(super) const MOST: usize = 2_000;

/// Files of sockets that a process has opened now, by the kernel's list.
pub(super) fn open() -> io::Result<Vec<PathBuf>> {
    let text = fs::read(LISTED)?;
    let mut found: Vec<PathBuf> = listed(&String::from_utf8_lossy(&text)).map(PathBuf::from).collect();
    found.retain(|path| fs::symlink_metadata(path).is_ok_and(|of| of.file_type().is_socket()));
    found.sort();
    found.dedup();
    Ok(found)
}

/// The paths in a list of the kernel. A name that begins with `@` is not a file.
fn listed(text: &str) -> impl Iterator<Item = &str> {
    // Seven fields and then the path, which may have blanks.
    let path = |line: &'_ str| -> Option<usize> { line.find(" /").map(|at| at + 1) };
    text.lines().filter_map(move |line| line.get(path(line)?..))
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
                    0000: 00000003 00000000 00000000 0001 03 17\n";
        assert_eq!(listed(text).collect::<Vec<_>>(), ["/run/a b.sock"]);
    }

    #[test]
    fn an_open_socket_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("s");
        let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
        assert!(open().unwrap().contains(&path));
    }
}
