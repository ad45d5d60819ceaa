//! Context that a session, a turn or a child begins with: history, decisions, skills, focus, and other
//! sources that the host adds. No prompt has to ask an agent to read them.
//!
//! | event | what is added |
//! | --- | --- |
//! | `session_start` | all entries, for the session; on a resume, only new entries |
//! | `turn_start` | new entries, for the session |
//! | `subagent_start` | all entries for the child, within its own budget, the most relevant for its task first |
//!
//! All sources are loaded at once, at the same time as the inner hook runs. A source that is not ready at the
//! deadline is left out. The text for the model, the outcome for the host, and the failure sink of the
//! environment report it.
//!
//! The layer never decides and never fails: the answer of the inner hook stands. Put it outermost, so that no
//! other hook has to wait for it to finish.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_context::auto::AutoContext;
//! use hooks_context::source::{FileSource, Here, team};
//! use hooks_core::fs::Disk;
//! use hooks_core::time::Timer;
//! use hooks_core::{Environment, Hooks};
//! use hooks_team::Team;
//!
//! # fn hooks(disk: Arc<dyn Disk>, timer: Arc<dyn Timer>, environment: &Environment) -> Hooks {
//! let team = Team::new(Arc::clone(&disk), "/srv/shop/.squad", environment);
//! let context = AutoContext::new(timer)
//!     .with_team(team, Here, team::Limits::default())
//!     .with_source(2, FileSource::new(disk, Here, "CONTRIBUTING.md"));
//! context.add_to(Hooks::builder()).build()
//! # }
//! ```
//!
//! By default, a session begins with the decisions of the team:
//!
//! ```
//! use std::sync::Arc;
//! use hooks_context::TeamPlace;
//! use hooks_context::auto::AutoContext;
//! use hooks_context::source::{Here, team};
//! use hooks_core::event::SessionStart;
//! use hooks_core::testing::{FakeDisk, VirtualTime};
//! use hooks_core::{HookContext, Hooks};
//!
//! let decisions = "# Decisions\n\n### 2026-01-02: Use Postgres\n**By:** Lead\n";
//! let disk = Arc::new(FakeDisk::default().with_file("/repo/.squad/decisions.md", decisions));
//! let time = VirtualTime::default();
//! let context = AutoContext::new(Arc::new(time.clone()))
//!     .with_team(TeamPlace::below(disk, ".squad"), Here, team::Limits::default());
//! let hooks = context.add_to(Hooks::builder()).build();
//!
//! # time.block_on(async {
//! let agent = HookContext::new("session-1", "backend").in_dir("/repo");
//! let begun = hooks.on(agent).session_start(SessionStart::default()).await;
//! assert_eq!(
//!     begun.additional_context[0].text,
//!     "This was read for you. There is no need to read these files again.\n\n## Decisions \
//!      in force\n\n### 2026-01-02: Use Postgres\n**By:** Lead",
//! );
//! # }).expect("the disk answers at once");
//! ```
//!
//! Customised: sources of the host and a shorter deadline. A source that is late is left out, and a line for the
//! model names it.
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//! use hooks_context::auto::{AutoContext, AutoSettings};
//! use hooks_context::source::{Ask, FileSource, Here, Moment, Section, ServiceSource};
//! use hooks_core::event::StartSource;
//! use hooks_core::testing::{FakeDisk, VirtualTime};
//! use hooks_core::time::Clock;
//! use hooks_core::{BoxError, HookContext};
//! use tower::service_fn;
//!
//! let disk = Arc::new(FakeDisk::default().with_file("/repo/CONTRIBUTING.md", "Write tests.\n"));
//! let time = VirtualTime::default();
//! let issues = service_fn(async |_: Arc<Ask>| std::future::pending::<Result<Section, BoxError>>().await);
//! let mut settings = AutoSettings::default();
//! settings.deadline = Duration::from_millis(100);
//! let context = AutoContext::new(Arc::new(time.clone()))
//!     .with_source(2, FileSource::new(disk, Here, "CONTRIBUTING.md"))
//!     .with_source(1, ServiceSource::new("issues", issues))
//!     .within(settings);
//!
//! # time.block_on(async {
//! let agent = Arc::new(HookContext::new("session-1", "backend").in_dir("/repo"));
//! let given = context.gather(Ask::new(agent, "backend", Moment::Session(StartSource::Startup))).await;
//! assert!(given.notes[0].text.ends_with("## CONTRIBUTING.md\n\nWrite tests."));
//! assert_eq!(given.notes[1].text, "[left out: issues, not read in time]");
//! assert_eq!(given.failures[0].message, "`issues` was not read in time; it was left out");
//! assert_eq!(time.tick().0, Duration::from_millis(100));
//! # }).expect("it waits for the timer only");
//! ```

mod gather;
mod occasion;
mod sent;
mod settings;

#[cfg(test)]
mod tests;

pub use self::gather::Gathered;
pub use self::occasion::Occasion;
pub use self::settings::{AutoContext, AutoSettings};

/// Adds context to the answer of the inner hook, at the same time as that runs.
pub type AutoContextLayer = hooks_core::beside::BesideLayer<AutoContext>;
