//! Opens and closes sessions. Every function here may block on the disk.

use hooks_core::HookContext;
use hooks_core::event::{EndReason, SessionEnd};
use hooks_core::time::Timestamp;
use hooks_team::folder::TeamPath;
use hooks_team::{Name, Team, TeamError};
use serde::de::DeserializeOwned;

use super::archive::archive_histories;
use super::record::{Ended, Opened, ended_folder, open_folder};
use super::{SessionEndSettings, SessionMetrics};

/// A session that another process left.
pub(super) struct LeftOver {
    pub(super) ended: Ended,
    /// Whether its process was killed before the end.
    is_killed: bool,
}

/// Opens and closes the sessions of one team.
pub(super) struct Closing<'a> {
    pub(super) team: &'a Team,
    pub(super) settings: &'a SessionEndSettings,
}

impl Closing<'_> {
    /// Records the start of a session.
    pub(super) fn open(&self, context: &HookContext, now: Timestamp) -> Result<(), TeamError> {
        let opened = Opened::new(context, now);
        let place = opened.place()?;
        // A resumed session keeps the record of its start.
        if self.team.folder().read(&place)?.is_none() {
            let bytes = serde_json::to_vec(&opened).unwrap_or_default();
            let writer = self.team.writer()?;
            writer.publish(&place, &bytes)?;
            // Removes temporary files of processes that were killed.
            for folder in [open_folder()?, ended_folder()?] {
                writer.sweep(&folder)?;
            }
        }
        Ok(())
    }

    /// Returns the record of the session's start, if there is one.
    pub(super) fn opened(&self, context: &HookContext) -> Result<Option<Opened>, TeamError> {
        self.read(&Opened::new(context, context.timestamp).place()?)
    }

    /// Records the end of a session. Returns whether the session still has to be closed.
    pub(super) fn write_down(&self, ended: &Ended) -> Result<bool, TeamError> {
        if self.is_put_away(ended)? {
            return self.forget(ended).map(|()| false);
        }
        let bytes = serde_json::to_vec(ended).unwrap_or_default();
        self.team.writer()?.publish(&ended.place()?, &bytes).map(|_| true)
    }

    /// Closes a session whose end is recorded, with the work that is still open.
    pub(super) fn finish(&self, ended: &Ended) -> Result<(), TeamError> {
        if ended.work.is_some() || ended.is_counted {
            let bytes = serde_json::to_vec(ended).unwrap_or_default();
            self.team.writer()?.update(&ended.place()?, |_| Ok(bytes.clone()))?;
        }
        self.put_away(ended, false)
    }

    /// Records the ends of sessions whose process was killed. Returns them, and all others that were not closed.
    pub(super) fn left_over(
        &self,
        context: &HookContext,
        now: Timestamp,
    ) -> Result<Vec<LeftOver>, TeamError> {
        let ended = self.all::<Ended>(&ended_folder()?)?;
        let mut all: Vec<_> = ended.into_iter().map(|ended| LeftOver { ended, is_killed: false }).collect();
        for opened in self.all::<Opened>(&open_folder()?)? {
            let is_old = now.since(opened.since) >= self.settings.abandoned_after;
            let is_this = opened.session == context.session_id && opened.tenant == context.tenant;
            if !is_old || is_this {
                continue;
            }
            let mut end = SessionEnd::default();
            end.reason = EndReason::Abort;
            end.error = Some("its process ended without a word".to_owned());
            let mut theirs = HookContext::new(opened.session.clone(), opened.agent.clone());
            theirs.tenant = opened.tenant.clone();
            let ended = Ended::new(&theirs, Some(&opened), end, now, super::Counts::default());
            let is_listed = all.iter().any(|other| other.ended.key == ended.key);
            if !is_listed && self.write_down(&ended)? {
                all.push(LeftOver { ended, is_killed: true });
            }
        }
        Ok(all)
    }

    /// Closes sessions that other processes left.
    pub(super) fn finish_others(&self, others: &[LeftOver]) -> Result<(), TeamError> {
        for LeftOver { ended, is_killed } in others {
            match is_killed {
                true => self.finish(ended)?,
                false => self.put_away(ended, true)?,
            }
        }
        if others.iter().any(|other| !other.is_killed) {
            self.team.recover()?;
        }
        Ok(())
    }

    /// Does the steps at the end of a session. Every step can be repeated, also by several processes at once.
    fn put_away(&self, ended: &Ended, is_left_over: bool) -> Result<(), TeamError> {
        archive_histories(self.team, self.settings, is_left_over)?;
        let metrics = SessionMetrics::from_ended(ended);
        if let Some(work) = &ended.work {
            let open = work.items.join("; ");
            let known = self.team.now()?;
            let says = |key: &str, value: &str| known.get(key).unwrap_or_default() == value;
            if !(says("open_work", &open) && says("open_work_from", &work.source)) {
                self.team.set_now(&[("open_work", &open), ("open_work_from", &work.source)])?;
            }
        }
        if self.settings.recap {
            let work = ended.work.as_ref().map(|work| (&*work.source, &*work.items));
            self.publish(&ended.recap_place()?, metrics.recap(work).as_bytes())?;
        }
        // The metrics are written last: if the file exists, all other files exist.
        if self.settings.metrics {
            self.publish(&ended.metrics_place()?, &metrics.to_bytes())?;
        }
        self.forget(ended)
    }

    fn is_put_away(&self, ended: &Ended) -> Result<bool, TeamError> {
        self.team.folder().exists(&ended.metrics_place()?)
    }

    /// Removes the records of a session that has been closed.
    fn forget(&self, ended: &Ended) -> Result<(), TeamError> {
        let writer = self.team.writer()?;
        let opened = ended.opened_place()?;
        if let Some(bytes) = self.team.folder().read(&opened)?
            && serde_json::from_slice::<Opened>(&bytes).map_or(true, |known| Some(known.since) == ended.since)
        {
            writer.remove(&opened, &bytes)?;
        }
        let place = ended.place()?;
        if let Some(bytes) = self.team.folder().read(&place)? {
            writer.remove(&place, &bytes)?;
        }
        Ok(())
    }

    fn publish(&self, place: &TeamPath, bytes: &[u8]) -> Result<(), TeamError> {
        if self.team.folder().exists(place)? {
            return Ok(());
        }
        self.team.writer()?.publish(place, bytes).map(drop)
    }

    /// Reads all records in a folder. Records that cannot be parsed are skipped: records are written
    /// atomically, so these are not ours.
    fn all<T: DeserializeOwned>(&self, folder: &TeamPath) -> Result<Vec<T>, TeamError> {
        let mut found = Vec::new();
        for file in self.team.folder().list(folder)? {
            if let Ok(name) = Name::new(file) {
                found.extend(self.read(&folder.join(&name))?);
            }
        }
        Ok(found)
    }

    fn read<T: DeserializeOwned>(&self, place: &TeamPath) -> Result<Option<T>, TeamError> {
        let bytes = self.team.folder().read(place)?;
        Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
    }
}
