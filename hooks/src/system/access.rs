//! Who may read and write what is made: files and folders that are there keep what they have.

use std::fs::{DirBuilder, OpenOptions};
use std::path::Path;

/// Who may read and write what is made, as far as the umask of the process lets them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Everybody.
    Umask,
    /// The owner; and the group, in a folder that gives what is made in it to its group (set-group-ID).
    Private,
}

#[cfg(unix)]
impl Access {
    /// For a file that may be made at `path`.
    pub(super) fn of_file(self, path: &Path, options: &mut OpenOptions) {
        use std::os::unix::fs::OpenOptionsExt as _;
        if self == Self::Private {
            options.mode(if is_shared(path) { 0o660 } else { 0o600 });
        }
    }

    /// For a folder that may be made at `path`.
    pub(super) fn of_folder(self, path: &Path, folder: &mut DirBuilder) {
        use std::os::unix::fs::DirBuilderExt as _;
        if self == Self::Private {
            folder.mode(if is_shared(path) { 0o770 } else { 0o700 });
        }
    }
}

/// Whether the folder of `path` gives what is made in it to its group.
#[cfg(unix)]
fn is_shared(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    folder.metadata().is_ok_and(|folder| folder.permissions().mode() & 0o2000 != 0)
}

/// Elsewhere the standard library sets no access; what is made has that of its folder.
#[cfg(not(unix))]
impl Access {
    pub(super) fn of_file(self, _path: &Path, _options: &mut OpenOptions) {}

    pub(super) fn of_folder(self, _path: &Path, _folder: &mut DirBuilder) {}
}
