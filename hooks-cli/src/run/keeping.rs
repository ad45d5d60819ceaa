//! At the end of a session: a moment for the files of the log, which nobody waits for while tools are called.

use std::sync::Arc;
use std::time::Duration;

use hooks::audit::append::Settings;
use hooks::audit::keep::Keeper;
use hooks::config::Config;
use hooks::time::Clock;
use hooks::{PrivateFileSystem, SystemClock};

use super::Notes;

/// No file is begun with later; what is left waits for the end of the next session, or for `hooks audit maintain`.
const MOMENT: Duration = Duration::from_millis(500);

/// What keeps the files of the log of `config`.
pub(super) fn keeper(config: &Config) -> Option<Keeper> {
    let (folder, keeping) = (config.audit_folder()?, config.audit()?.keeping());
    Some(Keeper::new(Arc::new(PrivateFileSystem), folder, Arc::new(SystemClock), keeping))
}

/// Compresses and deletes, as far as there is time. What fails is noted: it keeps nobody from ending.
pub(super) fn keep(keeper: &Keeper, notes: &Notes) {
    let start = SystemClock.tick();
    let goes_on = || SystemClock.tick().since(start) < MOMENT;
    // It writes no payloads, so that there is nothing to salt.
    if let Err(error) = keeper.all(&Settings::new([0; 32]), &goes_on) {
        notes.failed(&format!("the audit log cannot be kept as it is to be: {error}"));
    }
}
