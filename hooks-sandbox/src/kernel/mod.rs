//! Runs a command in the sandbox, on Linux.
//!
//! Three processes stand between the caller and the command. The caller's own process ([`Sandbox::run`]) stays outside: it forwards signals
//! and scrubs the output. It starts its own program again as the *first stage*, which has one thread, as a user namespace needs: it enters
//! the namespaces, while the caller still makes the [`Plan`](crate::Plan). That starts the *second stage*, which is the first process of the new namespace: it mounts, drops capabilities, restricts
//! itself by Landlock and seccomp, and starts the command. When the command ends, so does everything else in the namespace.
//!
//! A program that uses this calls [`stage`] first of all in `main`.
//!
//! If something is refused, the rest is applied. What holds in the end is in [`Enforced`](crate::Enforced). If a promise of the profile is not
//! held, the command does not run, unless [`Unavailable::GuardsOnly`](crate::Unavailable::GuardsOnly) is set.

mod apart;
mod capabilities;
mod devices;
mod hand_out;
mod landlock;
mod mounts;
mod namespaces;
mod network;
mod run;
mod seccomp;
mod stage;
mod stages;
mod stream;
mod watch;

pub use crate::egress::Connection;

pub use self::apart::{Worker, apart};
pub use self::run::{Finished, NotRun, Sandbox};
pub use self::stage::stage;

/// Exit status if the sandbox fails, as that of `env` and `timeout`.
pub const FAILED: u8 = 125;
