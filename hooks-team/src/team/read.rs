//! Reads the files of a team folder.

use super::{Team, layout};
use crate::error::TeamError;
use crate::files::{Ceremonies, Charter, Decisions, History, InboxFile, Now, Roster, Routing, Skill, Wisdom};
use crate::folder::{Folder, TeamPath};
use crate::moves::{self, is_markdown};
use crate::name::{Name, slug};
use crate::text::Document;

/// Everything that a session needs of a team, read at once. A missing file counts as empty.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Snapshot {
    /// `team.md`.
    pub roster: Roster,
    /// `routing.md`.
    pub routing: Routing,
    /// `ceremonies.md`.
    pub ceremonies: Ceremonies,
    /// `decisions.md`.
    pub decisions: Decisions,
    /// Files of the inbox, by name.
    pub inbox: Vec<InboxFile>,
    /// Agents that have a folder, by name. Retired ones are left out.
    pub agents: Vec<Agent>,
    /// Skills, the first of each name.
    pub skills: Vec<Skill>,
    /// `identity/now.md`.
    pub now: Now,
    /// `identity/wisdom.md`.
    pub wisdom: Wisdom,
    /// Errors of files that could not be read. All other files are there.
    pub problems: Vec<String>,
}

/// An agent's folder.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Agent {
    /// Name of the folder.
    pub folder: String,
    /// Charter of the agent.
    pub charter: Charter,
    /// History of the agent.
    pub history: History,
}

impl Team {
    /// Reads everything that a session needs. A file that cannot be read is reported in the snapshot, and
    /// does not keep the others from being read.
    pub fn read(&self) -> Snapshot {
        let mut problems = Vec::new();
        let snapshot = Snapshot {
            roster: told(self.roster(), &mut problems),
            routing: told(self.routing(), &mut problems),
            ceremonies: told(self.ceremonies(), &mut problems),
            decisions: told(self.decisions(), &mut problems),
            inbox: self.each(&layout::inbox(), &mut problems, |place, name| {
                is_markdown(name).then(|| self.inbox_file(place, name.to_owned())).transpose()
            }),
            agents: self.each(&layout::agents(), &mut problems, |place, name| {
                if name.starts_with('_') || !self.is_folder(place) {
                    return Ok(None);
                }
                let charter = Charter::new(self.document(&place.listed("charter.md"))?);
                let history = History::new(self.document(&place.listed("history.md"))?);
                Ok(Some(Agent { folder: name.to_owned(), charter, history }))
            }),
            skills: self.skills_telling(&mut problems),
            now: told(self.now(), &mut problems),
            wisdom: told(self.wisdom(), &mut problems),
            problems: Vec::new(),
        };
        Snapshot { problems, ..snapshot }
    }

    /// Reads `team.md`.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn roster(&self) -> Result<Roster, TeamError> {
        self.document(&layout::roster()).map(Roster::new)
    }

    /// Reads `routing.md`.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn routing(&self) -> Result<Routing, TeamError> {
        self.document(&layout::routing()).map(Routing::new)
    }

    /// Reads `ceremonies.md`.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn ceremonies(&self) -> Result<Ceremonies, TeamError> {
        self.document(&layout::ceremonies()).map(Ceremonies::new)
    }

    /// Reads `decisions.md`.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn decisions(&self) -> Result<Decisions, TeamError> {
        self.document(&layout::decisions()).map(Decisions::new)
    }

    /// Reads `decisions-archive.md`.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn decisions_archive(&self) -> Result<Decisions, TeamError> {
        self.document(&layout::decisions_archive()).map(Decisions::new)
    }

    /// Reads the files of the inbox, by name. Entries that are not the text of a decision are left out:
    /// links, folders, unreadable files, files that are not UTF-8, and files above 4 MiB.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be read, or the disk fails.
    pub fn inbox(&self) -> Result<Vec<InboxFile>, TeamError> {
        self.inbox_telling(&mut Vec::new())
    }

    /// Reads the files of the inbox, and adds the reason for each one that is left out to `problems`.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be read, or the disk fails.
    pub fn inbox_telling(&self, problems: &mut Vec<TeamError>) -> Result<Vec<InboxFile>, TeamError> {
        let place = layout::inbox();
        let mut files = Vec::new();
        for name in self.folder.list(&place)?.into_iter().filter(|name| is_markdown(name)) {
            let place = place.listed(&name);
            match self.inbox_file(&place, name) {
                // A file that is not UTF-8 could not be merged unchanged.
                Ok(file) if std::str::from_utf8(file.document().bytes()).is_err() => {
                    problems.push(TeamError::NotText { place: place.to_string() });
                }
                Ok(file) => files.push(file),
                Err(error) if error.is_in_the_way() => problems.push(error),
                Err(error) => return Err(error),
            }
        }
        Ok(files)
    }

    fn inbox_file(&self, place: &TeamPath, name: String) -> Result<InboxFile, TeamError> {
        let bytes = self.folder.read_up_to(place, moves::MOST as u64)?.unwrap_or_default();
        Ok(InboxFile::new(name, Document::parse(bytes)))
    }

    /// Reads an agent's charter.
    ///
    /// # Errors
    /// Returns an error if there is no such agent, or the file cannot be read.
    pub fn charter(&self, agent: &str) -> Result<Charter, TeamError> {
        self.document(&layout::charter(&self.agent(agent)?)).map(Charter::new)
    }

    /// Reads an agent's history.
    ///
    /// # Errors
    /// Returns an error if there is no such agent, or the file cannot be read.
    pub fn history(&self, agent: &str) -> Result<History, TeamError> {
        self.document(&self.history_place(agent)?).map(History::new)
    }

    /// Reads the archive of an agent's history.
    ///
    /// # Errors
    /// Returns an error if there is no such agent, or the file cannot be read.
    pub fn history_archive(&self, agent: &str) -> Result<History, TeamError> {
        self.document(&layout::history_archive(&self.agent(agent)?)).map(History::new)
    }

    /// Reads `identity/now.md`.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn now(&self) -> Result<Now, TeamError> {
        self.document(&layout::now()).map(Now::new)
    }

    /// Reads `identity/wisdom.md`.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn wisdom(&self) -> Result<Wisdom, TeamError> {
        self.document(&layout::wisdom()).map(Wisdom::new)
    }

    /// Reads the skill in the folder `name`: the first one found, with the project's folders before the
    /// team's.
    ///
    /// # Errors
    /// Returns `Missing` if there is no such skill; `Name` if the name is invalid; or an error if the file
    /// cannot be read.
    pub fn skill(&self, name: &str) -> Result<Skill, TeamError> {
        let folder = skill_name(name)?;
        for (within, place) in self.skill_folders() {
            if let Some(bytes) = within.read(&place.join(&folder).listed("SKILL.md"))? {
                return Ok(Skill::new(folder.as_str(), Document::parse(bytes)));
            }
        }
        let way_out = "list the folders below `.squad/skills` and `.github/skills`, or write it first";
        Err(TeamError::Missing { what: "skill", name: name.to_owned(), way_out })
    }

    /// Reads all skills, the first of each name.
    pub fn skills(&self) -> Vec<Skill> {
        self.skills_telling(&mut Vec::new())
    }

    /// Returns the names of the files in `log/`, the oldest first.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be read.
    pub fn session_logs(&self) -> Result<Vec<String>, TeamError> {
        self.folder.list(&layout::session_log())
    }

    /// Returns the names of the files in `orchestration-log/`, the oldest first.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be read.
    pub fn spawn_logs(&self) -> Result<Vec<String>, TeamError> {
        self.folder.list(&layout::spawn_log())
    }

    /// Reads the template called `name`.
    ///
    /// # Errors
    /// Returns an error if the name is invalid, or the file cannot be read.
    pub fn template(&self, name: &str) -> Result<Option<Document>, TeamError> {
        let file = Name::new(name).map_err(|reason| TeamError::name(name, reason))?;
        Ok(self.folder.read(&layout::templates().join(&file))?.map(Document::parse))
    }

    /// Returns the folder of the agent `name`, in any spelling.
    ///
    /// # Errors
    /// Returns `Name` if the name is invalid; `Missing` if no agent has it.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_core::Environment;
    /// use hooks_core::testing::FakeDisk;
    /// use hooks_team::Team;
    ///
    /// let disk = FakeDisk::default().with_file("/repo/.squad/agents/fact-checker/charter.md", "# Fact Checker\n");
    /// let team = Team::new(Arc::new(disk), "/repo/.squad", &Environment::detached());
    /// assert_eq!(team.agent("Fact Checker")?.as_str(), "fact-checker");
    /// assert!(team.agent("Nobody").is_err());
    /// # Ok::<(), hooks_team::TeamError>(())
    /// ```
    pub fn agent(&self, name: &str) -> Result<Name, TeamError> {
        let agent = Name::of_agent(name).map_err(|reason| TeamError::name(name, reason))?;
        let agents = layout::agents();
        if self.is_folder(&agents.join(&agent)) {
            return Ok(agent);
        }
        if let Some(folder) = self.roster()?.member(name).and_then(crate::files::Member::agent)
            && self.is_folder(&agents.join(&folder))
        {
            return Ok(folder);
        }
        // A folder may have a name in another spelling than ours.
        let folders = self.folder.list(&agents)?;
        let found = folders.into_iter().find(|folder| slug(folder, usize::MAX) == agent.as_str());
        found.and_then(|folder| Name::new(folder).ok()).ok_or_else(|| TeamError::Missing {
            what: "agent",
            name: name.to_owned(),
            way_out: "give a name of `team.md` that has a folder below `agents`",
        })
    }

    /// Reads the file at `place`; a missing file counts as empty.
    pub(super) fn document(&self, place: &TeamPath) -> Result<Document, TeamError> {
        Ok(Document::parse(self.folder.read(place)?.unwrap_or_default()))
    }

    /// Returns the folders with skills, in reading order.
    pub(super) fn skill_folders(&self) -> impl Iterator<Item = (&Folder, TeamPath)> {
        let project =
            self.project.iter().flat_map(|project| layout::project_skills().map(|place| (project, place)));
        project.chain([(&self.folder, layout::skills())])
    }

    fn is_folder(&self, place: &TeamPath) -> bool {
        self.folder.is_folder(place)
    }

    fn skills_telling(&self, problems: &mut Vec<String>) -> Vec<Skill> {
        let mut skills: Vec<Skill> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for (within, place) in self.skill_folders() {
            for name in told(within.list(&place), problems) {
                if let Some(bytes) = told(within.read(&place.listed(&name).listed("SKILL.md")), problems)
                    && seen.insert(name.clone())
                {
                    skills.push(Skill::new(name, Document::parse(bytes)));
                }
            }
        }
        skills
    }

    /// Calls `read` for each name in the folder at `place`.
    fn each<T>(
        &self,
        place: &TeamPath,
        problems: &mut Vec<String>,
        read: impl Fn(&TeamPath, &str) -> Result<Option<T>, TeamError>,
    ) -> Vec<T> {
        let names = told(self.folder.list(place), problems);
        names.iter().filter_map(|name| told(read(&place.listed(name), name), problems)).collect()
    }
}

/// Returns the folder name of the skill `name`.
pub(super) fn skill_name(name: &str) -> Result<Name, TeamError> {
    Name::of_agent(name).map_err(|reason| TeamError::name(name, reason))
}

/// Returns the value; an error is added to `problems`, and the default is returned.
fn told<T: Default>(read: Result<T, TeamError>, problems: &mut Vec<String>) -> T {
    read.unwrap_or_else(|error| {
        problems.push(error.to_string());
        T::default()
    })
}
