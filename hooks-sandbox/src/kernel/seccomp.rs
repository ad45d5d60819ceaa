//! Seccomp: calls of the kernel that are refused.
//!
//! A list of what is refused, as programs use too many calls to list what is allowed. What it costs: no tracing, no namespaces and
//! no io_uring in the sandbox; programs of another word size end at once.

use std::collections::BTreeMap;

use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter, sock_filter,
};

use crate::enforced::Held;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Calls that reach into other processes, change mounts or namespaces, or go around the files' rights.
const REFUSED: &[libc::c_long] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_setns,
    libc::SYS_unshare,
    libc::SYS_open_by_handle_at,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
];

/// Flags of `clone` that make a namespace.
const NAMESPACES: [libc::c_int; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];

/// Types of sockets besides streams: UDP, raw, and the rest.
const NOT_STREAMS: [u64; 6] = [2, 3, 4, 5, 6, 10];

/// Data in the first packet of a connection, which Landlock does not see.
const FAST_OPEN: u64 = 0x2000_0000;

/// Requests that exchange the blocks of two files and leave their times as they are: of ext4, XFS (two) and F2FS, by the kernel's headers.
const EXCHANGES: [libc::Ioctl; 4] = [0xc028_660f, 0xc0c0_586d, 0x4028_5881, 0xc020_f509];

/// Applies the filters. `is_closed` if the network is to be refused and no namespace does it. `shares_terminal` if the command reads the
/// terminal of the caller.
pub(super) fn filter(is_closed: bool, shares_terminal: bool) -> Held {
    match programs(is_closed, shares_terminal) {
        Err(error) => Held::Refused(error),
        Ok(programs) => {
            for program in programs {
                if let Err(error) = apply_filter(&program) {
                    return Held::Refused(error.to_string());
                }
            }
            Held::Fully
        }
    }
}

fn programs(is_closed: bool, shares_terminal: bool) -> Result<Vec<BpfProgram>, String> {
    let mut refused = Rules::new();
    for call in REFUSED {
        refused.insert(*call, Vec::new());
    }
    let namespaces = NAMESPACES.iter().map(|flag| has(0, u64::from(flag.unsigned_abs())));
    refused.insert(libc::SYS_clone, namespaces.collect::<Result<_, _>>()?);
    // Input that a terminal reads as typed.
    let mut requests = vec![libc::TIOCSTI, libc::TIOCLINUX];
    if !shares_terminal {
        // The command is in the background of the caller's terminal. In the foreground it would read what is typed there.
        requests.push(libc::TIOCSPGRP);
    }
    requests.extend(EXCHANGES);
    let requests = requests.into_iter().map(|request| rule(vec![is(1, request)]));
    refused.insert(libc::SYS_ioctl, requests.collect::<Result<_, _>>()?);
    // The limits of other processes.
    refused.insert(libc::SYS_prlimit64, vec![rule(vec![is_not(0, 0)])?]);

    // Its flags are in memory, which no filter reads. Programs then use `clone`.
    let unknown = Rules::from([(libc::SYS_clone3, Vec::new())]);

    let mut sockets = Vec::new();
    let families = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
    sockets.push(rule(families.iter().map(|family| is_not(0, *family)).collect())?);
    let mut network = Rules::new();
    if is_closed {
        // No right of Landlock closes a socket that is a file. A pair of sockets is not one.
        sockets.push(rule(vec![is(0, widened(libc::AF_UNIX))])?);
        // One of a pair of datagrams sends to any socket by its name.
        network.insert(libc::SYS_socketpair, vec![rule(vec![masked(1, 0xf, 2)])?]);
        // Without a name of its own, a socket that listens gets one.
        network.insert(libc::SYS_listen, Vec::new());
        for family in [libc::AF_INET, libc::AF_INET6] {
            for kind in NOT_STREAMS {
                sockets.push(rule(vec![is(0, widened(family)), masked(1, 0xf, kind)])?);
            }
            let other = [0, libc::IPPROTO_TCP].map(|protocol| is_not(2, protocol));
            sockets.push(rule(std::iter::once(is(0, widened(family))).chain(other).collect())?);
        }
        for (call, argument) in [(libc::SYS_sendto, 3), (libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)] {
            network.insert(call, vec![has(argument, FAST_OPEN)?]);
        }
    }
    network.insert(libc::SYS_socket, sockets);
    let mut programs = vec![
        compiled(refused, libc::EPERM)?,
        compiled(unknown, libc::ENOSYS)?,
        compiled(network, libc::EAFNOSUPPORT)?,
    ];
    if cfg!(target_arch = "x86_64") {
        programs.push(no_other_numbers());
    }
    Ok(programs)
}

fn compiled(rules: Rules, errno: libc::c_int) -> Result<BpfProgram, String> {
    let target: TargetArch = std::env::consts::ARCH.try_into().map_err(|error| format!("{error:?}"))?;
    let refused = SeccompAction::Errno(errno.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refused, target);
    filter.and_then(TryInto::try_into).map_err(|error| error.to_string())
}

/// Refuses the second set of numbers that the same calls have on this processor (x32).
fn no_other_numbers() -> BpfProgram {
    let step = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    vec![
        // Load the number, compare, refuse or allow.
        step(0x20, 0, 0, 0),
        step(0x35, 0, 1, 0x4000_0000),
        step(0x06, 0, 0, 0x0005_0000 | libc::ENOSYS.unsigned_abs()),
        step(0x06, 0, 0, 0x7fff_0000),
    ]
}

type Condition = Result<SeccompCondition, String>;

fn rule(conditions: Vec<Condition>) -> Result<SeccompRule, String> {
    let conditions = conditions.into_iter().collect::<Result<Vec<_>, _>>()?;
    SeccompRule::new(conditions).map_err(|error| error.to_string())
}

fn has(argument: u8, bit: u64) -> Result<SeccompRule, String> {
    rule(vec![masked(argument, bit, bit)])
}

fn condition(argument: u8, operator: SeccompCmpOp, value: u64) -> Condition {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
        .map_err(|error| error.to_string())
}

fn masked(argument: u8, mask: u64, value: u64) -> Condition {
    condition(argument, SeccompCmpOp::MaskedEq(mask), value)
}

fn is(argument: u8, value: u64) -> Condition {
    condition(argument, SeccompCmpOp::Eq, value)
}

fn is_not(argument: u8, value: libc::c_int) -> Condition {
    condition(argument, SeccompCmpOp::Ne, widened(value))
}

fn widened(value: libc::c_int) -> u64 {
    u64::from(value.unsigned_abs())
}
