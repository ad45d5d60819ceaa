//! Guards from other places than the sections of the file: those of a team's policies below `.squad/policies`, and
//! those that hold for one tenant. They are merged by strength, so they can only restrict what the file allows.

use std::path::{Path, PathBuf};

use hooks_classic::{PolicyConfig, squad_policy_to_strict};
use hooks_policies::config::{
    CommandGuardConfig, LockoutConfig, ReadGuardConfig, RuleConfig, WriteGuardConfig,
};
use hooks_policies::packs::PackConfig;
use hooks_redaction::RedactionConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::audit::project_of;
use super::check::check;
use super::document::without_null;
use super::error::Mistakes;
use super::languages::{self, ByDefault, Language, LanguagePolicies};
use super::paths::canonical;
use super::protect::as_pattern;
use super::reload::ReadFile;
use super::section;
use super::team_folders::Project;
use super::tenant;
use super::tree::{Kind, Node};
use super::{nonsense, packs, source, squad, yaml};

/// Key of the files with policies.
pub(super) const KEY: &str = "policies";

/// Folder of a team's policies, which is read if the file has no `policies`.
const OF_TEAM: &str = ".squad/policies";

/// Most files of policies in a folder.
const MOST_FILES: usize = 256;

/// Files with policies that are enforced besides the sections of the configuration: of `squad`, `cedar` and `rego`, one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct PolicyFiles {
    /// A Squad policy in JSON or YAML, or a folder of them. Relative to the folder of the project.
    pub(super) squad: Option<PathBuf>,
    /// Policies in Cedar; see `docs/policy-languages.md`. Relative to the folder of the project. Needs a program that is built with
    /// the feature `cedar`.
    pub(super) cedar: Option<PathBuf>,
    /// With `cedar`: a schema that the policies are validated against, instead of the one that `hooks schema cedar` prints. Relative to
    /// the folder of the project.
    pub(super) schema: Option<PathBuf>,
    /// With `cedar`: the answer for a call that no policy matches.
    pub(super) default: Option<ByDefault>,
    /// A module in Rego; see `docs/policy-languages.md`. Relative to the folder of the project. Needs a program that is built with the
    /// feature `rego`.
    pub(super) rego: Option<PathBuf>,
    /// With `rego`: the package whose rules count, `hooks` by default.
    pub(super) package: Option<String>,
}

/// Guards that hold for one tenant only.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct TenantGuards {
    /// A file with the same sections as this entry, and `version: 1`. Relative to the folder of this file.
    pub(super) extends: Option<PathBuf>,
    /// Files that may be written.
    pub(super) write_guard: Option<WriteGuardConfig>,
    /// Files that may be read.
    pub(super) read_guard: Option<ReadGuardConfig>,
    /// Commands that are blocked.
    pub(super) command_guard: Option<CommandGuardConfig>,
    /// Data that is scrubbed from tool results.
    pub(super) redaction: Option<RedactionConfig>,
    /// Custom rules.
    pub(super) rules: Vec<RuleConfig>,
    /// Files that agents cannot write.
    pub(super) protected: Vec<String>,
}

/// One set of guards, and its source.
#[derive(Clone, Debug)]
pub(super) struct Further {
    /// Guards of a policy or a tenant.
    pub(super) policy: PolicyConfig,
    /// Tenant whose events they judge; all events if absent.
    pub(super) tenant: Option<String>,
    /// Path in the configuration that mistakes are reported at.
    pub(super) path: String,
    /// File that they were read from, if it is another one.
    pub(super) file: Option<PathBuf>,
}

impl Further {
    /// Path in the configuration, and text, of a mistake in the field `field`.
    pub(super) fn place_of(&self, field: &str, problem: &str) -> (String, String) {
        match &self.file {
            Some(file) => {
                (self.path.clone(), format!("`{}` is invalid: `{field}`: {problem}", file.display()))
            }
            None => (format!("{}.{field}", self.path), problem.to_owned()),
        }
    }
}

/// Guards from other places, and the files that were read for them.
#[derive(Clone, Debug, Default)]
pub(super) struct FurtherGuards {
    pub(super) all: Vec<Further>,
    /// Files and folders whose content decides, each with the text or the names that it held.
    pub(super) files: Vec<(PathBuf, String)>,
    /// Folders of a team's policies that do not exist; they count as soon as they do.
    pub(super) absent: Vec<PathBuf>,
    /// Packs of rules that the file uses, with the rules and actions that it chooses.
    pub(super) packs: Vec<PackConfig>,
    /// For each pack, the number of the entry of `packs` that names it.
    pub(super) pack_entries: Vec<usize>,
    /// Policies in other languages.
    pub(super) languages: Vec<LanguagePolicies>,
}

/// Schema of the files with policies.
pub(super) fn policies_schema(root: &mut Map<String, Value>) -> Value {
    section::schema::<Vec<PolicyFiles>>(root)
}

/// Schema of the tenants: a list of names, or a map from names to guards.
pub(super) fn tenants_schema(root: &mut Map<String, Value>) -> Value {
    let guards = section::schema::<TenantGuards>(root);
    json!({
        "description":
            "Further tenants that events may name; each has state of its own. A map gives each name guards that hold for this tenant besides those of the file.",
        "anyOf": [
            {"type": "array", "items": {"type": "string"}},
            {"type": "object", "additionalProperties": guards},
        ],
    })
}

/// Reads the guards that `root` names besides its sections.
pub(super) fn read(root: &Node, project: Project<'_>, mistakes: &mut Mistakes) -> FurtherGuards {
    let mut further = FurtherGuards::default();
    let path = project.path;
    read_policies(root, project, &mut further, mistakes);
    packs::read(root, path, &mut further, mistakes);
    if let Some(Kind::Map(tenants)) = root.get(tenant::OTHERS).map(|node| &node.kind) {
        for (name, node) in tenants {
            further.read_tenant(&name.text, node, path, mistakes);
        }
    }
    further
}

fn read_policies(root: &Node, project: Project<'_>, further: &mut FurtherGuards, mistakes: &mut Mistakes) {
    let files = match root.get(KEY) {
        Some(node) => match serde_json::from_value::<Vec<PolicyFiles>>(node.to_json()) {
            Ok(files) => files,
            Err(_) => return,
        },
        None => Vec::new(),
    };
    // An empty list is that of a file without any policies.
    let is_of_team =
        root.get(KEY).is_none() || !files.is_empty() && files.iter().all(|entry| entry.squad.is_none());
    if is_of_team {
        for folder in project.folders() {
            let folder = folder.join(OF_TEAM);
            match folder.metadata() {
                Err(error) if is_absent(&error) => further.absent.push(folder),
                // Another error is reported.
                _ => further.read_squad(&folder, root, KEY, mistakes),
            }
        }
    }
    for (at, entry) in files.into_iter().enumerate() {
        let at = format!("{KEY}[{at}]");
        match (project.path.map(project_of), &entry) {
            (None, _) => {
                mistakes.add_with_hint(root.locate(&at), at, NO_FOLDER, "name the file when you read it");
            }
            (Some(folder), entry) => match languages::of_entry(entry) {
                Ok(Language::Squad(squad)) => {
                    further.read_squad(&folder.join(squad), root, &format!("{at}.squad"), mistakes);
                }
                Ok(language) => languages::read(language, entry, &folder, root, &at, further, mistakes),
                Err((problem, hint)) => mistakes.add_with_hint(root.locate(&at), at, problem, hint),
            },
        }
    }
}

pub(super) const NO_FOLDER: &str = "the configuration is no file, so nothing is relative to it";

impl FurtherGuards {
    /// Reads a Squad policy, or each policy of a folder.
    fn read_squad(&mut self, place: &Path, root: &Node, at: &str, mistakes: &mut Mistakes) {
        let files = match policy_files(place) {
            Ok(files) => files,
            Err(problem) => {
                let hint = "correct the path, or leave it out";
                return mistakes.add_with_hint(root.locate(at), at, problem, hint);
            }
        };
        // A file that is added later changes the rules too.
        self.files.push((place.to_owned(), names_of(&files)));
        for file in files {
            let parsed = self.parsed(&file).and_then(|tree| {
                let mut own = Mistakes::default();
                let policy = squad::read(&tree, &mut own).map(|read| squad_policy_to_strict(&read.policy));
                match policy {
                    Some(Ok(policy)) if own.is_empty() => Ok(policy),
                    Some(Err(errors)) => Err(errors.to_string()),
                    _ => Err(all_of(own)),
                }
            });
            match parsed {
                Ok(policy) => {
                    let (path, file) = (at.to_owned(), Some(file));
                    self.all.push(Further { policy, tenant: None, path, file });
                }
                Err(problem) => report(root.locate(at), at, &file, &problem, mistakes),
            }
        }
    }

    /// Reads the guards of one tenant.
    fn read_tenant(&mut self, name: &str, node: &Node, path: Option<&Path>, mistakes: &mut Mistakes) {
        let at = format!("{}.{name}", tenant::OTHERS);
        let Ok(guards) = serde_json::from_value::<TenantGuards>(node.to_json()) else { return };
        if let Some(extended) = &guards.extends {
            let at = format!("{at}.extends");
            let place = node.get("extends").map_or(&node.place, |node| &node.place);
            match path.and_then(Path::parent) {
                None => mistakes.add_with_hint(place, at, NO_FOLDER, "write the guards here"),
                Some(folder) => {
                    let file = folder.join(extended);
                    match self.parsed(&file).and_then(|tree| extension(&tree)) {
                        Ok(guards) => self.all.push(guards.further(name, at, Some(file))),
                        Err(problem) => report(place, &at, &file, &problem, mistakes),
                    }
                }
            }
        }
        self.all.push(guards.further(name, at, None));
    }

    /// Tree of a file, whose content is remembered.
    pub(super) fn parsed(&mut self, file: &Path) -> Result<Node, String> {
        let text = self.text(file)?;
        let mut own = Mistakes::default();
        yaml::parse(&text, &mut own).filter(|_| own.is_empty()).ok_or_else(|| all_of(own))
    }

    /// Text of a file, which is remembered.
    pub(super) fn text(&mut self, file: &Path) -> Result<String, String> {
        let bytes = source::read(file).map_err(|error| format!("it cannot be read: {error}"))?;
        let mut own = Mistakes::default();
        let text = source::decode(&bytes, &file.to_string_lossy(), &mut own).map(str::to_owned);
        let text = text.ok_or_else(|| all_of(own))?;
        self.files.push((file.to_owned(), text.clone()));
        Ok(text)
    }

    /// Patterns that protect the files: an agent that can write them can write its own rules.
    pub(super) fn patterns(&self) -> Vec<String> {
        let absolute = self.files.iter().filter_map(|(file, _)| std::path::absolute(file).ok());
        // Also what a link leads to: a new session reads it.
        let targets = self.files.iter().map(|(file, _)| canonical(file));
        let patterns = absolute.chain(targets).flat_map(|file| {
            let (file, is_folder) = (as_pattern(&file), file.is_dir());
            let below = is_folder.then(|| format!("{file}/**"));
            std::iter::once(file).chain(below)
        });
        patterns.collect()
    }

    /// Files and folders that were read, or looked for.
    pub(super) fn read_files(&self) -> impl Iterator<Item = ReadFile> {
        let absent = self.absent.iter().map(|folder| ReadFile::new(folder, None));
        // A policy that is named alone is listed too, under its own name.
        let read = self.files.iter().filter(|(file, text)| *text != file.to_string_lossy());
        read.map(|(file, text)| ReadFile::new(file, Some(text.as_str().into()))).chain(absent)
    }

    /// Text of the file at hand, with that of all others that were read: the rules that a person confirms.
    pub(super) fn whole_text(&self, own: &str) -> String {
        // Whichever way leads to a file, the text is the same.
        let name = |file: &Path| canonical(file).display().to_string();
        let others = self.files.iter().map(|(file, text)| format!("\n# {}\n{text}", name(file)));
        std::iter::once(own.to_owned()).chain(others).collect()
    }

    /// Guards that are for no single tenant.
    pub(super) fn of_all(&self) -> Vec<PolicyConfig> {
        let all = self.all.iter().filter(|further| further.tenant.is_none());
        all.map(|further| further.policy.clone()).collect()
    }

    /// Merges what cannot be stacked into `policy`: a question counts once, whatever the number of limits. Returns the sections that
    /// other files share in.
    pub(super) fn merge_into(&mut self, policy: &mut PolicyConfig) -> Vec<&'static str> {
        let mut shared = Vec::new();
        for further in &mut self.all {
            let Some(asks) = further.policy.ask_user.take() else { continue };
            shared.push("ask_user");
            policy.ask_user = Some(match policy.ask_user.take() {
                Some(own) if own.max_per_session <= asks.max_per_session => own,
                _ => asks,
            });
        }
        if self.all.iter_mut().any(|further| further.policy.reviewer_lockout.take().is_some()) {
            policy.reviewer_lockout.get_or_insert_with(LockoutConfig::default);
            shared.push("reviewer_lockout");
        }
        shared
    }
}

impl TenantGuards {
    fn further(self, tenant: &str, path: String, file: Option<PathBuf>) -> Further {
        let Self { extends: _, write_guard, read_guard, command_guard, redaction, rules, protected } = self;
        let policy = PolicyConfig {
            write_guard,
            read_guard,
            command_guard,
            redaction,
            rules,
            protected,
            ..PolicyConfig::default()
        };
        Further { policy, tenant: Some(tenant.to_owned()), path, file }
    }
}

/// Guards of a file that a tenant's entry extends.
fn extension(tree: &Node) -> Result<TenantGuards, String> {
    let mut schema = schemars::schema_for!(TenantGuards).to_value();
    without_null(&mut schema);
    if let Some(Value::Object(fields)) = schema.get_mut("properties") {
        fields.shift_remove("extends");
        fields.insert("version".to_owned(), json!({"const": 1}));
    }
    if let Some(fields) = schema.as_object_mut() {
        fields.insert("required".to_owned(), json!(["version"]));
    }
    let mut own = Mistakes::default();
    check(&schema, tree, &mut own);
    nonsense::check(tree, "", &mut own);
    if !own.is_empty() {
        return Err(all_of(own));
    }
    let Value::Object(mut sections) = tree.to_json() else { return Err("it is not a map".to_owned()) };
    sections.shift_remove("version");
    serde_json::from_value(Value::Object(sections)).map_err(|error| error.to_string())
}

/// The policy at `place`, or those in the folder `place`, in the order of their names.
pub(super) fn policy_files(place: &Path) -> Result<Vec<PathBuf>, String> {
    let failed = |error: std::io::Error| format!("`{}` cannot be read: {error}", place.display());
    if !std::fs::metadata(place).map_err(failed)?.is_dir() {
        return Ok(vec![place.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(place).map_err(failed)? {
        let file = entry.map_err(failed)?.path();
        let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if ["json", "yaml", "yml"].iter().any(|known| extension.eq_ignore_ascii_case(known)) {
            files.push(file);
        }
        if files.len() > MOST_FILES {
            return Err(format!("`{}` has more than {MOST_FILES} policies", place.display()));
        }
    }
    files.sort();
    Ok(files)
}

/// Whether there is nothing at a path.
fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

pub(super) fn names_of(files: &[PathBuf]) -> String {
    let names: Vec<_> = files.iter().map(|file| file.to_string_lossy().into_owned()).collect();
    names.join("\n")
}

/// Names of the policies in a folder, as [`FurtherGuards`] remembers them.
pub(super) fn names_in(folder: &Path) -> Result<String, String> {
    policy_files(folder).map(|files| names_of(&files))
}

pub(super) fn all_of(mistakes: Mistakes) -> String {
    let all: Vec<_> = mistakes.into_errors().iter().map(ToString::to_string).collect();
    all.join("; ")
}

pub(super) fn report(
    place: &super::error::TextPosition,
    at: &str,
    file: &Path,
    problem: &str,
    mistakes: &mut Mistakes,
) {
    let problem = format!("`{}` is invalid: {problem}", file.display());
    mistakes.add_with_hint(place, at, problem, "correct that file, or leave it out");
}
