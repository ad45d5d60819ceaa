//! Folders of devices and processes of our own.

use std::fs;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::Path;

use nix::mount::MsFlags;

use super::mounts::{bind, handle, mount_new, path_of, remount};

/// Devices that programs need. None stores anything.
const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];

/// Links in `/dev`, to the files of the process that follows them.
const LINKS: [(&str, &str); 5] = [
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
    ("ptmx", "pts/ptmx"),
];

/// Files of the kernel in `/proc` that the superuser could write although it has no rights left.
const KERNEL: [&str; 6] = ["sys", "sysrq-trigger", "irq", "bus", "fs", "acpi"];

/// An empty file, and an empty folder, that cannot be opened. They are bound over what is masked.
pub(super) const CLOSED_FILE: &str = "/dev/.closed";
pub(super) const CLOSED_FOLDER: &str = "/dev/.closed.d";

/// Mounts a folder `/dev` with the few devices that programs need, and terminals and shared memory of its own: as the superuser, a command could
/// read a disk directly.
pub(super) fn devices() -> Result<(), String> {
    let mut kept = Vec::new();
    for name in DEVICES {
        let path = Path::new("/dev").join(name);
        if path.exists() {
            kept.push((name, handle(&path)?));
        }
    }
    mount_new("tmpfs", Path::new("/dev"), MsFlags::MS_NOSUID | MsFlags::MS_NOEXEC, Some("mode=0755"))?;
    let failed = |error: std::io::Error| format!("/dev: {error}");
    for (name, handle) in &kept {
        let path = Path::new("/dev").join(name);
        fs::write(&path, "").map_err(failed)?;
        bind(&path_of(handle), &path, false)?;
        // Its mode and owner are those of the machine.
        remount(&path, MsFlags::MS_RDONLY | MsFlags::MS_NOSUID | MsFlags::MS_NOEXEC)?;
    }
    for (name, target) in LINKS {
        symlink(target, Path::new("/dev").join(name)).map_err(failed)?;
    }
    fs::create_dir("/dev/pts").map_err(failed)?;
    // Terminals of its own: it could write to those of the machine. Where they are refused, it has none.
    let terminals = Some("newinstance,ptmxmode=0666,mode=0620");
    drop(mount_new("devpts", Path::new("/dev/pts"), MsFlags::MS_NOSUID | MsFlags::MS_NOEXEC, terminals));
    fs::create_dir("/dev/shm").map_err(failed)?;
    fs::set_permissions("/dev/shm", fs::Permissions::from_mode(0o1777)).map_err(failed)?;
    let closed = fs::OpenOptions::new().write(true).create_new(true).mode(0o0).open(CLOSED_FILE);
    closed.map_err(failed)?;
    fs::create_dir(CLOSED_FOLDER).map_err(failed)?;
    fs::set_permissions(CLOSED_FOLDER, fs::Permissions::from_mode(0o0)).map_err(failed)
}

/// Takes the names away that masks were bound from.
pub(super) fn forget_closed() {
    // A name that stays is that of an empty file.
    drop(fs::remove_file(CLOSED_FILE));
    drop(fs::remove_dir(CLOSED_FOLDER));
}

/// Mounts a folder `/proc` that shows the processes of this namespace only, with the kernel's own settings read-only.
pub(super) fn processes() -> Result<(), String> {
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    mount_new("proc", Path::new("/proc"), flags, None)?;
    for name in KERNEL {
        let path = Path::new("/proc").join(name);
        if path.exists() {
            bind(&path, &path, true)?;
            remount(&path, flags | MsFlags::MS_RDONLY)?;
        }
    }
    Ok(())
}
