//! The team of an exported `squad.config`: what Squad's `defineSquad` returns, as JSON.

use std::fs;
use std::path::Path;

use hooks_team::files::{ModelChoice, NewMember};
use hooks_team::{NewCharter, NewRoute, NewTeam};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::failure::Failure;

/// Command that exports the configuration.
const EXPORT: &str = "export it once: `npx tsx -e \"import('./squad.config.ts').then(m => \
    console.log(JSON.stringify(m.default)))\" > squad.json`, and name that file";

/// Largest file in bytes.
const LARGEST: u64 = 8 << 20;

/// Keys about the file itself.
const ABOUT_THE_FILE: [&str; 2] = ["version", "$schema"];

#[derive(Deserialize)]
struct Exported {
    #[serde(default)]
    team: ExportedTeam,
    #[serde(default)]
    agents: Vec<ExportedAgent>,
    #[serde(default)]
    routing: ExportedRouting,
    #[serde(default)]
    defaults: ExportedDefaults,
    #[serde(flatten)]
    others: Map<String, Value>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ExportedTeam {
    name: String,
    description: Option<String>,
    members: Vec<String>,
}

#[derive(Deserialize)]
struct ExportedAgent {
    name: String,
    #[serde(default)]
    role: String,
    description: Option<String>,
    charter: Option<String>,
    model: Option<ExportedModel>,
    #[serde(default)]
    capabilities: Vec<ExportedCapability>,
    status: Option<String>,
}

#[derive(Clone, Deserialize)]
#[serde(untagged)]
enum ExportedModel {
    Name(String),
    Choice { preferred: String, rationale: Option<String>, fallback: Option<String> },
}

#[derive(Deserialize)]
#[serde(untagged)]
enum ExportedCapability {
    Name(String),
    Level { name: String },
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ExportedDefaults {
    model: Option<ExportedModel>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ExportedRouting {
    rules: Vec<ExportedRule>,
    default_agent: Option<String>,
    fallback: Option<String>,
}

#[derive(Deserialize)]
struct ExportedRule {
    #[serde(alias = "workType")]
    pattern: String,
    #[serde(default)]
    agents: Vec<String>,
    description: Option<String>,
    #[serde(default)]
    examples: Vec<String>,
}

/// Reads the team in `file`. Returns the parts of the file that become no files, too.
pub(super) fn read(file: &Path) -> Result<(NewTeam, Vec<String>), Failure> {
    let failed = |what: &str| Failure::message(format!("`{}`: {what}", file.display()));
    if fs::metadata(file).is_ok_and(|file| file.len() > LARGEST) {
        return Err(failed("the file is larger than 8 MiB; name the exported configuration"));
    }
    let text = fs::read_to_string(file).map_err(|error| failed(&error.to_string()))?;
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if ["ts", "mts", "cts", "js", "mjs", "cjs"].contains(&extension) {
        return Err(failed(&format!("this is a program, and programs are not run; {EXPORT}")));
    }
    let exported: Exported = serde_json::from_str(&text)
        .map_err(|error| failed(&format!("the file is not an exported `squad.config`: {error}; {EXPORT}")))?;
    let folder = file.parent().unwrap_or(Path::new("."));
    let ignored = exported.others.keys().filter(|key| !ABOUT_THE_FILE.contains(&key.as_str()));
    let ignored = ignored.cloned().collect();
    exported.team(folder).map(|team| (team, ignored)).map_err(|problem| failed(&problem))
}

impl Exported {
    /// The team; `folder` has the charters that are named by path.
    fn team(self, folder: &Path) -> Result<NewTeam, String> {
        let mut team = NewTeam {
            name: self.team.name,
            description: self.team.description.unwrap_or_default(),
            ..NewTeam::default()
        };
        for agent in self.agents {
            let name = bare(&agent.name).to_owned();
            if agent.status.as_deref().is_some_and(|status| status != "active") {
                team.retired.push(name.clone());
            }
            team.charters.insert(name.clone(), agent.charter(folder, self.defaults.model.as_ref())?);
            team.members.push(NewMember { name, role: agent.role });
        }
        for reference in &self.team.members {
            let name = bare(reference);
            if !team.members.iter().any(|member| member.name.eq_ignore_ascii_case(name)) {
                team.members.push(NewMember { name: name.to_owned(), role: String::new() });
            }
        }
        let ExportedRouting { rules, default_agent, fallback } = self.routing;
        team.routes = rules.into_iter().map(ExportedRule::route).collect();
        if let Some(agent) = default_agent {
            team.principles.push(format!("Work that no row names goes to {}.", bare(&agent)));
        }
        team.principles.extend(fallback.and_then(|fallback| principle(&fallback)).map(str::to_owned));
        Ok(team)
    }
}

impl ExportedAgent {
    fn charter(&self, folder: &Path, default: Option<&ExportedModel>) -> Result<NewCharter, String> {
        let names = self.capabilities.iter().map(|capability| match capability {
            ExportedCapability::Name(name) | ExportedCapability::Level { name, .. } => name.clone(),
        });
        Ok(NewCharter {
            text: self.charter.as_deref().map(|charter| charter_text(charter, folder)).transpose()?,
            description: self.description.clone().unwrap_or_default(),
            expertise: names.collect(),
            model: self.model.as_ref().or(default).map(ExportedModel::choice).unwrap_or_default(),
            ..NewCharter::default()
        })
    }
}

impl ExportedModel {
    fn choice(&self) -> ModelChoice {
        let mut choice = ModelChoice::default();
        match self.clone() {
            Self::Name(name) => choice.preferred = Some(name),
            Self::Choice { preferred, rationale, fallback } => {
                (choice.preferred, choice.rationale, choice.fallback) =
                    (Some(preferred), rationale, fallback);
            }
        }
        choice
    }
}

impl ExportedRule {
    fn route(self) -> NewRoute {
        let examples = self.description.unwrap_or_else(|| self.examples.join(", "));
        let agents = self.agents.iter().map(|agent| bare(agent).to_owned()).collect();
        NewRoute { work: self.pattern, agents, examples }
    }
}

/// Text of a charter that is written in the configuration, or in the file that it names.
fn charter_text(charter: &str, folder: &Path) -> Result<String, String> {
    if charter.contains('\n') || charter.trim_start().starts_with('#') {
        return Ok(charter.to_owned());
    }
    let path = folder.join(charter);
    fs::read_to_string(&path)
        .map_err(|error| format!("the charter `{}` cannot be read: {error}", path.display()))
}

/// Name in a reference to an agent, such as `@edie`.
fn bare(reference: &str) -> &str {
    let name = reference.trim();
    name.strip_prefix('@').unwrap_or(name)
}

fn principle(fallback: &str) -> Option<&'static str> {
    match fallback {
        "ask" => Some("If several agents could do it, ask the user."),
        "coordinator" => Some("If several agents could do it, the coordinator chooses."),
        "default-agent" => Some("If several agents could do it, the default agent does."),
        _ => None,
    }
}
