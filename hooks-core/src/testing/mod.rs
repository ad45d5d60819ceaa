//! Tools for testing hooks: a fake environment, probes for layers, scripted tools and models, strategies for
//! every event, the laws that every policy must keep, and the test that every state store must pass.
//!
//! For our own tests and for those of our users; behind the feature `testing`.

mod disk;
mod files;
mod laws;
mod path_laws;
mod probe;
mod recorder;
mod scripted;
mod store;
mod strategies;
mod virtual_time;
mod world;

pub use self::disk::FakeDisk;
pub use self::files::FakeFileSystem;
pub use self::laws::{check_policy_laws, run_on_random_events};
pub use self::path_laws::{check_path_laws, paths_context};
pub use self::probe::{PendingOnce, Probe, ProbeLog};
pub use self::recorder::{Recorder, Seen};
pub use self::scripted::{ScriptedApprover, ScriptedModel, ScriptedTools};
pub use self::store::{HandClock, Message, agree, any_history, on_random_histories};
pub use self::strategies::{Arbitrary, any_context, any_event, json, text, tool_call};
pub use self::virtual_time::VirtualTime;
pub use self::world::{FailureLog, FakeClock, FakeTimer, world};
