//! Ceremonies that are held now: the state that gates and prompts look at.

use hooks_core::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::Team;
use crate::error::TeamError;
use crate::folder::TeamPath;
use crate::name::Name;
use crate::text::one_line;

/// Limit on the ceremonies at the same time.
const MOST: usize = 64;

/// A ceremony that is held until a point in time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct HeldCeremony {
    /// Name of the ceremony.
    pub name: String,
    /// Agents that take part.
    pub participants: Participants,
    /// Begin of the ceremony.
    pub since: Timestamp,
    /// End of the time budget. The ceremony is over then, even if no caller ends it.
    pub until: Timestamp,
    /// Name of the person or host that started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Agents that take part in a ceremony.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Participants {
    /// All agents.
    #[default]
    All,
    /// Agents by name, in any spelling.
    Named(Vec<String>),
}

/// Content of the file.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Held {
    version: u32,
    ceremonies: Vec<HeldCeremony>,
}

impl HeldCeremony {
    /// A ceremony of these participants, from `since` to `until`.
    pub fn new(
        name: impl Into<String>,
        participants: Participants,
        since: Timestamp,
        until: Timestamp,
    ) -> Self {
        Self { name: name.into(), participants, since, until, by: None }
    }

    /// Sets the name of the person or host that starts it.
    #[must_use]
    pub fn by(mut self, by: impl Into<String>) -> Self {
        self.by = Some(by.into());
        self
    }

    /// Returns whether its time is over.
    pub fn is_over(&self, now: Timestamp) -> bool {
        now >= self.until
    }

    /// Returns whether it has this name, in any spelling.
    pub fn is_called(&self, name: &str) -> bool {
        is_same(&self.name, name)
    }
}

impl Participants {
    /// Reads the participants and the facilitator of a ceremony in `ceremonies.md`. Words such as `all-relevant`, and no
    /// words at all, mean all agents.
    ///
    /// ```
    /// use hooks_team::Participants;
    ///
    /// let named = Participants::parse("Backend, Fact Checker", "lead");
    /// assert!(named.have("fact-checker") && named.have("Lead") && !named.have("tester"));
    /// assert_eq!(Participants::parse("all-relevant", "lead"), Participants::All);
    /// assert!(named.have("")); // an agent without a name may be any of them
    /// ```
    pub fn parse(participants: &str, facilitator: &str) -> Self {
        let names = |text: &str| -> Vec<String> {
            let parts = text.split([',', ';', '+', '&']).flat_map(|part| part.split(" and "));
            parts.map(one_line).filter(|name| Name::of_agent(name).is_ok()).collect()
        };
        let mut named = names(participants);
        let is_all = |name: &String| {
            let name = name.to_lowercase();
            let first = name.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty());
            matches!(first, Some("all" | "everyone" | "everybody" | "team" | "any" | "whole"))
        };
        if named.is_empty() || named.iter().any(is_all) {
            return Self::All;
        }
        named.extend(names(facilitator));
        Self::Named(named)
    }

    /// Returns whether an agent takes part. An agent without a name may be any of them, so it does.
    pub fn have(&self, agent: &str) -> bool {
        match self {
            Self::All => true,
            Self::Named(names) => {
                Name::of_agent(agent).is_err() || names.iter().any(|name| is_same(name, agent))
            }
        }
    }
}

impl Team {
    /// Returns the ceremonies that were started and not ended, also those whose time is over.
    ///
    /// # Errors
    /// Returns `Invalid` if the file cannot be parsed, or an error if it cannot be read.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_core::Environment;
    /// use hooks_core::testing::FakeDisk;
    /// use hooks_core::time::Timestamp;
    /// use hooks_team::{HeldCeremony, Participants, Team};
    ///
    /// let disk = FakeDisk::default().with_directory("/p/.squad");
    /// let team = Team::new(Arc::new(disk), "/p/.squad", &Environment::detached());
    /// let review = HeldCeremony::new("Design Review", Participants::All, Timestamp(1_000), Timestamp(61_000));
    /// team.start_ceremony(&review)?;
    /// assert_eq!(team.held_ceremonies()?[0].name, "Design Review");
    /// assert!(team.held_ceremonies()?[0].is_over(Timestamp(61_000)));
    /// assert!(team.end_ceremony("design review")?);
    /// assert!(team.held_ceremonies()?.is_empty());
    /// # Ok::<(), hooks_team::TeamError>(())
    /// ```
    pub fn held_ceremonies(&self) -> Result<Vec<HeldCeremony>, TeamError> {
        parsed(self.folder.read(&place()?)?.as_deref()).map(|held| held.ceremonies)
    }

    /// Returns the ceremonies that are held now.
    ///
    /// # Errors
    /// Returns `Invalid` if the file cannot be parsed, or an error if it cannot be read.
    pub fn active_ceremonies(&self) -> Result<Vec<HeldCeremony>, TeamError> {
        let now = self.clock.now();
        let mut held = self.held_ceremonies()?;
        held.retain(|one| !one.is_over(now));
        Ok(held)
    }

    /// Starts a ceremony. One of the same name is replaced; those that are over at its start are removed.
    ///
    /// # Errors
    /// Returns `Invalid` if it has no name, no time, or there are too many; or an error if the file cannot be written.
    pub fn start_ceremony(&self, ceremony: &HeldCeremony) -> Result<(), TeamError> {
        if ceremony.name.trim().is_empty() {
            return Err(TeamError::invalid("name", "it is empty; name the ceremony"));
        }
        if ceremony.is_over(ceremony.since) {
            return Err(TeamError::invalid("until", "it ends before it begins; give it some time"));
        }
        self.change_held(|held| {
            let now = ceremony.since;
            held.ceremonies.retain(|other| !other.is_over(now) && !other.is_called(&ceremony.name));
            held.ceremonies.push(ceremony.clone());
            match held.ceremonies.len() > MOST {
                true => Err(TeamError::invalid("name", format!("{MOST} ceremonies are held; end one first"))),
                false => Ok(()),
            }
        })?;
        Ok(())
    }

    /// Ends a ceremony. Returns whether it was held.
    ///
    /// # Errors
    /// Returns an error if the file cannot be parsed or written.
    pub fn end_ceremony(&self, name: &str) -> Result<bool, TeamError> {
        if !self.held_ceremonies()?.iter().any(|held| held.is_called(name)) {
            return Ok(false);
        }
        self.change_held(|held| {
            held.ceremonies.retain(|other| !other.is_called(name));
            Ok(())
        })
    }

    /// Returns whether the file was changed.
    fn change_held(&self, change: impl Fn(&mut Held) -> Result<(), TeamError>) -> Result<bool, TeamError> {
        let writer = self.writer()?;
        writer.create_directory(&TeamPath::known(".hooks"))?;
        let place = place()?;
        writer.update(&place, |current| {
            let mut held = parsed(current)?;
            let before = held.ceremonies.clone();
            change(&mut held)?;
            if held.ceremonies == before {
                return Ok(current.unwrap_or_default().to_vec());
            }
            held.version = 1;
            let text = serde_json::to_vec_pretty(&held);
            text.map_err(|error| TeamError::invalid("ceremonies", error.to_string()))
        })
    }
}

/// Path of the file.
fn place() -> Result<TeamPath, TeamError> {
    let name = "ceremonies.json";
    Ok(TeamPath::own(&Name::new(name).map_err(|reason| TeamError::name(name, reason))?))
}

fn parsed(bytes: Option<&[u8]>) -> Result<Held, TeamError> {
    let Some(bytes) = bytes.filter(|bytes| !bytes.is_empty()) else { return Ok(Held::default()) };
    let held: Held = serde_json::from_slice(bytes).map_err(|error| {
        TeamError::invalid("ceremonies.json", format!("{error}; a person can remove the file"))
    })?;
    match held.version {
        1 => Ok(held),
        other => {
            Err(TeamError::invalid("ceremonies.json", format!("version {other} is unknown; expected 1")))
        }
    }
}

/// Returns whether two names are the same in any spelling.
fn is_same(one: &str, other: &str) -> bool {
    match (Name::of_agent(one), Name::of_agent(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => one.trim().to_lowercase() == other.trim().to_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hooks_core::Environment;
    use hooks_core::testing::FakeDisk;

    use super::*;

    fn team(disk: &FakeDisk) -> Team {
        Team::new(Arc::new(disk.clone()), "/p/.squad", &Environment::detached())
    }

    fn review(name: &str, until: u64) -> HeldCeremony {
        HeldCeremony::new(name, Participants::All, Timestamp(10), Timestamp(until))
    }

    #[test]
    fn ceremonies_are_started_replaced_and_ended() {
        let disk = FakeDisk::default().with_directory("/p/.squad");
        let team = team(&disk);
        assert!(!team.end_ceremony("x").unwrap());
        team.start_ceremony(&review("A", 20)).unwrap();
        team.start_ceremony(&review("a", 30)).unwrap();
        team.start_ceremony(&HeldCeremony { since: Timestamp(25), ..review("B", 90) }).unwrap();
        let names = |team: &Team| {
            team.held_ceremonies().unwrap().iter().map(|one| one.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(&team), ["a", "B"]);
        team.start_ceremony(&HeldCeremony { since: Timestamp(40), ..review("C", 90) }).unwrap();
        assert_eq!(names(&team), ["B", "C"], "what is over is removed");
        assert!(team.end_ceremony(" b ").unwrap());
        assert_eq!(names(&team), ["C"]);
    }

    #[test]
    fn what_cannot_be_held_is_refused() {
        let disk = FakeDisk::default().with_directory("/p/.squad");
        let team = team(&disk);
        assert!(team.start_ceremony(&review(" ", 20)).is_err());
        assert!(team.start_ceremony(&review("A", 10)).is_err());
        for text in
            ["{", "[]", "{\"version\":2,\"ceremonies\":[]}", "{\"version\":1,\"ceremonies\":[],\"x\":1}"]
        {
            disk.put("/p/.squad/.hooks/ceremonies.json", text);
            assert!(team.held_ceremonies().is_err(), "{text}");
            assert!(team.start_ceremony(&review("A", 20)).is_err(), "{text} is not overwritten");
        }
    }

    #[test]
    fn participants_are_named_or_all() {
        for text in ["", "all-relevant", "all involved agents", "Everyone", "whole team"] {
            assert_eq!(Participants::parse(text, "Lead"), Participants::All, "{text}");
        }
        let named = Participants::parse("Backend and Tester 🔧", "");
        assert!(named.have("@backend") && named.have("TESTER") && !named.have("lead"));
    }
}
