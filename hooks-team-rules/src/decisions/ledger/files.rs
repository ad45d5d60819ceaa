//! Files with the decisions of a team.

use hooks_team::{Team, TeamError};

/// Files with the decisions of a team: the archive, `decisions.md` and the inbox.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DecisionFiles {
    /// Names relative to the team folder, and contents.
    pub(super) files: Vec<(String, Vec<u8>)>,
}

impl DecisionFiles {
    /// Returns the text of the file `name`; empty if it is missing.
    pub(in super::super) fn text(&self, name: &str) -> String {
        let bytes = self.files.iter().find(|(known, _)| known == name).map(|(_, bytes)| bytes.as_slice());
        String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned()
    }

    /// Sets the text of the file `name`.
    pub(in super::super) fn set(&mut self, name: &str, text: String) {
        let bytes = text.into_bytes();
        match self.files.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = bytes,
            None => self.files.push((name.to_owned(), bytes)),
        }
    }

    /// Reads the files of a team; the archive only if `archive` is set. A missing file has no decisions.
    ///
    /// # Errors
    /// Returns the error of the first file that cannot be read, which names it.
    pub fn read(team: &Team, archive: bool) -> Result<Self, TeamError> {
        let mut files = Vec::new();
        if archive {
            files.push((
                "decisions-archive.md".to_owned(),
                team.decisions_archive()?.document().bytes().to_vec(),
            ));
        }
        files.push(("decisions.md".to_owned(), team.decisions()?.document().bytes().to_vec()));
        let mut problems = Vec::new();
        for file in team.inbox_telling(&mut problems)? {
            files.push((format!("decisions/inbox/{}", file.name()), file.document().bytes().to_vec()));
        }
        problems.into_iter().next().map_or(Ok(Self { files }), Err)
    }
}
