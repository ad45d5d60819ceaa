//! Access to new files and folders. Existing ones keep their mode.

use std::fs::{DirBuilder, OpenOptions};
use std::path::Path;

/// Users that may read and write a new file or folder, within the umask of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// All users.
    Umask,
    /// The owner; and the group, in a folder with the set-group-ID bit, which gives new files to its group.
    Private,
}

#[cfg(unix)]
impl Access {
    /// Sets the mode of a file that may be created at `path`.
    pub(super) fn of_file(self, path: &Path, options: &mut OpenOptions) {
        use std::os::unix::fs::OpenOptionsExt as _;
        if self == Self::Private {
            options.mode(if is_shared(path) { 0o660 } else { 0o600 });
        }
    }

    /// Sets the mode of a folder that may be created at `path`.
    pub(super) fn of_folder(self, path: &Path, folder: &mut DirBuilder) {
        use std::os::unix::fs::DirBuilderExt as _;
        if self == Self::Private {
            folder.mode(if is_shared(path) { 0o770 } else { 0o700 });
        }
    }
}

/// Whether the folder of `path` gives new files to its group.
#[cfg(unix)]
fn is_shared(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    folder.metadata().is_ok_and(|folder| folder.permissions().mode() & 0o2000 != 0)
}

/// On other systems the standard library sets no access; new files have that of their folder.
#[cfg(not(unix))]
impl Access {
    pub(super) fn of_file(self, _path: &Path, _options: &mut OpenOptions) {}

    pub(super) fn of_folder(self, _path: &Path, _folder: &mut DirBuilder) {}
}
