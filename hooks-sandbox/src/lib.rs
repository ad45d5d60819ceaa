//! Runs commands in a sandbox that follows from the rules that guards judge calls by.
//!
//! A guard reads a command and decides before it runs; what it cannot read, the kernel holds. One set of rules feeds both:
//!
//! | step | type | needs |
//! | --- | --- | --- |
//! | what a command may read, write and connect to | [`Profile`] | nothing: plain data, pure |
//! | what that means on one disk, and what cannot be expressed | [`Plan`] | a disk |
//! | what the kernel holds of it | [`Enforced`] | Linux; feature `kernel` |
//! | the same for a sandbox of others | [`Plan::emit`] | a disk |
//!
//! `kernel::Sandbox` (feature `kernel`) starts a command. Mechanisms are applied in the process that becomes the command: namespaces
//! with mounts of our own, Landlock, seccomp. Each is tried and reported; none is assumed. If what a profile promises cannot be held,
//! [`Unavailable`] decides, by default that the command does not run.

mod config;
#[cfg(all(feature = "kernel", target_os = "linux"))]
mod egress;
mod emit;
mod enforced;
#[cfg(all(feature = "kernel", target_os = "linux"))]
pub mod kernel;
mod plan;
mod profile;

pub use self::config::{EgressConfig, SandboxConfig, ShellCalls, Unavailable};
pub use self::emit::{Emitted, ProfileFormat, UnknownProfileFormat};
pub use self::enforced::{Enforced, Held, Mechanism, Promise};
pub use self::plan::{Aftermath, NoPlan, Plan, make_caches};
pub use self::profile::{Access, Answer, Gap, Pattern, Places, Profile, Rules, regenerable_folders};
