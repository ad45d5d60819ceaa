//! `hooks ceremony`: a person starts and ends a ceremony of the team, which closes tools for those who take part.

use std::env;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use hooks::team::{HeldCeremony, Participants, Team, TeamPlace};
use hooks::team_rules::HeldCeremonies;
use hooks::team_rules::ceremonies::CeremoniesConfig;
use hooks::{HookContext, StdFileSystem, system};

use crate::cli::{Ceremony, CeremonyAction};
use crate::failure::{Failure, Status};
use crate::paint::one_line;
use crate::run::project::{GoverningFile, find_from};
use crate::state::{done, found_nothing, user};
use crate::{load, person};

/// Name of the command.
const COMMAND: &str = "hooks ceremony";
/// Maximum characters of a text on a line.
const WIDTH: usize = 200;

/// Starts, ends or lists ceremonies.
pub(crate) fn run(options: &Ceremony) -> Result<Status, Failure> {
    if !matches!(options.action, None | Some(CeremonyAction::Status)) {
        person::require(COMMAND)?;
    }
    let folder = env::current_dir()?;
    let Some(GoverningFile { config: path, root, .. }) = find_from(options.config.as_deref(), &folder) else {
        return Err(Failure::message(format!(
            "no configuration governs `{}`; call `{COMMAND}` in the project, or name the configuration with `--config`",
            folder.display()
        )));
    };
    let config = load::config(&path, None)?;
    let Some(ceremonies) = config.team_rules().ceremonies.clone() else {
        return Err(Failure::message(format!(
            "no ceremony closes anything by `{}`; add the section `ceremonies: {{}}`",
            path.display()
        )));
    };
    let desk = Desk::open(ceremonies, root)?;
    let mut out = anstream::stdout().lock();
    match &options.action {
        None | Some(CeremonyAction::Status) => desk.list(&mut out),
        Some(CeremonyAction::Start { name, lasting, participants, by }) => {
            let mut desk = desk;
            let gate = desk.config.gate_mut(name);
            gate.time = lasting.or(gate.time);
            if !participants.is_empty() {
                gate.participants.clone_from(participants);
            }
            desk.start(name, &by.clone().unwrap_or_else(user), &mut out)
        }
        Some(CeremonyAction::End { name }) => desk.end(name, &mut out),
    }
}

/// The ceremonies of one team.
struct Desk {
    config: CeremoniesConfig,
    context: HookContext,
}

impl Desk {
    fn open(config: CeremoniesConfig, root: PathBuf) -> Result<Self, Failure> {
        let folder = root.join(&config.team);
        let team = Team::new(Arc::new(StdFileSystem), &folder, &system());
        if !team.root().is_dir() {
            return Err(Failure::message(format!(
                "there is no folder `{}`; `hooks init squad` makes one",
                folder.display()
            )));
        }
        let context = HookContext::new(COMMAND, "").in_dir(root).with_environment(system());
        Ok(Self { config, context })
    }

    fn held(&self) -> HeldCeremonies {
        let place = TeamPlace::below(Arc::new(StdFileSystem), &self.config.team);
        HeldCeremonies::new(self.config.clone()).with_team(place)
    }

    fn list(&self, out: &mut impl Write) -> Result<Status, Failure> {
        let held = self.held().active(&self.context).map_err(|error| Failure::message(error.to_string()))?;
        if held.is_empty() {
            return found_nothing("no ceremony is held");
        }
        for ceremony in &held {
            writeln!(out, "{}", one_line(&described(ceremony), WIDTH))?;
        }
        Ok(Status::Well)
    }

    fn start(&self, name: &str, by: &str, out: &mut impl Write) -> Result<Status, Failure> {
        let started = self.held().start(&self.context, name, by);
        let started = started.map_err(|error| Failure::message(error.to_string()))?;
        done(out, &format!("started: {}", described(&started)))
    }

    fn end(&self, name: &str, out: &mut impl Write) -> Result<Status, Failure> {
        let ended = self.held().end(&self.context, name);
        match ended.map_err(|error| Failure::message(error.to_string()))? {
            true => done(out, &format!("ended: {name}")),
            false => found_nothing(&format!("no ceremony `{name}` is held; `{COMMAND} status` lists them")),
        }
    }
}

fn described(held: &HeldCeremony) -> String {
    let with = match &held.participants {
        Participants::Named(names) => names.join(", "),
        _ => "all agents".to_owned(),
    };
    let by = held.by.as_ref().map(|by| format!(", by {by}")).unwrap_or_default();
    format!("{} until {}, with {with}{by}", held.name, held.until)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_ceremony_is_started_listed_and_ended() {
        let dir = tempfile::tempdir().unwrap();
        let open = || Desk::open(CeremoniesConfig::default(), dir.path().to_owned());
        assert!(open().is_err(), "there is no team");
        std::fs::create_dir(dir.path().join(".squad")).unwrap();
        let mut out = Vec::new();
        let mut desk = open().unwrap();
        assert_eq!(desk.list(&mut out).unwrap(), Status::Found);
        let gate = desk.config.gate_mut("Standup");
        gate.time = Some(Duration::from_secs(600));
        gate.participants = vec!["backend".to_owned()];
        desk.start("Standup", "ada", &mut out).unwrap();
        // Another process lists and ends it.
        open().unwrap().list(&mut out).unwrap();
        let text = String::from_utf8(out.clone()).unwrap();
        assert_eq!(text.matches("Standup until 2").count(), 2, "{text}");
        assert!(text.contains("with backend, by ada"), "{text}");
        assert_eq!(open().unwrap().end("standup", &mut out).unwrap(), Status::Well);
        assert_eq!(open().unwrap().end("standup", &mut out).unwrap(), Status::Found);
    }
}
