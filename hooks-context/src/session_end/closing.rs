//! Begins sessions and puts them away. Everything here may wait for the disk.

use hooks_core::HookContext;
use hooks_core::event::{EndReason, SessionEnd};
use hooks_core::time::Timestamp;
use hooks_team::folder::Place;
use hooks_team::{Name, Team, TeamError};
use serde::de::DeserializeOwned;

use super::archive::archive_histories;
use super::record::{Ended, Opened, ended_folder, open_folder};
use super::{Metrics, SessionEndSettings};

/// What ends sessions of one team.
pub(super) struct Closing<'a> {
    pub(super) team: &'a Team,
    pub(super) settings: &'a SessionEndSettings,
}

impl Closing<'_> {
    /// A session begins: first what others left is put in order.
    pub(super) fn begin(&self, context: &HookContext, now: Timestamp) -> Result<(), TeamError> {
        let recovered = self.finish_others(context, now);
        let opened = Opened::new(context, now);
        let place = opened.place()?;
        // One that is resumed goes on; it has begun when it began.
        if self.team.folder().read(&place)?.is_none() {
            let bytes = serde_json::to_vec(&opened).unwrap_or_default();
            let writer = self.team.writer()?;
            writer.publish(&place, &bytes)?;
            // What killed processes were writing.
            for folder in [open_folder()?, ended_folder()?] {
                writer.sweep(&folder)?;
            }
        }
        recovered
    }

    /// The session that begins here or ended here, where somebody saw it begin.
    pub(super) fn opened(&self, context: &HookContext) -> Result<Option<Opened>, TeamError> {
        self.read(&Opened::new(context, context.timestamp).place()?)
    }

    /// A session is over: that is written down. Tells whether it is still to be put away.
    pub(super) fn write_down(&self, ended: &Ended) -> Result<bool, TeamError> {
        if self.is_put_away(ended)? {
            return self.forget(ended).map(|()| false);
        }
        let bytes = serde_json::to_vec(ended).unwrap_or_default();
        self.team.writer()?.publish(&ended.place()?, &bytes).map(|_| true)
    }

    /// Puts a session away whose end is written down, with what is open by now.
    pub(super) fn finish(&self, ended: &Ended) -> Result<(), TeamError> {
        if ended.work.is_some() {
            let bytes = serde_json::to_vec(ended).unwrap_or_default();
            self.team.writer()?.update(&ended.place()?, |_| Ok(bytes.clone()))?;
        }
        self.put_away(ended, false)
    }

    /// Puts away sessions that are over and that nobody will put away any more.
    fn finish_others(&self, context: &HookContext, now: Timestamp) -> Result<(), TeamError> {
        let left_over = self.all::<Ended>(&ended_folder()?)?;
        for ended in &left_over {
            self.put_away(ended, true)?;
        }
        if !left_over.is_empty() {
            self.team.recover()?;
        }
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
            if self.write_down(&ended)? {
                self.finish(&ended)?;
            }
        }
        Ok(())
    }

    /// Every step can be made twice, by several at once.
    fn put_away(&self, ended: &Ended, is_left_over: bool) -> Result<(), TeamError> {
        archive_histories(self.team, self.settings, is_left_over)?;
        let metrics = Metrics::of(ended);
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
        // The last of the files: where it stands, the others do.
        if self.settings.metrics {
            self.publish(&ended.metrics_place()?, &metrics.to_bytes())?;
        }
        self.forget(ended)
    }

    fn is_put_away(&self, ended: &Ended) -> Result<bool, TeamError> {
        self.team.folder().exists(&ended.metrics_place()?)
    }

    /// Nothing is left to do for a session: nothing is said of it any more.
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

    fn publish(&self, place: &Place, bytes: &[u8]) -> Result<(), TeamError> {
        if self.team.folder().exists(place)? {
            return Ok(());
        }
        self.team.writer()?.publish(place, bytes).map(drop)
    }

    /// What is written down in a folder. What cannot be read is nobody's: writing is whole or not at all.
    fn all<T: DeserializeOwned>(&self, folder: &Place) -> Result<Vec<T>, TeamError> {
        let mut found = Vec::new();
        for file in self.team.folder().list(folder)? {
            if let Ok(name) = Name::new(file) {
                found.extend(self.read(&folder.join(&name))?);
            }
        }
        Ok(found)
    }

    fn read<T: DeserializeOwned>(&self, place: &Place) -> Result<Option<T>, TeamError> {
        let bytes = self.team.folder().read(place)?;
        Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
    }
}
