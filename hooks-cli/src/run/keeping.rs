//! Maintains the files of the log at the end of a session, so that no tool call waits for it.

use std::sync::Arc;
use std::time::Duration;

use hooks::audit::append::AppendSettings;
use hooks::audit::keep::Keeper;
use hooks::config::Config;
use hooks::time::Clock;
use hooks::{PrivateFileSystem, SystemClock};

use super::Notes;

/// Time limit for starting another file. The remaining files wait for the end of the next session, or for
/// `hooks audit maintain`.
const MOMENT: Duration = Duration::from_millis(500);

/// The keeper of the files of the log of `config`.
pub(super) fn keeper(config: &Config) -> Option<Keeper> {
    let (folder, keeping) = (config.audit_folder()?, config.audit()?.keeping());
    Some(Keeper::new(Arc::new(PrivateFileSystem), folder, Arc::new(SystemClock), keeping))
}

/// Compresses and deletes files, as far as there is time. A failure is noted, and does not delay the end of
/// the session.
pub(super) fn keep(keeper: &Keeper, notes: &Notes) {
    let start = SystemClock.tick();
    let goes_on = || SystemClock.tick().since(start) < MOMENT;
    // Maintenance writes no payloads, so it needs no salt.
    if let Err(error) = keeper.all(&AppendSettings::new([0; 32]), &goes_on) {
        notes.failed(&format!("the audit log cannot be kept as it is to be: {error}"));
    }
}
