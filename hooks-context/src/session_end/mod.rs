//! Archives, metrics and recaps at the end of a session, however it ended.
//!
//! | step | folder | if repeated |
//! | --- | --- | --- |
//! | archives long histories, and notes that in a line under their title | `agents/NAME/` | nothing is left to do |
//! | writes the metrics of the session | `metrics/` | the file exists |
//! | writes the recap of the session | `log/` | the file exists |
//! | writes the open work, from a source that the host provides | `identity/now.md` | the values are equal |
//!
//! The end of a session is recorded in a file before the first step, and the file is removed after the last.
//! If the process is killed in between, the next session's start does the remaining steps; every step can be
//! repeated. If a process is killed before its session ends, a later start ends that session, by default a
//! day after it began.
//!
//! Archiving is a move: first to the archive, then out of the history. If the process is killed in between,
//! the next one that takes the folder's lock finishes the move (see `hooks-team`). Every entry is in exactly
//! one of the two files.
//!
//! The layer goes on `session_start` and `session_end`. [`Workers`](crate::source::Workers) do its work while
//! the inner hook runs. It never fails a session: errors go to the failure sink.
//!
//! By default, a recap and the metrics of the session are written:
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//! use hooks_context::TeamPlace;
//! use hooks_context::session_end::SessionEnding;
//! use hooks_context::source::Here;
//! use hooks_core::event::{SessionEnd, SessionStart};
//! use hooks_core::testing::{FakeDisk, FakeFileSystem, world};
//! use hooks_core::{HookContext, Hooks};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let disk = Arc::new(FakeDisk::default().with_directory("/repo/.squad"));
//! let ending = SessionEnding::new(TeamPlace::below(disk.clone(), ".squad"), Here);
//! let hooks = ending.add_to(Hooks::builder()).build();
//!
//! let (environment, clock, _) = world(FakeFileSystem::default());
//! clock.set("2026-11-22T09:00:00Z".parse()?);
//! let context = || HookContext::new("session-1", "backend").in_dir("/repo").with_environment(environment.clone());
//! hooks.on(context()).session_start(SessionStart::default()).await;
//! clock.advance(Duration::from_secs(60));
//! let mut end = SessionEnd::default();
//! (end.tokens_used, end.tool_call_count) = (1_200, 3);
//! hooks.on(context()).session_end(end).await;
//!
//! let files = disk.files();
//! let written = |folder: &str| files.iter().find(|(path, _)| path.starts_with(folder)).map(|(_, bytes)| bytes);
//! let recap = String::from_utf8(written("/repo/.squad/log").cloned().unwrap_or_default())?;
//! assert!(recap.contains("- **Ended:** 2026-11-22T09:01:00.000Z (complete), after 60 s\n"));
//! assert!(recap.contains("- **Used:** 1200 tokens, 3 tool calls, $0.000000\n"));
//! assert!(written("/repo/.squad/metrics").is_some());
//! # Ok(())
//! # }
//! ```
//!
//! Customised: smaller histories, without a recap. The entry that does not fit moves to the archive.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_context::TeamPlace;
//! use hooks_context::session_end::{SessionEndSettings, SessionEnding};
//! use hooks_context::source::Here;
//! use hooks_core::event::SessionEnd;
//! use hooks_core::testing::FakeDisk;
//! use hooks_core::{HookContext, Hooks};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let history = "# Backend\n\n### 2026-01-05: The parser is slow\nIt reads each file twice.\n\n\
//!                ### 2026-01-06: Pools leak\nClose each connection.\n";
//! let disk = Arc::new(FakeDisk::default().with_file("/repo/.squad/agents/backend/history.md", history));
//! let mut settings = SessionEndSettings::default();
//! (settings.history_above, settings.keep, settings.recap) = (100, 1, false);
//! let ending = SessionEnding::new(TeamPlace::below(disk.clone(), ".squad"), Here).with(settings);
//! let hooks = ending.add_to(Hooks::builder()).build();
//! hooks.on(HookContext::new("session-1", "backend").in_dir("/repo")).session_end(SessionEnd::default()).await;
//!
//! let read = |name: &str| {
//!     let bytes = disk.files().remove(std::path::Path::new("/repo/.squad/agents/backend").join(name).as_path());
//!     String::from_utf8(bytes.unwrap_or_default())
//! };
//! let kept = read("history.md")?;
//! assert!(kept.contains("> Archived: 1 older entries, 2026-01-05 to 2026-01-05 are in `history-archive.md`"));
//! assert!(kept.contains("Pools leak") && !kept.contains("each file twice"));
//! assert!(read("history-archive.md")?.contains("It reads each file twice."));
//! # Ok(())
//! # }
//! ```

mod archive;
mod boundary;
mod closing;
mod kept_counts;
mod metrics;
mod record;
mod settings;
mod tally;

#[cfg(test)]
mod tests;

pub use self::metrics::SessionMetrics;
pub use self::settings::{OpenWork, SessionEndSettings, SessionEnding};
pub use self::tally::{Counts, SessionTally};

/// Closes sessions while the inner hook runs. The answer waits for the work, so a process that exits after it
/// has finished the work.
pub type SessionEndLayer = hooks_core::beside::BesideLayer<SessionEnding>;
