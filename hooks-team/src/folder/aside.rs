//! Set-aside files: files of others that were found where only this crate writes, kept for inspection.
//!
//! Each one is a file in the `.hooks` folder, with the reason on the first line and the original content
//! below. A file that cannot be read has no such line: it is moved as it is.

use super::{Folder, TeamPath, Writer, io_error};
use crate::error::TeamError;
use crate::text::{lossy, one_line};

/// Folder and name prefix of set-aside files.
const OWN: &str = ".hooks";
const BEGIN: &str = "aside-";

/// The longest reason, in characters.
const LONGEST: usize = 500;

impl Folder {
    /// Lists the set-aside files, by name.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be read.
    pub fn aside(&self) -> Result<Vec<TeamPath>, TeamError> {
        let own = TeamPath::known(OWN);
        let names = self.list(&own)?;
        Ok(names.iter().filter(|name| name.starts_with(BEGIN)).map(|name| own.listed(name)).collect())
    }

    /// Returns the reason why the file at `place` was set aside, on one line.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, which is then the reason why it was set aside.
    pub fn why_aside(&self, place: &TeamPath) -> Result<String, TeamError> {
        let content = self.read(place)?.unwrap_or_default();
        let first = content.split(|byte| *byte == b'\n').next().unwrap_or_default();
        Ok(reason(&lossy(first)))
    }
}

impl Writer<'_> {
    /// Writes `content` to a set-aside file with the reason `why`; `stem` names the kind of content.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn set_aside(&self, stem: &str, why: &str, content: &[u8]) -> Result<(), TeamError> {
        let text = [reason(why).as_bytes(), b"\n\n", content].concat();
        self.publish_new(&TeamPath::known(OWN), &format!("{BEGIN}{stem}"), &text).map(drop)
    }

    /// Sets aside an entry that cannot be read: a link, a folder, a file that is too large. It is moved
    /// without a reason.
    pub(crate) fn set_aside_unread(&self, place: &TeamPath, stem: &str) -> Result<(), TeamError> {
        let name = format!("{BEGIN}{stem}-{:016x}.md", self.folder().random.next_u64());
        let aside = TeamPath::known(OWN).listed(&name);
        let (from, to) = (self.folder().path(place), self.folder().path(&aside));
        self.folder().disk.rename(&from, &to).map_err(|error| io_error(place, error))?;
        self.settle(place)?;
        self.settle(&aside)
    }
}

fn reason(why: &str) -> String {
    one_line(why).chars().take(LONGEST).collect()
}
