//! Namespaces of our own: what the command sees of mounts, processes, shared memory and the network.

use std::fs;

use nix::sched::{CloneFlags, unshare};
use nix::unistd::{getegid, geteuid};

use crate::enforced::Held;

/// Enters new namespaces. The next process that is started is the first one of its namespace.
///
/// The superuser needs no user namespace for it, and keeps sight of who owns which file; its rights are dropped later.
pub(super) fn enter(is_connected: bool, may_mount: bool) -> Held {
    let mut flags = CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWIPC | CloneFlags::CLONE_NEWPID;
    if !is_connected {
        flags |= CloneFlags::CLONE_NEWNET;
    }
    if !may_mount {
        flags |= CloneFlags::CLONE_NEWUSER;
    }
    let (user, group) = (geteuid(), getegid());
    if let Err(error) = unshare(flags) {
        return Held::Refused(format!("{error}"));
    }
    if may_mount {
        return Held::Fully;
    }
    let maps = [
        ("setgroups", "deny".to_owned()),
        ("uid_map", format!("{user} {user} 1")),
        ("gid_map", format!("{group} {group} 1")),
    ];
    for (file, text) in maps {
        if let Err(error) = fs::write(format!("/proc/self/{file}"), text) {
            return Held::Refused(format!("{file}: {error}"));
        }
    }
    Held::Fully
}
