//! The section `sandbox`, and the profile that follows from a whole configuration.

use std::path::Path;

use hooks_classic::PolicyConfig;
use hooks_core::HooksBuilder;
use hooks_facts::calls::CallReader;
use hooks_facts::hosts::HostList;
use hooks_policies::EgressGuard;
use hooks_policies::config::{ReadSet, RuleAction, RuleConfig};
use hooks_sandbox::{
    EgressConfig, Gap, Pattern, Places as SandboxPlaces, Profile, Rules, SandboxConfig, ShellCalls,
};
use serde_json::{Map, Value};

use super::error::Mistakes;
use super::places::Places;
use super::prune::Pruned;
use super::read::Config;
use super::section;

/// The key it stands under.
pub(super) const KEY: &str = "sandbox";

/// The key of the section about what commands did.
pub(super) const EFFECTS: &str = "effects";

/// Takes the section out of `sections` and reports what cannot be held yet.
pub(super) fn take(
    sections: &mut Map<String, Value>,
    tree: &Pruned,
    mistakes: &mut Mistakes,
) -> SandboxConfig {
    let config: SandboxConfig = section::taken(KEY, sections, tree, mistakes).unwrap_or_default();
    let mut report = |path: String, problem: String, hint: &str| {
        mistakes.add_with_hint(tree.root.locate(&path), tree.path_before(&path), problem, hint);
    };
    if let EgressConfig::Hosts(hosts) = &config.egress
        && let Err(error) = HostList::new(hosts)
    {
        report(
            format!("{KEY}.egress[{}]", error.index),
            error.to_string(),
            "write `none`, `all` or a list of hosts",
        );
    }
    for (index, path) in config.write.iter().enumerate() {
        if path.contains(['*', '?', '{', '\\']) || path.split('/').any(|part| part == "..") || path.is_empty()
        {
            let problem = format!("`{path}` is not one file or folder: a mechanism cannot open a pattern");
            report(
                format!("{KEY}.write[{index}]"),
                problem,
                "name the folder, without a wildcard and without `..`",
            );
        }
    }
    config
}

/// Adds the policy that judges calls by the hosts of the section, if it has a list.
pub(super) fn add_to(builder: &mut HooksBuilder, config: &SandboxConfig, policy: &PolicyConfig) {
    let EgressConfig::Hosts(hosts) = &config.egress else { return };
    // Mistakes in both were reported when they were read.
    let reader = CallReader::new(&policy.paths, &policy.tools).unwrap_or_default();
    let Ok(guard) = EgressGuard::new(hosts, &reader) else { return };
    let is_wrapped = config.calls == ShellCalls::Wrapped;
    builder.add_policy(if is_wrapped { guard.with_commands_in_the_sandbox() } else { guard });
}

impl Config {
    /// Profile of files and connections for a command in the sandbox: a pure function of the configuration and of the places.
    ///
    /// ```
    /// use hooks_config::Config;
    /// use hooks_sandbox::{Access, Places};
    ///
    /// let config = Config::parse("version: 1\nwrite_guard: { allow: [src/**] }", "hooks.yaml")?;
    /// let places = Places { workspace: "/repo".into(), ..Places::default() };
    /// let profile = config.sandbox_profile(&places);
    /// let access = Access::new(&profile)?;
    /// assert!(access.write("/repo/src/a.rs").is_open() && access.write("/repo/target/debug/a").is_open());
    /// assert!(!access.write("/repo/README.md").is_open());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sandbox_profile(&self, places: &SandboxPlaces) -> Profile {
        let mut rules = Rules { own: self.protected().to_vec(), ..Rules::default() };
        let guards = self.enforced_guards();
        for policy in &guards {
            add(policy, &mut rules);
        }
        if guards.iter().all(|policy| policy.read_guard.is_none()) {
            add_set(ReadSet::Secrets, &mut rules);
        }
        // Snapshots have the contents of all files, secrets too.
        let snapshots = Self::snapshots_folder().and_then(|folder| folder.to_str().map(str::to_owned));
        let below = snapshots.map(|folder| Pattern::new(format!("{folder}/**"), "snapshots of workspaces"));
        rules.read_deny.extend(below);
        Profile::new(places, rules, self.sandbox())
    }

    /// The folder of the snapshots that `hooks exec` takes; `None` if there is no folder for state.
    pub fn snapshots_folder() -> Option<std::path::PathBuf> {
        Some(Places::here().state()?.join("hooks").join("snapshots"))
    }

    /// Places of a project for [`sandbox_profile`](Self::sandbox_profile), by the variables of this process.
    pub fn sandbox_places(workspace: &Path) -> SandboxPlaces {
        let here = Places::here();
        let variables = SandboxPlaces::variables_wanted();
        SandboxPlaces {
            workspace: workspace.to_path_buf(),
            home: here.home(),
            variables: variables.filter_map(|name| Some((name.to_owned(), here.named_by(name)?))).collect(),
        }
    }
}

/// Adds a named set of files that may not be read.
fn add_set(set: ReadSet, rules: &mut Rules) {
    rules.read_deny.extend(set.deny().map(|glob| Pattern::new(glob, "the known places of secrets")));
    rules.read_except.extend(set.except().map(str::to_owned));
}

/// Adds the rules of one file.
fn add(policy: &PolicyConfig, rules: &mut Rules) {
    if let Some(guard) = &policy.write_guard {
        rules.write_allow.push(guard.allow.clone());
        rules.write_deny.extend(patterns(&guard.deny, "write_guard.deny"));
        if !guard.agents.is_empty() {
            rules.unexpressed.push(Gap::limit("write_guard.agents", PER_AGENT));
        }
    }
    rules.write_deny.extend(patterns(&policy.protected, "protected"));
    // A folder stands for everything below it.
    let below = policy.protected.iter().map(|glob| format!("{}/**", glob.trim_end_matches('/')));
    rules.write_deny.extend(below.map(|glob| Pattern::new(glob, "protected")));
    if let Some(guard) = &policy.read_guard {
        guard.sets.iter().for_each(|set| add_set(*set, rules));
        rules.read_deny.extend(patterns(&guard.deny, "read_guard.deny"));
        rules.read_except.extend(guard.except.iter().cloned());
        if !guard.agents.is_empty() {
            rules.unexpressed.push(Gap::limit("read_guard.agents", PER_AGENT));
        }
        if !guard.allow.is_empty() {
            let why = "programs read files of the system, so a list of the only files cannot be held";
            rules.unexpressed.push(Gap::limit("read_guard.allow", why).breaking_reads());
        }
    }
    for rule in policy.rules.iter().filter(|rule| rule.action == RuleAction::Deny) {
        let from = format!("rule `{}`", rule.name);
        let has_paths = !(rule.paths.is_empty() && rule.reads.is_empty() && rule.writes.is_empty());
        if !is_only_about_paths(rule) {
            if has_paths {
                let why = "it has conditions besides paths, which only a guard can judge";
                rules.unexpressed.push(Gap::limit(from, why));
            }
            continue;
        }
        // Of several lists, each has to match, which no profile can express.
        match (rule.paths.is_empty(), rule.reads.is_empty(), rule.writes.is_empty()) {
            (false, true, true) => {
                rules.write_deny.extend(patterns(&rule.paths, &from));
                rules.read_deny.extend(patterns(&rule.paths, &from));
            }
            (true, false, true) => rules.read_deny.extend(patterns(&rule.reads, &from)),
            (true, true, false) => rules.write_deny.extend(patterns(&rule.writes, &from)),
            (true, true, true) => {}
            _ => {
                let gap = Gap::limit(from, "it has several lists of paths, of which each has to match");
                rules.unexpressed.push(gap.breaking_reads().breaking_writes());
            }
        }
    }
}

const PER_AGENT: &str = "a command in the sandbox has no agent, so lists of single agents do not count";

fn patterns(globs: &[String], from: &str) -> impl Iterator<Item = Pattern> {
    globs.iter().map(move |glob| Pattern::new(glob, from))
}

/// Whether a rule has no condition but paths.
fn is_only_about_paths(rule: &RuleConfig) -> bool {
    let RuleConfig {
        name: _,
        action: _,
        tools,
        agents,
        paths: _,
        reads: _,
        writes: _,
        commands,
        effects,
        args,
        content,
        imports,
        results,
        reason: _,
        matches: _,
        no_match: _,
    } = rule;
    tools.is_empty()
        && agents.is_empty()
        && commands.is_empty()
        && effects.is_empty()
        && args.is_empty()
        && content.is_empty()
        && imports.is_empty()
        && results.is_none()
}
