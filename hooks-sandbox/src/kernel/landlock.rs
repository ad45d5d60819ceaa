//! Landlock: rights on files that a process gives up for itself and all that it starts.
//!
//! With mounts of our own it is a second line. Without them it is the first: what is written outside is refused, and secrets
//! outside of the workspace are closed by granting everything beside them. It cannot close a file in a folder where files may be
//! created.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, LandlockStatus, NetPort, RestrictionStatus,
    Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

use super::mounts::{open_seen, path_of};
use crate::enforced::Held;
use crate::plan::Plan;

/// The newest rights that are used; older kernels know fewer.
const NEWEST: ABI = ABI::V7;

/// Devices that a command writes where `/dev` is that of the machine. Terminals and shared memory there are also those of others.
const DEVICES: [&str; 4] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty"];

/// Most files that are granted one by one.
const MOST_GRANTS: usize = 20_000;

/// The hold of Landlock on a process.
#[derive(Debug)]
pub(super) struct Restricted {
    pub(super) held: Held,
    /// Whether nothing outside is written.
    pub(super) writes: bool,
    /// Whether no secret is read outside of the folders that may be written.
    pub(super) reads: bool,
    /// Whether TCP is refused.
    pub(super) network: bool,
}

/// Restricts this process.
pub(super) fn restrict(plan: &Plan, has_mounts: bool, has_network: bool, proxy: Option<u16>) -> Restricted {
    let all = || (vec![PathBuf::from("/")], Vec::new());
    let beside = if has_mounts { Some(all()) } else { beside(plan) };
    // A file cannot be closed in a folder that is open.
    let is_open = |path: &PathBuf| plan.writable.iter().any(|open| path.starts_with(open));
    let is_listed = beside.is_some() && (has_mounts || !plan.masked.iter().any(is_open));
    let (granted, listed) = beside.unwrap_or_else(all);
    match apply(plan, &granted, &listed, has_mounts, has_network, proxy) {
        Err(error) => {
            Restricted { held: Held::Refused(error.to_string()), writes: false, reads: false, network: false }
        }
        Ok(status) => {
            let abi = match status.landlock {
                LandlockStatus::Available { effective_abi, .. } => effective_abi,
                _ => ABI::Unsupported,
            };
            let held = match status.ruleset {
                RulesetStatus::FullyEnforced => Held::Fully,
                RulesetStatus::PartiallyEnforced => {
                    Held::Partly(format!("this kernel knows {abi:?} of {NEWEST:?}"))
                }
                RulesetStatus::NotEnforced => Held::Refused("this kernel has none".to_owned()),
            };
            Restricted {
                held,
                writes: abi >= ABI::V3,
                reads: is_listed && abi >= ABI::V1,
                network: has_network || abi >= ABI::V4,
            }
        }
    }
}

fn apply(
    plan: &Plan,
    granted: &[PathBuf],
    listed: &[PathBuf],
    has_mounts: bool,
    has_network: bool,
    proxy: Option<u16>,
) -> Result<RestrictionStatus, RulesetError> {
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?;
    // Where the namespace has a network of its own, servers on loopback go on.
    if !plan.is_connected && !has_network {
        rules = rules.handle_access(AccessNet::from_all(NEWEST))?;
    }
    let devices: Vec<&Path> =
        if has_mounts { vec![Path::new("/dev")] } else { DEVICES.map(Path::new).to_vec() };
    let temporary = plan.temporary.as_deref().filter(|_| !has_mounts);
    let temporary = temporary.or(has_mounts.then_some(Path::new("/tmp")));
    // By open files, as a name may lead elsewhere by now. One that does is left out, so it cannot be written.
    let files: Vec<File> = plan.writable.iter().filter_map(|path| open_seen(plan, path).ok()).collect();
    let opened: Vec<PathBuf> = files.iter().map(path_of).collect();
    let writable = opened.iter().map(PathBuf::as_path).chain(devices).chain(temporary);
    // Of the port alone: a rule cannot name the host.
    let proxy = proxy
        .filter(|_| !has_network)
        .map(|port| Ok::<_, RulesetError>(NetPort::new(port, AccessNet::ConnectTcp)));
    rules
        .create()?
        .add_rules(proxy)?
        .add_rules(path_beneath_rules(granted, AccessFs::from_read(NEWEST)))?
        .add_rules(path_beneath_rules(listed, AccessFs::ReadDir))?
        .add_rules(path_beneath_rules(writable, AccessFs::from_all(NEWEST)))?
        .restrict_self()
}

/// Everything beside what is masked outside of the folders that may be written, and the folders on the way, whose names may be
/// listed. `None` if there is too much.
fn beside(plan: &Plan) -> Option<(Vec<PathBuf>, Vec<PathBuf>)> {
    let is_outside = |path: &&Path| !plan.writable.iter().any(|open| path.starts_with(open));
    let masked: BTreeSet<&Path> = plan.masked.iter().map(PathBuf::as_path).filter(is_outside).collect();
    let above: BTreeSet<&Path> = masked.iter().flat_map(|path| path.ancestors().skip(1)).collect();
    let mut granted = Vec::new();
    for folder in &above {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            // A right on a link is one on its target, which may be masked.
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            if !is_link && !above.contains(path.as_path()) && !masked.contains(path.as_path()) {
                granted.push(path);
            }
        }
        if granted.len() > MOST_GRANTS {
            return None;
        }
    }
    if above.is_empty() {
        granted.push(PathBuf::from("/"));
    }
    Some((granted, above.into_iter().map(Path::to_path_buf).collect()))
}
