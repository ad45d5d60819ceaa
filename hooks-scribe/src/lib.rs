//! Keeps a team's folder in order while agents write there. In Squad a silent agent does this; here code
//! does.
//!
//! | action of an agent | result | time |
//! | --- | --- | --- |
//! | writes below the team's folder | a line in the session's file in `log/` | noted before and after the tool runs |
//! | leaves a decision in the inbox | an entry of `decisions.md`, once | once the file is complete |
//! | is about to start a child | a file in `orchestration-log/` | before the child starts |
//! | its child or its session ends | a line in `log/` | at that event |
//! | makes `decisions.md` exceed a threshold | old entries go to `decisions-archive.md` | after each merge |
//!
//! Nothing is lost and nothing is done twice, because every step is a file first. A note is left in a queue
//! ([`hooks_team::folder::Spool`]) without waiting for other processes. Later, this process or another one
//! reads the queue and the inbox and moves their entries ([`hooks_team::Team::unload`],
//! [`hooks_team::Team::merge_inbox_of`]). A move is recorded before it begins, and finished by the next
//! process that takes the folder's lock. So a process may be killed between any two writes: each entry is in
//! exactly one place afterwards.
//!
//! An agent only waits for one small file before and after a call that writes to the team's folder. The work
//! itself runs in the background, once for all notes left meanwhile. A process without a background, or one
//! that ends after its answer, works [at once](Scribe::at_once).
//!
//! Other programs write to the folder too. A note in an unknown format is set aside, a move of another
//! program is not executed, and a file that is not a decision stays in its place. Each case is reported once
//! and stops nothing else.
//!
//! The Scribe never decides and never fails a call. Errors go to the failure sink, and the next run repeats
//! the failed work. The Scribe records agent, file and tool of each write, but no content. `hooks-context`
//! archives long histories at the end of sessions.
//!
//! [`ScribeLayer`] goes on `session_start`, `tool_decided`, `post_tool_use` and `session_end`. The Scribe
//! itself is a [`Reserve`](hooks_core::Reserve) on `pre_tool_use`, `subagent_start` and `subagent_stop`,
//! which runs last, when no other hook can deny the event. [`Scribe::add_to`] adds it to all of them.
//!
//! The default: an agent leaves a decision in the inbox, and the Scribe merges it.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_core::beside::Here;
//! use hooks_core::testing::{FakeDisk, FakeFileSystem, world};
//! use hooks_core::HookContext;
//! use hooks_scribe::Scribe;
//! use hooks_team::Team;
//! # use std::path::Path;
//! # use std::time::Duration;
//!
//! let disk = FakeDisk::default()
//!     .with_file("/p/.squad/decisions/inbox/backend-db.md", "### Use SQLite\n\n**By:** Backend\n");
//! let (mut environment, clock, _) = world(FakeFileSystem::default());
//! environment.files = Arc::new(disk.clone());
//! let team = Team::new(Arc::new(disk.clone()), "/p/.squad", &environment);
//! let context = HookContext::new("session-1", "Backend").in_dir("/p").with_environment(environment);
//!
//! let scribe = Scribe::at_once(team, Here);
//! // No call is known to have written the file, so it has to be unchanged for a while.
//! assert!(scribe.work(&context)?);
//! clock.advance(Duration::from_secs(10));
//! assert!(!scribe.work(&context)?);
//! let files = disk.files();
//! assert!(!files.contains_key(Path::new("/p/.squad/decisions/inbox/backend-db.md")));
//! let decisions = String::from_utf8_lossy(&files[Path::new("/p/.squad/decisions.md")]);
//! assert!(decisions.contains("Use SQLite"));
//! # Ok::<(), hooks_core::BoxError>(())
//! ```
//!
//! Customised: after a merge, decisions older than a week are archived, however short the file is.
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//! use hooks_core::HookContext;
//! use hooks_core::beside::Here;
//! use hooks_core::testing::{FakeDisk, FakeFileSystem, world};
//! use hooks_core::time::Timestamp;
//! use hooks_scribe::{Scribe, ScribeSettings};
//! use hooks_team::Team;
//! # use std::path::Path;
//!
//! let disk = FakeDisk::default()
//!     .with_file("/p/.squad/decisions.md", "# Decisions\n\n### 2026-01-05: Use Redis\n**By:** Lead\n")
//!     .with_file("/p/.squad/decisions/inbox/lead-db.md", "### 2026-01-31: Use SQLite\n**By:** Lead\n");
//! let (mut environment, clock, _) = world(FakeFileSystem::default());
//! clock.set(Timestamp(1_769_852_000_000)); // 31 January 2026
//! # environment.files = Arc::new(disk.clone());
//! let team = Team::new(Arc::new(disk.clone()), "/p/.squad", &environment);
//! let context = HookContext::new("session-1", "Lead").in_dir("/p").with_environment(environment);
//!
//! let mut settings = ScribeSettings::default();
//! (settings.decisions_above, settings.older_than) = (1, Duration::from_secs(7 * 86_400));
//! settings.settle = Duration::ZERO;
//! Scribe::at_once(team, Here).with(settings).work(&context)?;
//! let files = disk.files();
//! let text = |name: &str| String::from_utf8_lossy(&files[&Path::new("/p/.squad").join(name)]).into_owned();
//! assert!(text("decisions.md").contains("Use SQLite") && !text("decisions.md").contains("Use Redis"));
//! assert!(text("decisions-archive.md").contains("Use Redis"));
//! # Ok::<(), hooks_core::BoxError>(())
//! ```

mod archive;
mod begun;
mod call;
mod config;
mod inbox;
mod log;
mod note;
pub mod notice;
mod open;
mod problems;
mod settings;
mod spawn;
pub mod touched;
mod witness;
mod work;

#[cfg(test)]
mod tests;

pub use self::config::ScribeConfig;
pub use self::settings::{Scribe, ScribeSettings};
/// Makes a [`Scribe`] note the events of an inner hook while that runs. The answer waits until the note is on
/// disk, so that every event has a note; it does not wait for the work that follows from the note.
pub type ScribeLayer = hooks_core::beside::BesideLayer<Scribe>;
