//! Keeps a team's folder in order while agents write there: what Squad has a silent agent for, done by code.
//!
//! | what an agent did | what becomes of it | when |
//! | --- | --- | --- |
//! | wrote below the team's folder | a line in the session's file in `log/` | noted before the tool runs and after it |
//! | left a decision in the inbox | an entry of `decisions.md`, once | once nobody writes it any more |
//! | was about to start a child | a file in `orchestration-log/` | before the child exists |
//! | heard that a child ended, ended its session | a line in `log/` | then |
//! | `decisions.md` grew beyond a threshold | old entries go to `decisions-archive.md` | behind each merge |
//!
//! Nothing is lost and nothing is done twice, because everything is a file first. A note is left in a queue
//! ([`hooks_team::folder::Spool`]) without waiting for anybody; whoever works next, in this process or another one,
//! reads the queue and the inbox and moves what lies there ([`hooks_team::Team::unload`],
//! [`hooks_team::Team::merge_inbox_of`]). A move is written down before it begins and finished by whoever takes the
//! folder's lock next. So a process may be killed between any two writes: each entry is in exactly one place after
//! that.
//!
//! An agent waits for one small file before and after a call that writes to the team's folder, and for nothing else:
//! the work itself is done in the background, once for all that was noted in the meantime. A process without a
//! background, or one that ends with its answer, works [at once](Scribe::at_once).
//!
//! Others write in the folder too. A note that is none of ours is set aside, a move that is none of ours reaches no
//! file; what is no text of a decision stays where it is. All of that is told, once, and keeps nothing else.
//!
//! The Scribe never decides and never fails a call: what goes wrong is told to the failure sink, and done by the next
//! one who works. It records who wrote which file with which tool, no content. Histories that have grown are archived
//! where sessions end, by `hooks-context`.
//!
//! [`ScribeLayer`] goes on `session_start`, `tool_decided`, `post_tool_use` and `session_end`; the Scribe itself is a
//! [`Reserve`](hooks_core::Reserve) on `pre_tool_use`, `subagent_start` and `subagent_stop`, which is asked last, when it
//! is known that the tool runs, and that the child begins or ends. [`Scribe::add_to`] adds it to all of them.

mod archive;
mod begun;
mod call;
mod config;
mod inbox;
mod layer;
mod log;
mod note;
mod open;
mod problems;
mod service;
mod settings;
mod spawn;
mod witness;
mod work;

#[cfg(test)]
mod tests;

pub use self::config::ScribeConfig;
pub use self::layer::ScribeLayer;
pub(crate) use self::note::short;
pub use self::service::ScribeService;
pub use self::settings::{Scribe, ScribeSettings};
pub use self::witness::Witnessed;
