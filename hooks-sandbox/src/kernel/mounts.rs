//! Mounts of our own: what may be written, what is read-only in it, and what is masked.
//!
//! Everything is made read-only; folders that may be written are bound onto themselves first, which makes them mounts of their
//! own. In them, a file that is protected is bound onto itself and made read-only, and so is every folder on the way: a mount can
//! neither be renamed nor removed, and without that `mv .git x` would move the file away.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::OFlag;
use nix::mount::{MsFlags, mount};
use rustix::fs::{StatVfsMountFlags, statvfs};

use super::devices;
use crate::enforced::{Enforced, Held};
use crate::plan::{Identity, Plan};

const TEMPORARY: &str = "/tmp";

/// Sets up all mounts, and returns whether they hold what the plan wants.
pub(super) fn set_up(plan: &Plan, enforced: &mut Enforced) -> bool {
    let done = writable(plan).and_then(|()| devices::devices());
    let is_done = enforced.add("mounts", held(done));
    let is_seen = enforced.add("own /proc", held(devices::processes()));
    let closed = if is_done { close(plan) } else { Err("there are no mounts of our own".to_owned()) };
    let is_closed = enforced.add("masks and read-only files", held(closed));
    devices::forget_closed();
    // The old folder is still there: what is in it belongs to the mount that is read-only now.
    let is_back = enforced
        .add("folder", held(std::env::set_current_dir(&plan.folder).map_err(|error| error.to_string())));
    is_done && is_seen && is_closed && is_back
}

fn held(done: Result<(), String>) -> Held {
    done.map_or_else(Held::Refused, |()| Held::Fully)
}

/// Makes everything read-only but what the plan opens, with temporary files of its own.
fn writable(plan: &Plan) -> Result<(), String> {
    let root = Path::new("/");
    mount::<str, Path, str, str>(None, root, None, MsFlags::MS_REC | MsFlags::MS_PRIVATE, None)
        .map_err(|error| format!("private: {error}"))?;
    let earlier = mount_points()?;
    let kept = temporary(plan)?;
    for path in &plan.writable {
        let file = open_seen(plan, path)?;
        bind(&path_of(&file), &path_of(&file), true)?;
        // Flags that are set stay set, and nothing there is a device.
        drop(remount(path, MsFlags::MS_NOSUID | MsFlags::MS_NODEV));
    }
    // Only now: what is bound from a mount that is read-only is read-only too.
    for path in kept {
        remount(&path, MsFlags::MS_RDONLY | MsFlags::MS_NOSUID | MsFlags::MS_NODEV)?;
    }
    for point in earlier {
        let is_open = plan.writable.iter().any(|open| point.starts_with(open));
        let is_own =
            point.starts_with("/dev") || point == Path::new("/proc") || point == Path::new(TEMPORARY);
        if !is_open && !is_own {
            match remount(&point, MsFlags::MS_RDONLY | MsFlags::MS_NODEV | MsFlags::MS_NOSUID) {
                // What this process cannot reach by its path the command cannot reach either.
                Err(_) if fs::metadata(&point).is_err() => {}
                done => done?,
            }
        }
    }
    Ok(())
}

/// Mounts a folder for temporary files over the one of the machine, and what is needed of the latter into it. Returns what of that
/// is to be read-only.
fn temporary(plan: &Plan) -> Result<Vec<PathBuf>, String> {
    let place = Path::new(TEMPORARY);
    let program = std::env::current_exe().ok();
    let needed =
        plan.writable.iter().chain([&plan.workspace, &plan.folder]).chain(&plan.home).chain(&program);
    let below: BTreeSet<&PathBuf> = needed.filter(|path| path.starts_with(place) && *path != place).collect();
    let mut kept: Vec<(&PathBuf, File)> = Vec::new();
    for path in below {
        if kept.last().is_none_or(|(last, _)| !path.starts_with(last)) {
            kept.push((path, handle(path)?));
        }
    }
    match &plan.temporary {
        Some(folder) => bind(folder, place, false)?,
        None => mount_new("tmpfs", place, MsFlags::MS_NOSUID | MsFlags::MS_NODEV, Some("mode=1777"))?,
    }
    let failed = |error: std::io::Error| format!("{TEMPORARY}: {error}");
    for (path, handle) in &kept {
        if handle.metadata().map_err(failed)?.is_dir() {
            fs::create_dir_all(path).map_err(failed)?;
        } else {
            fs::create_dir_all(path.parent().unwrap_or(place)).map_err(failed)?;
            fs::write(path, "").map_err(failed)?;
        }
        bind(&path_of(handle), path, true)?;
    }
    let is_closed = |path: &&PathBuf| !plan.writable.iter().any(|open| path.starts_with(open));
    Ok(kept.into_iter().map(|(path, _)| path).filter(is_closed).cloned().collect())
}

/// Closes what the plan closes.
fn close(plan: &Plan) -> Result<(), String> {
    let mut bound: BTreeSet<PathBuf> = plan.writable.iter().cloned().collect();
    let mut on_the_way = |path: &Path, plan: &Plan| -> Result<(), String> {
        let Some(open) = plan.writable.iter().find(|open| path.starts_with(open)) else { return Ok(()) };
        let mut folders: Vec<&Path> =
            path.ancestors().skip(1).take_while(|above| *above != open.as_path()).collect();
        folders.reverse();
        for folder in folders {
            if bound.insert(folder.to_path_buf()) {
                bind(folder, folder, true)?;
            }
        }
        Ok(())
    };
    for path in &plan.read_only {
        on_the_way(path, plan)?;
        let file = open_seen(plan, path)?;
        bind(&path_of(&file), &path_of(&file), true)?;
        remount(path, MsFlags::MS_RDONLY | MsFlags::MS_NOSUID | MsFlags::MS_NODEV)?;
    }
    for path in &plan.masked {
        if is_out_of_sight(path) {
            continue;
        }
        on_the_way(path, plan)?;
        let file = open_seen(plan, path)?;
        let is_folder = file.metadata().is_ok_and(|of| of.is_dir());
        let closed = if is_folder { devices::CLOSED_FOLDER } else { devices::CLOSED_FILE };
        bind(Path::new(closed), &path_of(&file), false)?;
        remount(path, MsFlags::MS_RDONLY | MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC)?;
    }
    for path in &plan.sockets {
        hide_socket(path, || on_the_way(path, plan))?;
    }
    check(plan)
}

/// Masks a socket. Its process may have ended meanwhile, and then nothing is there to connect to.
fn hide_socket(path: &Path, on_the_way: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    let is_socket = || fs::symlink_metadata(path).is_ok_and(|of| of.file_type().is_socket());
    if !is_socket() {
        return Ok(());
    }
    let flags = MsFlags::MS_RDONLY | MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    let hidden = on_the_way()
        .and_then(|()| bind(Path::new(devices::CLOSED_FILE), path, false))
        .and_then(|()| remount(path, flags));
    if is_socket() { hidden } else { Ok(()) }
}

/// Whether a mount of our own hides a path already.
fn is_out_of_sight(path: &Path) -> bool {
    let is_hidden = path.starts_with(TEMPORARY) || path.starts_with("/dev") || path.starts_with("/proc");
    is_hidden && fs::symlink_metadata(path).is_err()
}

/// Checks that each name leads to what was mounted there: another process may have moved a file meanwhile.
fn check(plan: &Plan) -> Result<(), String> {
    let moved = |path: &Path| format!("`{}` was moved while the sandbox was set up", path.display());
    for path in &plan.read_only {
        let is_held = statvfs(path).is_ok_and(|of| of.f_flag.contains(StatVfsMountFlags::RDONLY));
        if !is_held || Identity::at(path).ok() != identity(plan, path) {
            return Err(moved(path));
        }
    }
    let closed: Vec<Identity> = [devices::CLOSED_FILE, devices::CLOSED_FOLDER]
        .iter()
        .filter_map(|path| Identity::at(Path::new(path)).ok())
        .collect();
    for path in plan.masked.iter().filter(|path| !is_out_of_sight(path)) {
        if !Identity::at(path).is_ok_and(|now| closed.contains(&now)) {
            return Err(moved(path));
        }
    }
    Ok(())
}

fn identity(plan: &Plan, path: &Path) -> Option<Identity> {
    let at = plan.seen.binary_search_by(|seen| seen.path.as_path().cmp(path)).ok()?;
    plan.seen.get(at).map(|seen| seen.identity)
}

/// Opens a path of the plan, if it leads to the file that was looked up.
pub(super) fn open_seen(plan: &Plan, path: &Path) -> Result<File, String> {
    let options = OFlag::O_PATH | OFlag::O_NOFOLLOW;
    let file = fs::OpenOptions::new().read(true).custom_flags(options.bits()).open(path);
    let failed = |error: std::io::Error| format!("`{}`: {error}", path.display());
    let file = file.map_err(failed)?;
    let now = Identity::new(&file.metadata().map_err(failed)?);
    if identity(plan, path) == Some(now) {
        Ok(file)
    } else {
        Err(format!("`{}` is another file than when it was looked up", path.display()))
    }
}

/// Opens a place without reading it, so that it can be bound after something was mounted over it.
pub(super) fn handle(path: &Path) -> Result<File, String> {
    let options = fs::OpenOptions::new().read(true).custom_flags(OFlag::O_PATH.bits()).open(path);
    options.map_err(|error| format!("`{}`: {error}", path.display()))
}

/// A path that leads to what a handle has open.
pub(super) fn path_of(handle: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", handle.as_raw_fd()))
}

/// Mounts a file or folder a second time.
pub(super) fn bind(from: &Path, to: &Path, with_below: bool) -> Result<(), String> {
    let flags = if with_below { MsFlags::MS_BIND | MsFlags::MS_REC } else { MsFlags::MS_BIND };
    mount::<Path, Path, str, str>(Some(from), to, None, flags, None)
        .map_err(|error| format!("`{}` cannot be bound: {error}", to.display()))
}

/// Mounts a new file system.
pub(super) fn mount_new(kind: &str, to: &Path, flags: MsFlags, options: Option<&str>) -> Result<(), String> {
    mount::<str, Path, str, str>(Some(kind), to, Some(kind), flags, options)
        .map_err(|error| format!("`{}` cannot be mounted: {error}", to.display()))
}

/// Adds flags to a mount. Those it has stay, because an unprivileged process may not take them away.
pub(super) fn remount(path: &Path, flags: MsFlags) -> Result<(), String> {
    let failed = |error: &dyn std::fmt::Display| format!("`{}` cannot be changed: {error}", path.display());
    let has = statvfs(path).map_err(|error| failed(&error))?.f_flag;
    let mut all = MsFlags::MS_REMOUNT | MsFlags::MS_BIND | flags;
    for (one, flag) in [
        (StatVfsMountFlags::RDONLY, MsFlags::MS_RDONLY),
        (StatVfsMountFlags::NOSUID, MsFlags::MS_NOSUID),
        (StatVfsMountFlags::NODEV, MsFlags::MS_NODEV),
        (StatVfsMountFlags::NOEXEC, MsFlags::MS_NOEXEC),
    ] {
        if has.contains(one) {
            all |= flag;
        }
    }
    mount::<str, Path, str, str>(None, path, None, all, None).map_err(|error| failed(&error))
}

/// Folders that are mount points now.
fn mount_points() -> Result<BTreeSet<PathBuf>, String> {
    let text = fs::read_to_string("/proc/self/mountinfo").map_err(|error| format!("mountinfo: {error}"))?;
    Ok(text.lines().filter_map(|line| line.split(' ').nth(4)).map(unescaped).collect())
}

/// A path of `mountinfo`, in which a blank is `\040`.
fn unescaped(text: &str) -> PathBuf {
    let mut path = text.to_owned();
    for (escape, c) in [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")] {
        path = path.replace(escape, c);
    }
    path.into()
}
