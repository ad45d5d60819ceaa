//! `mode: observe`, for the file, a section or an item of `rules`, `packs` and `sequences`: rules that are tried before
//! they are enforced. The keys are taken out of the tree before anything else reads it.

use std::borrow::Cow;

use hooks_classic::PolicyConfig;
use hooks_core::Shadow;
use hooks_core::time::Timestamp;
use hooks_policies::config::RuleAction;
use hooks_policies::packs::PackConfig;
use serde_json::{Map, Value, json};

use super::error::Mistakes;
use super::suggest::nearest;
use super::team_rules::TeamRuleSections;
use super::tree::{Key, Kind, Node};

/// Key of the mode.
const MODE: &str = "mode";
/// Key of the day on which rules in the shadow are enforced.
const UNTIL: &str = "until";
const MODES: [&str; 2] = ["enforce", "observe"];

/// Sections that have a mode.
const SECTIONS: [&str; 13] = [
    "write_guard",
    "read_guard",
    "command_guard",
    "reviewer_lockout",
    "ask_user",
    "limits",
    "budget",
    "spawn",
    "boundaries",
    "ceremonies",
    "decisions",
    "phases",
    "routes",
];
/// Sections whose items have a mode each.
const LISTS: [&str; 3] = ["rules", "packs", "sequences"];

/// `None` if the rules are enforced.
type Mode = Option<Shadow>;

/// Modes of a file, and of the parts that have one of their own.
#[derive(Clone, Debug, Default)]
pub(super) struct Modes {
    whole: Mode,
    own: Vec<(String, Mode)>,
}

/// Sections of a configuration with the same mode.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    pub(super) policy: PolicyConfig,
    pub(super) packs: Vec<PackConfig>,
    pub(super) team: TeamRuleSections,
}

/// A rule, section or pack in the shadow.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InShadow {
    /// Path in the file, such as `rules[2]`; empty for the whole file.
    pub path: String,
    /// Name of the rule or pack, if it has one.
    pub name: Option<String>,
    /// Time at which it is enforced.
    pub until: Option<Timestamp>,
}

/// Takes the modes out of `root`.
pub(super) fn take<'a>(root: &'a Node, mistakes: &mut Mistakes) -> (Cow<'a, Node>, Modes) {
    if let Some(node) = root.get("self_protection")
        && !matches!(node.kind, Kind::Bool(_))
        && node.to_json().to_string().contains("observe")
    {
        let problem = "the protection of the hooks' own files is never in the shadow";
        let hint = "write `true` or `false`; rules that are tried have `mode: observe`";
        mistakes.add_with_hint(&node.place, "self_protection", problem, hint);
    }
    let mut modes = Modes::default();
    let mut reader = ModeReader { modes: &mut modes, mistakes };
    let Kind::Map(entries) = &root.kind else { return (Cow::Borrowed(root), modes) };
    let mut rest: Vec<(Key, Node)> = Vec::new();
    let mut is_changed = false;
    for (key, value) in entries {
        let name = key.text.as_str();
        let without = match &value.kind {
            _ if SECTIONS.contains(&name) => reader.without(value, name),
            Kind::List(items) if LISTS.contains(&name) => {
                let each = items
                    .iter()
                    .enumerate()
                    .map(|(index, item)| reader.without(item, &format!("{name}[{index}]")).ok_or(item));
                let each: Vec<_> = each.collect();
                each.iter().any(Result::is_ok).then(|| Node {
                    place: value.place.clone(),
                    kind: Kind::List(each.into_iter().map(|item| item.unwrap_or_else(Node::clone)).collect()),
                })
            }
            _ => None,
        };
        is_changed |= without.is_some();
        rest.push((key.clone(), without.unwrap_or_else(|| value.clone())));
    }
    let root_without = Node { place: root.place.clone(), kind: Kind::Map(rest) };
    let whole = reader.without(&root_without, "");
    if whole.is_none() && !is_changed {
        return (Cow::Borrowed(root), modes);
    }
    modes.whole = modes.own.pop_if(|(path, _)| path.is_empty()).and_then(|(_, mode)| mode);
    (Cow::Owned(whole.unwrap_or(root_without)), modes)
}

struct ModeReader<'a> {
    modes: &'a mut Modes,
    mistakes: &'a mut Mistakes,
}

impl ModeReader<'_> {
    /// The map at `path` without its mode; `None` if it has none.
    fn without(&mut self, node: &Node, path: &str) -> Option<Node> {
        let (mode, until) = (node.get(MODE), node.get(UNTIL));
        if mode.is_none() && until.is_none() {
            return None;
        }
        if let Some(mode) = self.mode(mode, until, path) {
            self.modes.own.push((path.to_owned(), mode));
        }
        let rest = node.entries().iter().filter(|(key, _)| ![MODE, UNTIL].contains(&key.text.as_str()));
        Some(Node { place: node.place.clone(), kind: Kind::Map(rest.cloned().collect()) })
    }

    fn mode(&mut self, mode: Option<&Node>, until: Option<&Node>, path: &str) -> Option<Mode> {
        let text = |node: &Node| match &node.kind {
            Kind::Text(text) => text.clone(),
            _ => node.to_json().to_string(),
        };
        let word = mode.map(text);
        match word.as_deref() {
            Some("observe") => {}
            Some("enforce") | None => {
                if let Some(until) = until {
                    let problem = "a day ends the mode `observe`, and this has another mode";
                    let hint = "write `mode: observe`, or leave `until` out";
                    self.mistakes.add_with_hint(&until.place, under(path, UNTIL), problem, hint);
                }
                return Some(None);
            }
            Some(other) => {
                let problem = format!("unknown mode `{other}`; expected `enforce` or `observe`");
                let hint = nearest(other, MODES).map(|word| format!("did you mean `{word}`?"));
                let place = mode.map_or_else(|| super::error::TextPosition::START, |node| node.place.clone());
                self.mistakes.add_maybe_with_hint(&place, under(path, MODE), problem, hint);
                return None;
            }
        }
        let Some(until) = until else { return Some(Some(Shadow::default())) };
        let Some(end) = moment(&text(until)) else {
            let problem = format!("`{}` is not a day", text(until));
            let hint = "write a day such as `2027-01-31`, or a time such as `2027-01-31T08:00:00Z`";
            self.mistakes.add_with_hint(&until.place, under(path, UNTIL), problem, hint);
            return None;
        };
        Some(Some(Shadow::until(end)))
    }
}

fn under(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// The first moment of a day in UTC, or a moment.
fn moment(text: &str) -> Option<Timestamp> {
    let is_day = text.len() == 10;
    if is_day { format!("{text}T00:00:00Z").parse().ok() } else { text.parse().ok() }
}

impl Modes {
    /// Mode of what has none of its own.
    pub(super) const fn whole(&self) -> Mode {
        self.whole
    }

    pub(super) fn mode_of(&self, path: &str) -> Mode {
        self.own.iter().find(|(own, _)| own == path).map_or(self.whole, |(_, mode)| *mode)
    }

    /// Whether all is enforced.
    pub(super) fn is_empty(&self) -> bool {
        self.whole.is_none() && self.own.is_empty()
    }

    /// Splits `all` into the part with the mode of the file, and those with another. `entries` has, for each pack of
    /// `all`, the number of its entry.
    pub(super) fn split(&self, all: Part, entries: &[usize]) -> (Part, Vec<(Mode, Part)>) {
        if self.is_empty() {
            return (all, Vec::new());
        }
        let (all, base) = (&all, all.clone());
        let mut split = Split { modes: self, base, others: Vec::new() };
        split.sections();
        split.lists(all, entries);
        if self.whole.is_some() && !all.policy.protected.is_empty() {
            split.base.policy.protected.clear();
            split.other(None, RuleAction::Deny).policy.protected.clone_from(&all.policy.protected);
        }
        for (_, _, part) in &mut split.others {
            part.policy.paths = all.policy.paths.clone();
            part.policy.tools = all.policy.tools.clone();
        }
        let others = split.others.into_iter().map(|(mode, _, part)| (mode, part));
        (split.base, others.collect())
    }

    /// The guards of `policy` that are enforced at `now`.
    pub(super) fn enforced(&self, policy: &PolicyConfig, now: Timestamp) -> PolicyConfig {
        let all = Part { policy: policy.clone(), ..Part::default() };
        let (base, others) = self.split(all, &[]);
        let all = std::iter::once((self.whole, base)).chain(others);
        let all = all.filter(|(mode, _)| is_enforced(*mode, now));
        let mut enforced = PolicyConfig {
            paths: policy.paths.clone(),
            tools: policy.tools.clone(),
            ..PolicyConfig::default()
        };
        for (_, Part { policy: part, .. }) in all {
            enforced.write_guard = enforced.write_guard.or(part.write_guard);
            enforced.read_guard = enforced.read_guard.or(part.read_guard);
            enforced.command_guard = enforced.command_guard.or(part.command_guard);
            enforced.rules.extend(part.rules);
            enforced.protected.extend(part.protected);
        }
        enforced
    }

    /// Whether what has no mode of its own is enforced at `now`.
    pub(super) fn enforces_whole(&self, now: Timestamp) -> bool {
        is_enforced(self.whole, now)
    }

    /// The parts in the shadow at `now`, in the order of the file. `root` is the whole tree.
    pub(super) fn in_shadow(&self, root: &Node, now: Timestamp) -> Vec<InShadow> {
        let whole = self.whole.map(|shadow| (String::new(), Some(shadow)));
        let all = whole.into_iter().chain(self.own.iter().cloned());
        let observed = all.filter(|(_, mode)| !is_enforced(*mode, now));
        let mut observed: Vec<_> = observed
            .map(|(path, mode)| {
                let name = root.find(&path).and_then(|node| node.get("name"));
                let name = name.and_then(|name| match &name.kind {
                    Kind::Text(text) => Some(text.clone()),
                    _ => None,
                });
                InShadow { name, path, until: mode.and_then(Shadow::end) }
            })
            .collect();
        observed.sort_by_key(|one| root.locate(&one.path).span.start);
        observed
    }
}

fn is_enforced(mode: Mode, now: Timestamp) -> bool {
    mode.is_none_or(|shadow| shadow.end().is_some_and(|end| now >= end))
}

struct Split<'a> {
    modes: &'a Modes,
    base: Part,
    others: Vec<(Mode, RuleAction, Part)>,
}

impl Split<'_> {
    /// The part with `mode`. Rules of different actions are kept apart in the shadow, so that each is
    /// noted, and not only the strongest.
    fn other(&mut self, mode: Mode, action: RuleAction) -> &mut Part {
        let action = if mode.is_some() { action } else { RuleAction::Deny };
        let is_same = |one: &(Mode, RuleAction, Part)| one.0 == mode && one.1 == action;
        let index = self.others.iter().position(is_same).unwrap_or(self.others.len());
        if index == self.others.len() {
            self.others.push((mode, action, Part::default()));
        }
        // There is one at `index`; without it, nothing would be lost but a panic.
        match self.others.get_mut(index) {
            Some((_, _, part)) => part,
            None => &mut self.base,
        }
    }

    /// Moves the sections whose mode is not that of the file.
    fn sections(&mut self) {
        macro_rules! moved {
            ($($of:ident . $section:ident)*) => { $(
                let mode = self.modes.mode_of(stringify!($section));
                if mode != self.modes.whole && let Some(own) = self.base.$of.$section.take() {
                    self.other(mode, RuleAction::Deny).$of.$section = Some(own);
                }
            )* };
        }
        moved! {
            policy.write_guard policy.read_guard policy.command_guard policy.reviewer_lockout policy.ask_user
            policy.limits policy.budget policy.spawn
            team.boundaries team.ceremonies team.decisions team.phases team.routes
        }
    }

    fn lists(&mut self, all: &Part, entries: &[usize]) {
        let whole = self.modes.whole;
        self.base.policy.rules.clear();
        for (index, rule) in all.policy.rules.iter().enumerate() {
            match self.modes.mode_of(&format!("rules[{index}]")) {
                mode if mode == whole => self.base.policy.rules.push(rule.clone()),
                mode => self.other(mode, rule.action).policy.rules.push(rule.clone()),
            }
        }
        self.base.packs.clear();
        for (index, pack) in all.packs.iter().enumerate() {
            let entry = entries.get(index).copied().unwrap_or(index);
            match self.modes.mode_of(&format!("packs[{entry}]")) {
                mode if mode == whole => self.base.packs.push(pack.clone()),
                mode => self.other(mode, RuleAction::Deny).packs.push(pack.clone()),
            }
        }
        if self.base.packs.is_empty() {
            self.base.policy.packs.clear();
        }
        self.base.team.sequences.clear();
        for (index, rule) in all.team.sequences.iter().enumerate() {
            match self.modes.mode_of(&format!("sequences[{index}]")) {
                mode if mode == whole => self.base.team.sequences.push(rule.clone()),
                mode => self.other(mode, RuleAction::Deny).team.sequences.push(rule.clone()),
            }
        }
    }
}

/// Adds the modes to the schema of the file, whose sections and definitions are complete.
pub(super) fn add_schemas(root: &mut Map<String, Value>) {
    let options = [(MODE, mode_schema()), (UNTIL, until_schema())];
    let mut wanted: Vec<String> = Vec::new();
    if let Some(Value::Object(properties)) = root.get_mut("properties") {
        for (key, option) in &options {
            properties.insert((*key).to_owned(), option.clone());
        }
        for section in SECTIONS {
            add_to(properties.get_mut(section), &options, &mut wanted);
        }
        for list in LISTS {
            add_to(properties.get_mut(list).and_then(|list| list.get_mut("items")), &options, &mut wanted);
        }
    }
    // Definitions lead to others, as that of an entry of `packs` does.
    while let Some(name) = wanted.pop() {
        let Some(definition) = root.get_mut("$defs").and_then(|all| all.get_mut(&name)) else { continue };
        add_to(Some(definition), &options, &mut wanted);
    }
}

fn add_to(schema: Option<&mut Value>, options: &[(&str, Value)], wanted: &mut Vec<String>) {
    let Some(schema) = schema else { return };
    if let Some(name) = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next()) {
        wanted.push(name.to_owned());
    }
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.extend(options.iter().map(|(key, option)| ((*key).to_owned(), option.clone())));
    }
    for alternatives in ["anyOf", "oneOf"] {
        if let Some(Value::Array(all)) = schema.get_mut(alternatives) {
            all.iter_mut().for_each(|one| add_to(Some(one), options, wanted));
        }
    }
}

fn mode_schema() -> Value {
    json!({
        "enum": MODES,
        "default": "enforce",
        "description":
            "`observe`: judge and record, and answer as if this were not here. What it would have done is in the record, the metrics and `hooks status`.",
    })
}

fn until_schema() -> Value {
    json!({
        "type": "string",
        "description":
            "With `mode: observe`: the day, such as `2027-01-31`, from whose first moment in UTC on this is enforced. Also a moment, such as `2027-01-31T08:00:00Z`.",
    })
}
