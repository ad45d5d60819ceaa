//! A configuration that follows its files while a host runs.
//!
//! [`LiveConfig`] holds the rules that are in force. A check looks at every file that they were read from
//! (`files`). If one changed, and looks the same at the next check, the configuration is read and compiled beside the
//! calls. It replaces the old one as a whole. Calls in flight finish under the rules that they began with.
//!
//! A configuration with mistakes replaces nothing. Neither does one that was cut off (`whole`), or one that changes a
//! section which a running host cannot change (`fixed`). It is reported once. The section `reload` defines whether calls
//! go on under the old rules or are denied (`broken`).
//!
//! Files are polled. Events of the file system would come sooner, but are lost on network file systems, in containers
//! and behind links, and need a platform's own code. A check costs a `stat` for each file.

mod broken;
mod config;
mod files;
mod fixed;
mod live;
mod watching;
mod whole;

#[cfg(test)]
mod tests;

pub(crate) use self::config::LEAST;
pub use self::config::{OnBadRules, ReloadConfig};
pub(crate) use self::files::ReadFile;
pub(crate) use self::fixed::{Earlier, Fixed};
pub use self::live::{LiveConfig, LiveReader, Reloaded};
pub use self::watching::Watching;

/// Key of the section.
pub(crate) const KEY: &str = "reload";
