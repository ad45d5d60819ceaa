//! Policy that applies the rules.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::{Arc, LazyLock, OnceLock};

use hooks_core::event::PreToolUse;
use hooks_core::{Evidence, HookRequest, Policy, PolicyErrors, PolicyLayer, Reason, Verdict};
use hooks_facts::calls::{
    Call, CallReader, CommandMatch, NamedPath, PathPatterns, PlaceMatch, ReadMatch, is_command_pattern,
};
use hooks_facts::commands::{AccessKind, FoundEffect};
use hooks_facts::globs;
use hooks_facts::tools::PathRole;

use super::changes::{ConditionMatch, ReadChanges};
use super::examples;
use super::further::{FurtherConditions, has_further};
use super::index::{Bucket, ByAction, Index, PathRules};
use super::rule::{Origin, Rule};
use crate::config::{RuleAction, RuleConfig};

pub(super) const NAME: &str = "rules";

/// Most rules that the reasons of one judgement name.
const MOST_NAMED: usize = 8;

/// Custom rules; see the [module](super) for an example.
#[derive(Clone, Debug)]
pub struct Rules {
    reader: CallReader,
    rules: Vec<ListedRule>,
    index: Index,
    origin: Origin,
}

/// Rule of a list.
#[derive(Clone, Debug)]
enum ListedRule {
    Compiled(Box<Rule>),
    /// A rule about commands alone, which is compiled at the first call that has one of its programs: most calls have none of a pack's.
    /// Its patterns are checked before.
    Late(Box<RuleConfig>, OnceLock<Box<Rule>>),
}

impl ListedRule {
    /// A rule of a pack; each of its mistakes is reported.
    fn of_pack(config: RuleConfig, number: usize, reader: &CallReader, errors: &mut PolicyErrors) -> Self {
        let has_files = [&config.reads, &config.writes, &config.paths].iter().any(|list| !list.is_empty());
        let is_late =
            !config.commands.is_empty() && config.tools.is_empty() && !has_files && !has_further(&config);
        if is_late && config.commands.iter().all(|command| is_command_pattern(command)) {
            return Self::Late(Box::new(config), OnceLock::new());
        }
        Self::Compiled(Box::new(Rule::compile(&config, number, reader, None, errors)))
    }

    fn get(&self, number: usize, reader: &CallReader) -> &Rule {
        match self {
            Self::Compiled(rule) => rule,
            Self::Late(config, compiled) => compiled.get_or_init(|| {
                Box::new(Rule::compile(config, number, reader, None, &mut PolicyErrors::default()))
            }),
        }
    }
}

/// Rules in front of an inner hook.
pub type RulesLayer = PolicyLayer<Arc<Rules>>;

/// Rule that matches, and the part of the call that it matches.
struct Hit<'a> {
    rule: usize,
    on: On<'a>,
}

enum On<'a> {
    Call,
    /// Part of the call that a further condition is about.
    Part(String),
    Path(&'a NamedPath, String),
    /// Effect of a command, with the words that cause it.
    Effect(FoundEffect),
    /// Path or command that cannot be known before the call runs.
    Unknown(&'a str),
}

impl Rules {
    /// Creates rules about calls as `reader` reads them.
    ///
    /// # Errors
    /// Returns an error for each name, pattern and command that cannot be used, and for each example that
    /// contradicts its rule.
    ///
    /// An example in a rule that the rule does not match is an error of the configuration, as is an unusable name:
    ///
    /// ```
    /// use hooks_facts::calls::CallReader;
    /// use hooks_policies::Rules;
    /// use hooks_policies::config::RuleConfig;
    /// use serde_json::json;
    ///
    /// let rule: RuleConfig = serde_json::from_value(json!({
    ///     "name": "no-publish",
    ///     "commands": ["npm publish"],
    ///     "match": [{"tool": "bash", "args": {"command": "npm run publish"}}],
    /// }))?;
    /// let errors = Rules::new(&[rule], &CallReader::default()).expect_err("`npm run` publishes nothing");
    /// assert_eq!(
    ///     errors.to_string(),
    ///     "`rules[0].match[0]`: the rule does not match this call; widen the rule, or correct the example",
    /// );
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn new(rules: &[RuleConfig], reader: &CallReader) -> Result<Self, PolicyErrors> {
        let mut errors = PolicyErrors::default();
        let rules = Self::compile(rules, reader, None, &mut errors);
        errors.or(rules)
    }

    /// Wraps the rules in a layer.
    pub fn layer(self) -> RulesLayer {
        PolicyLayer::new(Arc::new(self))
    }

    /// Returns whether a rule may deny reading a file by a file tool.
    pub(crate) fn may_deny_reads(&self) -> bool {
        (0..self.rules.len()).filter_map(|number| self.rule(number)).any(Rule::may_deny_reads)
    }

    fn rule(&self, number: usize) -> Option<&Rule> {
        Some(self.rules.get(number)?.get(number, &self.reader))
    }

    pub(crate) fn compile(
        configs: &[RuleConfig],
        reader: &CallReader,
        changes: Option<&dyn ReadChanges>,
        errors: &mut PolicyErrors,
    ) -> Self {
        let before = errors.as_slice().len();
        let mut names = HashSet::new();
        for (index, config) in configs.iter().enumerate() {
            if !names.insert(&config.name) {
                let problem = format!("`{}` is the name of an earlier rule", config.name);
                errors.push(format!("rules[{index}].name"), problem, "give each rule a name of its own");
            }
        }
        let compiled = Self::unchecked(configs, reader, changes, errors);
        if errors.as_slice().len() == before {
            examples::check(configs, reader, changes, errors);
        }
        compiled
    }

    /// Compiles rules without checking their examples.
    pub(super) fn unchecked(
        configs: &[RuleConfig],
        reader: &CallReader,
        changes: Option<&dyn ReadChanges>,
        errors: &mut PolicyErrors,
    ) -> Self {
        let rules = configs
            .iter()
            .enumerate()
            .map(|(index, config)| {
                ListedRule::Compiled(Box::new(Rule::compile(config, index, reader, changes, errors)))
            })
            .collect();
        Self { reader: reader.clone(), rules, index: Index::new(configs, reader), origin: Origin::default() }
    }

    /// Compiles rules of packs, whose names are `PACK/RULE`.
    pub(crate) fn of_packs(configs: Vec<RuleConfig>, reader: &CallReader, errors: &mut PolicyErrors) -> Self {
        let index = Index::new(&configs, reader);
        let rules = configs.into_iter().enumerate();
        let rules =
            rules.map(|(number, config)| ListedRule::of_pack(config, number, reader, errors)).collect();
        Self { reader: reader.clone(), rules, index, origin: Origin::Packs }
    }

    /// Returns the first rule of each action that matches a call.
    fn hits<'r>(&self, call: Call<'r>) -> ByAction<Option<Hit<'r>>> {
        let mut hits = ByAction::default();
        let mut programs = None;
        let event = call.request().event();
        self.index.visit(&event.tool_name, &call.request().context().agent_name, |bucket| {
            for (hit, plain) in [
                (&mut hits.deny, bucket.plain.deny),
                (&mut hits.ask, bucket.plain.ask),
                (&mut hits.allow, bucket.plain.allow),
            ] {
                keep(hit, plain.map(|rule| Hit { rule, on: On::Call }));
            }
            for (about, paths) in
                [(About::Both, &bucket.paths), (About::Reads, &bucket.reads), (About::Writes, &bucket.writes)]
            {
                keep(&mut hits.deny, some_path(call, &paths.deny, about, self.origin));
                keep(&mut hits.ask, some_path(call, &paths.ask, about, self.origin));
                keep(&mut hits.allow, every_path(call, &paths.allow, about));
            }
            let with_commands = self.with_commands(call, bucket, &mut programs);
            for number in bucket.one_by_one.iter().chain(&*with_commands) {
                let Some(rule) = self.rule(*number) else { continue };
                let found = match &rule.further {
                    Some(further) => by_further(call, *number, rule, further, self.origin),
                    None => by_all(call, *number, rule, self.origin),
                };
                let found = found.filter(|hit| self.counts(hit));
                match rule.action {
                    RuleAction::Deny => keep(&mut hits.deny, found),
                    RuleAction::Ask => keep(&mut hits.ask, found),
                    RuleAction::Allow => keep(&mut hits.allow, found),
                }
            }
        });
        hits
    }
}

impl Rules {
    /// Returns the rules of a bucket whose commands may match a call. `programs` keeps the names of the call's programs.
    fn with_commands<'b>(
        &self,
        call: Call<'_>,
        bucket: &'b Bucket,
        programs: &mut Option<Vec<String>>,
    ) -> Cow<'b, [usize]> {
        if bucket.with_commands.is_empty() {
            return Cow::Borrowed(&[]);
        }
        let commands = call.commands();
        if self.origin == Origin::Rules && commands.has_unknown() {
            return Cow::Borrowed(&bucket.with_commands);
        }
        let programs = programs.get_or_insert_with(|| commands.program_names().collect());
        Cow::Owned(bucket.about(programs))
    }

    /// Returns whether a match counts: for packs, a path or command that cannot be known is not one.
    fn counts(&self, hit: &Hit<'_>) -> bool {
        self.origin == Origin::Rules || !matches!(hit.on, On::Unknown(_))
    }

    /// Returns further rules with an action that match a call, in their order. They are only looked for once a rule
    /// with that action decides.
    fn others<'r>(&self, call: Call<'r>, action: RuleAction, first: usize) -> Vec<Hit<'r>> {
        let event = call.request().event();
        let (mut numbers, mut programs) = (Vec::new(), None);
        self.index.visit(&event.tool_name, &call.request().context().agent_name, |bucket| {
            let may_match = self.with_commands(call, bucket, &mut programs);
            let is_other = |number: &&usize| {
                **number > first
                    && (bucket.with_commands.binary_search(number).is_err()
                        || may_match.binary_search(number).is_ok())
            };
            numbers.extend(bucket.all.get(action).iter().filter(is_other));
        });
        numbers.sort_unstable();
        numbers.dedup();
        let hits = numbers.into_iter().filter_map(|number| self.hit(call, number));
        hits.take(MOST_NAMED.saturating_sub(1)).collect()
    }

    /// Returns whether one rule of the call's tool and agent matches a call.
    fn hit<'r>(&self, call: Call<'r>, number: usize) -> Option<Hit<'r>> {
        let rule = self.rule(number)?;
        if let Some(further) = &rule.further {
            return by_further(call, number, rule, further, self.origin);
        }
        // A path that cannot be known is the same for each rule; the first one has it.
        by_all(call, number, rule, self.origin)
            .filter(|hit| rule.has_commands() || !matches!(hit.on, On::Unknown(_)))
            .filter(|hit| self.counts(hit))
    }

    /// Returns the judgement of a rule that matches a call.
    fn verdict(&self, tool: &str, hit: &Hit<'_>) -> Option<Verdict> {
        let rule = self.rule(hit.rule)?;
        let name = &rule.name;
        let text = || match &hit.on {
            On::Part(part) => format!("the rule `{name}` is about this call of `{tool}`: {part}"),
            On::Call => format!("the rule `{name}` is about this call of `{tool}`"),
            On::Effect(FoundEffect { effect, words, .. }) => {
                format!(
                    "the rule `{name}` is about this call of `{tool}`: `{words}` has the effect `{effect}`"
                )
            }
            On::Path(place, _) => format!("the rule `{name}` is about `{}`", place.given),
            On::Unknown(_) => String::new(),
        };
        Some(rule.verdict(self.origin, text, |reason| {
            match &hit.on {
                On::Call | On::Part(_) | On::Unknown(_) => reason,
                On::Effect(found) => reason.because(Evidence::Command { argv: vec![found.words.clone()] }),
                On::Path(place, reading) => reason
                    .on(&*place.pointer)
                    .because(Evidence::Path { given: place.given.clone(), resolved: globs::shown(reading) }),
            }
        }))
    }

    /// Returns the judgement of rules that may match a call which is not fully known: one reason, with the cause. It is
    /// not in the words of the operator, as none of the rules may be meant.
    fn unknown_verdict(&self, call: Call<'_>, hits: &[Hit<'_>]) -> Option<Verdict> {
        let first = hits.first()?;
        let rule = self.rule(first.rule)?;
        let names = hits.iter().filter_map(|hit| Some(format!("`{}`", self.rule(hit.rule)?.name)));
        let names = names.collect::<Vec<_>>().join(", ");
        let (rules, these) = if hits.len() == 1 { ("rule", "the rule") } else { ("rules", "the rules") };
        let message = format!("the {rules} {names} may apply: {}", why_unknown(call));
        let reason = Reason::new(NAME, rule.name.clone(), message).uncertain();
        let reason = match first.on {
            On::Unknown(pointer) if !pointer.is_empty() => reason.on(pointer),
            _ => reason,
        };
        let reason = reason.unless(format!("change or remove {these} {names}"));
        match rule.action {
            RuleAction::Deny => Some(Verdict::deny(reason)),
            RuleAction::Ask => Some(Verdict::ask(reason)),
            RuleAction::Allow => None,
        }
    }
}

impl Policy<PreToolUse> for Rules {
    fn name(&self) -> &'static str {
        NAME
    }

    fn judge(&self, request: &HookRequest<PreToolUse>) -> Verdict {
        let call = self.reader.read(request);
        let ByAction { deny, ask, allow } = self.hits(call);
        let Some(first) = deny.or(ask).or(allow) else { return Verdict::NO_OPINION };
        let tool = &request.event().tool_name;
        let Some(action) = self.rule(first.rule).map(|rule| rule.action) else {
            return Verdict::NO_OPINION;
        };
        let others = self.others(call, action, first.rule);
        let is_unknown = |hit: &Hit<'_>| matches!(hit.on, On::Unknown(_));
        let is_unknown_first = is_unknown(&first);
        let (unknown, known): (Vec<_>, Vec<_>) = std::iter::once(first).chain(others).partition(is_unknown);
        let mut of_known = Verdict::NO_OPINION;
        for one in known.iter().filter_map(|hit| self.verdict(tool, hit)) {
            of_known.merge(one);
        }
        let of_unknown = self.unknown_verdict(call, &unknown).unwrap_or(Verdict::NO_OPINION);
        let (mut verdict, rest) =
            if is_unknown_first { (of_unknown, of_known) } else { (of_known, of_unknown) };
        verdict.merge(rest);
        verdict
    }
}

/// Returns why a call is not fully known: the reason of the first command that cannot be analysed.
fn why_unknown(call: Call<'_>) -> String {
    let mut unresolved =
        call.commands().found.iter().filter_map(|command| command.analysis.unresolved.first());
    let Some(unresolved) = unresolved.next() else {
        return "the call is not fully known before it runs".to_owned();
    };
    let text = unresolved.reason.to_string();
    // The advice is given by the guard.
    text.split_once("; ").map_or(text.as_str(), |(reason, _)| reason).to_owned()
}

/// Keeps the rule that comes first.
fn keep<'a>(kept: &mut Option<Hit<'a>>, found: Option<Hit<'a>>) {
    if let Some(found) = found
        && kept.as_ref().is_none_or(|kept| found.rule < kept.rule)
    {
        *kept = Some(found);
    }
}

/// Files of a call that a condition is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum About {
    /// Those that are read or written.
    Both,
    Reads,
    Writes,
}

/// Returns a rule that matches some file of a call, or a file that cannot be known.
#[inline]
fn some_path<'r>(call: Call<'r>, rules: &PathRules, about: About, origin: Origin) -> Option<Hit<'r>> {
    // Most buckets have no such rules.
    find_some_path(call, rules, rules.first()?, about, origin)
}

/// No file is left out.
static NO_EXCEPTIONS: LazyLock<PathPatterns> = LazyLock::new(PathPatterns::default);

#[inline(never)]
fn find_some_path<'r>(
    call: Call<'r>,
    rules: &PathRules,
    first: usize,
    about: About,
    origin: Origin,
) -> Option<Hit<'r>> {
    let places = call.places();
    // A path that cannot be known is no match of a pack, and hides no match of another path.
    let counts_unknown = origin == Origin::Rules;
    let unknown = places.unknown.first().filter(|_| places.has_unknown());
    if counts_unknown && let Some(pointer) = places.unusable.first().or(unknown) {
        // Only writes of commands are reported as unknown.
        let is_meant = about != About::Reads || !call.kind().runs_commands();
        return is_meant.then_some(Hit { rule: first, on: On::Unknown(pointer) });
    }
    let mut best = None;
    if about != About::Reads {
        let all = places.found.iter().chain(&places.partial).chain(&places.redirected);
        let all = all.filter(|place| !place.is_nameless);
        for place in all.filter(|place| about == About::Both || place.is_written()) {
            if place.known(call).is_none() {
                if counts_unknown {
                    return Some(Hit { rule: first, on: On::Unknown(&place.pointer) });
                }
                continue;
            }
            let emptied = || find_emptied(call, rules, place);
            if let Some(found) = rules.patterns().find_place(call, place).or_else(emptied) {
                let rule = rules.owner(&found);
                keep(&mut best, rule.map(|rule| Hit { rule, on: On::Path(place, found.reading) }));
            }
        }
    }
    if about != About::Reads {
        for place in &places.emptied {
            let found = find_emptied(call, rules, place);
            let rule = found.as_ref().and_then(|found| rules.owner(found));
            let hit = rule.zip(found).map(|(rule, found)| Hit { rule, on: On::Path(place, found.reading) });
            keep(&mut best, hit);
        }
    }
    if about != About::Writes {
        if counts_unknown && call.reads().is_cut() {
            return Some(Hit { rule: first, on: On::Unknown("") });
        }
        for read in call.reads().each(call).filter(|read| read.kind != AccessKind::Used) {
            if read.place.known(call).is_none() {
                if counts_unknown {
                    return Some(Hit { rule: first, on: On::Unknown(&read.place.pointer) });
                }
                continue;
            }
            match rules.patterns().find_read(call, &read, &NO_EXCEPTIONS) {
                Some(ReadMatch::Found(found)) => {
                    let rule = rules.owner(&found);
                    keep(&mut best, rule.map(|rule| Hit { rule, on: On::Path(read.place, found.reading) }));
                }
                Some(ReadMatch::TooMany) => {
                    let reading = read.place.given.clone();
                    keep(&mut best, Some(Hit { rule: first, on: On::Path(read.place, reading) }));
                }
                None => {}
            }
        }
    }
    best
}

/// Returns the pattern of a folder that is emptied: removing `src/*` is removing `src`, and so is `src/**/*`. Programs that expand
/// wildcards themselves have them in their words.
fn find_emptied(call: Call<'_>, rules: &PathRules, place: &NamedPath) -> Option<PlaceMatch> {
    if place.role != PathRole::Removed {
        return None;
    }
    place.known(call)?.below_root().find_map(|reading| {
        let mut folder = reading.trim_end_matches('/');
        while let Some((above, _)) = folder.rsplit_once('/').filter(|(_, last)| is_any_name(last)) {
            folder = above;
        }
        let is_emptied = folder.len() < reading.trim_end_matches('/').len();
        let pattern = rules.patterns().meets(folder, call.ignores_case()).filter(|_| is_emptied)?;
        Some(PlaceMatch { pattern, reading: reading.to_owned() })
    })
}

/// Returns whether a part of a path stands for most names: `*`, `**`, `?*`, `*.*`.
fn is_any_name(part: &str) -> bool {
    use globs::Gap;
    let is_gap = |c: char| c == '*' || matches!(Gap::from_char(c), Some(Gap::Name | Gap::Folders));
    let is_open = |c: char| is_gap(c) || matches!(c, '.' | '?') || Gap::from_char(c) == Some(Gap::One);
    part.contains(is_gap) && part.chars().all(is_open)
}

/// Returns the first of the rules that together match every file of a call.
#[inline]
fn every_path<'r>(call: Call<'r>, rules: &PathRules, about: About) -> Option<Hit<'r>> {
    find_every_path(call, rules, rules.first()?, about)
}

#[inline(never)]
fn find_every_path<'r>(call: Call<'r>, rules: &PathRules, first: usize, about: About) -> Option<Hit<'r>> {
    let places = call.places();
    let unknown = !places.unusable.is_empty() || !places.unknown.is_empty() || !places.partial.is_empty();
    let reads = call.reads();
    if unknown || (about != About::Writes && (reads.is_cut() || !reads.unknown().is_empty())) {
        return None;
    }
    let written = places.found.iter().filter(|place| match about {
        About::Both => true,
        About::Writes => place.is_written(),
        About::Reads => false,
    });
    let read = call.reads().each(call).map(|read| read.place);
    let read =
        read.filter(|_| about != About::Writes && (call.kind().runs_commands() || about == About::Reads));
    let mut best = None;
    for place in written.chain(read) {
        if !rules.patterns().allow_place(call, place) {
            return None;
        }
        let found = rules.patterns().find_place(call, place);
        let reading = found.as_ref().map(|found| found.reading.clone()).unwrap_or_default();
        let rule = found.as_ref().and_then(|found| rules.owner(found)).unwrap_or(first);
        keep(&mut best, Some(Hit { rule, on: On::Path(place, reading) }));
    }
    best
}

/// Returns whether a rule with further conditions matches a call.
fn by_further<'r>(
    call: Call<'r>,
    number: usize,
    rule: &Rule,
    further: &FurtherConditions,
    origin: Origin,
) -> Option<Hit<'r>> {
    let found = further.compare(call);
    if found == ConditionMatch::Other
        || (found == ConditionMatch::Unknown && rule.action == RuleAction::Allow)
    {
        return None;
    }
    let hit = by_all(call, number, rule, origin)?;
    let on = match (found, hit.on) {
        (ConditionMatch::Unknown, _) => On::Unknown(""),
        (_, On::Call) => further.describe(call).map_or(On::Call, On::Part),
        (_, on) => on,
    };
    Some(Hit { rule: number, on })
}

/// Returns a file that a command takes from a variable. A rule for some commands is about each file that they change; for
/// other rules it does not count, because temporary files are named so.
fn nameless<'r>(call: Call<'r>, number: usize, rule: &Rule, about: About) -> Option<Hit<'r>> {
    if !rule.has_commands() || about == About::Reads {
        return None;
    }
    let places = call.places();
    let mut all = places.found.iter().chain(&places.partial);
    let place = all.find(|place| place.is_nameless && place.is_written())?;
    Some(Hit { rule: number, on: On::Unknown(&place.pointer) })
}

/// Returns an effect of code if a text in the code may name a file of the rule. A path from elsewhere, or code without a
/// text, may be any file.
fn in_code<'r>(
    call: Call<'r>,
    number: usize,
    rule: &Rule,
    paths: &PathRules,
    about: About,
) -> Option<Hit<'r>> {
    if about == About::Reads {
        return None;
    }
    let effects = call.commands().found.iter().map(|command| &command.analysis);
    let mut by_code = effects.filter(|analysis| rule.has_effect_in_code(analysis));
    by_code.find_map(|analysis| {
        let is_elsewhere = |text: &str| text.starts_with(['/', '~']);
        let is_meant = |text: &str| {
            let text = text.trim_start_matches("./").trim_end_matches(['/', '*']);
            is_elsewhere(text) || paths.patterns().find(text, call.ignores_case()).is_some()
        };
        let mut texts = analysis.texts_in_code().peekable();
        let hit = || Hit { rule: number, on: On::Call };
        (texts.peek().is_none() || texts.any(|text| is_meant(&text))).then(hit)
    })
}

/// Returns whether all conditions of a rule on files and commands match a call.
fn by_all<'r>(call: Call<'r>, number: usize, rule: &Rule, origin: Origin) -> Option<Hit<'r>> {
    let mut hit = Hit { rule: number, on: On::Call };
    for (about, paths) in
        [(About::Both, &rule.paths), (About::Reads, &rule.reads), (About::Writes, &rule.writes)]
    {
        if paths.is_empty() {
            continue;
        }
        hit = match rule.action {
            RuleAction::Allow => every_path(call, paths, about)?,
            RuleAction::Deny | RuleAction::Ask => {
                let named = some_path(call, paths, about, origin);
                named
                    .or_else(|| nameless(call, number, rule, about))
                    .or_else(|| in_code(call, number, rule, paths, about))?
            }
        };
    }
    if !rule.has_commands() {
        return Some(hit);
    }
    let commands = call.commands();
    let on = match rule.compare_commands(commands) {
        CommandMatch::Other => return None,
        CommandMatch::Unknown if rule.action == RuleAction::Allow => return None,
        // It also covers the files that the command writes by itself, for which it needs a pattern.
        CommandMatch::Same
            if rule.action == RuleAction::Allow
                && rule.paths.is_empty()
                && rule.writes.is_empty()
                && commands.redirect() =>
        {
            return None;
        }
        CommandMatch::Unknown => On::Unknown(commands.found.first().map_or("", |command| &command.pointer)),
        CommandMatch::Same => match (rule.find_effect(commands), hit.on) {
            (Some(found), On::Call) => On::Effect(found),
            (_, on @ On::Path(..)) => on,
            _ => On::Call,
        },
    };
    Some(Hit { rule: number, on })
}
