//! The effect of each section of `hooks.yaml` behind each client: it works, works in part, or is inert. For the wired
//! clients, `hooks check` and `hooks doctor` print the sections of a file that do not work as a whole, and
//! `docs/sections.md` has all of them.
//!
//! A cell follows from the events that `hooks init` wires for the client, and from the answers that the client
//! takes at them ([`capabilities`]).

use std::fmt;

use hooks::EventKind;
use hooks::budgets::SpendEnforcement;
use hooks::command::HookEvent;
use hooks::config::{Config, nearest};
use hooks_protocols::{Ability, Client, TranscriptLedger, Wish, capabilities};

use crate::failure::Failure;
use crate::init::settings::events;
use crate::wrap;

/// Effect of a section behind a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The section has its whole effect.
    Works,
    /// The section has part of its effect, as described.
    Part(&'static str),
    /// The section has no effect, for this reason.
    Inert(&'static str),
}

impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Works => f.write_str("works"),
            Self::Part(how) => write!(f, "works in part: {how}"),
            Self::Inert(why) => write!(f, "does nothing: {why}"),
        }
    }
}

impl Reach {
    /// Effect in one word or two, as in `docs/sections.md`.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Works => "yes",
            Self::Part(_) => "in part",
            Self::Inert(_) => "no",
        }
    }

    /// Explanation of an effect that is not the whole one.
    pub(crate) const fn note(self) -> Option<&'static str> {
        match self {
            Self::Works => None,
            Self::Part(note) | Self::Inert(note) => Some(note),
        }
    }
}

/// The client with a name of the command line.
pub(crate) fn client_named(name: &str) -> Result<Client, Failure> {
    name.parse().map_err(|error| {
        let near = nearest(name, Client::ALL.iter().map(|client| client.name()));
        let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        Failure::message(format!("{error}{hint}"))
    })
}

/// The clients that `hooks init` wires, in the order of the page.
pub(crate) const CLIENTS: [Client; 13] = [
    Client::Claude,
    Client::Codex,
    Client::Gemini,
    Client::Copilot,
    Client::VsCode,
    Client::Cursor,
    Client::DockerAgent,
    Client::OpenCode,
    Client::Qwen,
    Client::Kimi,
    Client::Windsurf,
    Client::Goose,
    Client::Droid,
];

/// The sections of a configuration that do not have their whole effect behind a client.
pub(crate) fn limited(config: &Config, client: Client) -> impl Iterator<Item = (&str, Reach)> {
    let budget = config.policy().budget.as_ref();
    let is_elsewhere = budget.is_some_and(|budget| budget.enforce == SpendEnforcement::Layer);
    let has_log = config.recording().is_some();
    let runs_all = silent_handlers(config, client).is_empty();
    let cell = move |name: &str| match name {
        "metrics" | "sinks" if !has_log => {
            Some(Reach::Inert("they are fed from the log: add the section `audit`"))
        }
        "prompts" => Some(prompts_in(config, client)),
        "context" => Some(context_in(config, client)),
        "rules" => Some(rules_in(config, client)),
        "sandbox" => Some(sandbox_in(config, client)),
        // Their events are named one by one.
        "hooks" if runs_all => Some(Reach::Works),
        "budget" if is_elsewhere => {
            Some(Reach::Inert("`enforce: layer` counts in a layer of a Rust service"))
        }
        _ => reach(name, client),
    };
    let cells = config.section_names().iter().filter_map(move |name| Some((name.as_str(), cell(name)?)));
    cells.filter(|(_, reach)| *reach != Reach::Works)
}

/// The events of handlers in a configuration that a client never reports, so that these handlers never run behind it.
pub(crate) fn silent_handlers(config: &Config, client: Client) -> Vec<&'static str> {
    let mut silent: Vec<_> = config.handlers().into_iter().flat_map(|(_, events)| events).collect();
    silent.retain(|(name, count)| {
        *count > 0 && HookEvent::meant_by(name).iter().all(|event| !reports(client, event.kind))
    });
    let mut silent: Vec<_> = silent.into_iter().map(|(name, _)| name).collect();
    silent.sort_unstable();
    silent.dedup();
    silent
}

/// The text about [`silent_handlers`]; `None` if all handlers run.
pub(crate) fn about_handlers(config: &Config, client: Client) -> Option<String> {
    let silent = silent_handlers(config, client);
    let names: Vec<_> = silent.iter().map(|event| format!("`{event}`")).collect();
    (!names.is_empty())
        .then(|| format!("the handlers of {} never run: {client} reports no such event", names.join(", ")))
}

/// The effect of a section, or of a key in one (`limits.iterations`), behind a client; `None` for an unknown
/// section.
pub(crate) fn reach(section: &str, client: Client) -> Option<Reach> {
    Some(match section {
        "version" | "mode" | "until" | "profile" | "self_protection" | "tenant" | "tenants" | "policies"
        | "store" | "hook_profile" | "protected" | "paths" | "tools" | "write_guard" | "read_guard"
        | "command_guard" | "reviewer_lockout" | "ask_user" | "audit" | "limits" | "limits.calls" => {
            Reach::Works
        }
        "rules" => rules(client),
        "packs" if asks(client) => Reach::Works,
        "packs" => CANNOT_ASK,
        "sequences" => sequences(client),
        "limits.loops" => loops(client),
        "budget" => model_calls(client),
        "limits.iterations" => iterations(client),
        "redaction" => redaction(client),
        "spawn" => spawns(client),
        "models" => Reach::Inert("the client calls its models itself; this is for Rust services"),
        "hooks" => Reach::Part("handlers of the events that this client reports"),
        "context" => context(client),
        "compaction" => compaction(client),
        "session_end" => session_end(client),
        "prompts" => prompts(client),
        "scribe" | "decisions" => Reach::Works,
        "notices" => notices(client),
        "phases" => phases(client),
        "boundaries" => boundaries(client),
        "ceremonies" => Reach::Works,
        "routes" => routes(client),
        "reload" => Reach::Inert(
            "each call of a client reads the files; this is for hosts that run on, as `hooks serve`",
        ),
        "sandbox" => sandbox(client),
        "effects" => effects(client),
        "cache" => Reach::Inert("a hook of a client cannot answer a call; this is for Rust services"),
        "metrics" => Reach::Part(
            "with `audit`, `hooks audit metrics` counts them from the record, without durations of hooks",
        ),
        "sinks" => Reach::Part("with `audit`, records are delivered while `hooks audit feed` runs"),
        _ => return None,
    })
}

/// The best ability of a client at the wired events of a kind; `None` if it reports none.
fn best(client: Client, kind: EventKind, wish: Wish) -> Option<Ability> {
    let rows = events(client).into_iter().filter_map(move |event| capabilities(client, event));
    let abilities = rows.filter(|row| row.event() == Some(kind)).map(|row| row.can(wish));
    abilities.min_by_key(|ability| match ability {
        Ability::Yes => 0,
        Ability::Nearly(_) => 1,
        Ability::Sometimes => 2,
        _ => 3,
    })
}

fn reports(client: Client, kind: EventKind) -> bool {
    best(client, kind, Wish::Deny).is_some()
}

fn can(client: Client, kind: EventKind, wish: Wish) -> bool {
    best(client, kind, wish).is_some_and(|ability| ability != Ability::No)
}

/// Effect of an `ask` that is a denial at some calls.
const CANNOT_ASK: Reach =
    Reach::Part("the client cannot ask, at some calls or at any, so `ask` is a denial there");

/// Returns whether a client asks the user at every call of a tool.
fn asks(client: Client) -> bool {
    // Cursor asks at some calls only.
    let rows = events(client).into_iter().filter_map(|event| capabilities(client, event));
    rows.filter(|row| row.event() == Some(EventKind::PreToolUse))
        .all(|row| row.can(Wish::Ask) == Ability::Yes)
}

fn rules(client: Client) -> Reach {
    match (asks(client), can(client, EventKind::PreToolUse, Wish::Allow)) {
        (true, true) => Reach::Works,
        (true, false) => Reach::Part("the client asks its own questions about calls that a rule allows"),
        (false, _) => CANNOT_ASK,
    }
}

/// Effect of the rules that a file has: those with `results` need a client that withholds every result.
fn rules_in(config: &Config, client: Client) -> Reach {
    let judges_results = config.policy().rules.iter().any(|rule| rule.results.is_some());
    let rows = events(client).into_iter().filter_map(|event| capabilities(client, event));
    let of_results: Vec<_> = rows.filter(|row| row.event() == Some(EventKind::PostToolUse)).collect();
    if !judges_results {
        return rules(client);
    }
    match of_results.is_empty() {
        true => Reach::Part("rules with `results` have no effect: the client reports no results"),
        false if of_results.iter().all(|row| row.can(Wish::Deny) == Ability::Yes) => rules(client),
        false => Reach::Part(
            "a result that a rule with `results` denies is not withheld at every event; where it cannot be, the run ends",
        ),
    }
}

fn sequences(client: Client) -> Reach {
    match (reports(client, EventKind::PostToolUse), asks(client)) {
        (true, true) => Reach::Works,
        (true, false) => CANNOT_ASK,
        (false, _) => Reach::Part(
            "the client reports no results, so no call lifts a rule, and every result counts as sent",
        ),
    }
}

fn loops(client: Client) -> Reach {
    if reports(client, EventKind::PostToolUse) {
        return Reach::Works;
    }
    Reach::Part("the client reports no results, so repeated calls count whatever they return")
}

fn model_calls(client: Client) -> Reach {
    let has = |kind| reports(client, kind);
    if has(EventKind::BeforeModelCall) && has(EventKind::AfterModelCall) {
        let asks = best(client, EventKind::BeforeModelCall, Wish::Ask) == Some(Ability::Yes);
        let changes = best(client, EventKind::BeforeModelCall, Wish::Rewrite) == Some(Ability::Yes);
        return match asks && changes {
            true => Reach::Works,
            false => Reach::Part(
                "calls are held and denied; the client takes no question, or no cheaper model, before a call",
            ),
        };
    }
    if TranscriptLedger::new(client).is_some() {
        return Reach::Part(
            "answers are counted in the client's transcript, and what follows is denied; no question or cheaper model before",
        );
    }
    if client == Client::OpenCode {
        return Reach::Part(
            "answers are counted when the client reports them, and what follows is denied; no question or cheaper model before",
        );
    }
    Reach::Inert("the client reports no tokens of its model, and its transcript is not read")
}

fn iterations(client: Client) -> Reach {
    match model_calls(client) {
        Reach::Part(_) if TranscriptLedger::new(client).is_some() => {
            Reach::Part("answers are counted in the client's transcript, and further tools are denied")
        }
        Reach::Part(_) if client == Client::OpenCode => {
            Reach::Part("answers are counted when the client reports them, and further tools are denied")
        }
        Reach::Part(_) => Reach::Works,
        reach => reach,
    }
}

fn redaction(client: Client) -> Reach {
    let rows: Vec<_> = events(client).into_iter().filter_map(|event| capabilities(client, event)).collect();
    let of_results = || rows.iter().filter(|row| row.event() == Some(EventKind::PostToolUse));
    let abilities = || of_results().map(|row| row.can(Wish::Rewrite));
    match () {
        () if of_results().next().is_none() || abilities().all(|ability| ability == Ability::No) => {
            Reach::Inert("the client takes no changed result")
        }
        () if abilities().any(|ability| ability == Ability::No) => {
            Reach::Part("the results of some calls, such as failed ones, cannot be changed")
        }
        () if abilities().all(|ability| ability == Ability::Yes) => Reach::Works,
        () => Reach::Part("a changed result looks like an error, or only some results can be changed"),
    }
}

fn sandbox(client: Client) -> Reach {
    match client {
        Client::Claude => Reach::Part(
            "on Linux, shell calls run in the sandbox with `calls: wrapped`; without it, this is for `hooks exec`",
        ),
        _ if client.carries_commands() => Reach::Part(
            "on Linux, shell calls run in the sandbox with `calls: wrapped`, if the client's own lists allow the wrapper; without it, this is for `hooks exec`",
        ),
        _ => Reach::Inert("shell calls of the client do not run in the sandbox; this is for `hooks exec`"),
    }
}

/// Snapshots are taken where commands run in the sandbox.
fn effects(client: Client) -> Reach {
    match sandbox(client) {
        Reach::Inert(_) => {
            Reach::Inert("shell calls of the client do not run under `hooks exec`; this is for it")
        }
        _ => Reach::Part("on Linux, for shell calls with `sandbox.calls: wrapped`, and for `hooks exec`"),
    }
}

/// Effect of the section that a file has: without `calls` it is about commands that a person runs.
fn sandbox_in(config: &Config, client: Client) -> Reach {
    match (sandbox(client), wrap::is_wanted(config)) {
        (Reach::Part(_), true) if cfg!(target_os = "linux") && client == Client::Claude => Reach::Works,
        (Reach::Part(_), true) if cfg!(target_os = "linux") => {
            Reach::Part("shell calls run in the sandbox if the client's own lists allow the wrapper")
        }
        (Reach::Part(_), true) => {
            Reach::Inert("there is no sandbox on this system, so shell calls are denied")
        }
        (Reach::Part(_), false) => Reach::Inert(
            "shell calls do not run in the sandbox without `calls: wrapped`; this is for `hooks exec`",
        ),
        (reach, _) => reach,
    }
}

fn spawns(client: Client) -> Reach {
    if can(client, EventKind::SubagentStart, Wish::Deny) {
        return Reach::Works;
    }
    Reach::Part("a child is denied at the tool that starts it")
}

fn context(client: Client) -> Reach {
    match can(client, EventKind::SessionStart, Wish::Context) {
        true => Reach::Works,
        false => Reach::Inert("the client takes no context when a session starts"),
    }
}

/// Effect of the options of `context` that a file has: few clients take a model.
fn context_in(config: &Config, client: Client) -> Reach {
    let names_model = config.context().context.as_ref().is_some_and(|context| context.model.is_some());
    let takes_model = can(client, EventKind::SessionStart, Wish::Model);
    match context(client) {
        Reach::Works if names_model && !takes_model => {
            Reach::Part("`model` has no effect: the client takes no model from a hook")
        }
        reach => reach,
    }
}

fn compaction(client: Client) -> Reach {
    match can(client, EventKind::PreCompact, Wish::Context) {
        true => Reach::Part("only `context` and `not_below_percent` have an effect"),
        false => Reach::Inert("the client takes no context before a compaction"),
    }
}

fn session_end(client: Client) -> Reach {
    let (ends, results) = (reports(client, EventKind::SessionEnd), reports(client, EventKind::PostToolUse));
    let has_tokens = reports(client, EventKind::AfterModelCall) || TranscriptLedger::new(client).is_some();
    match (ends, results, has_tokens) {
        (true, true, true) => Reach::Works,
        (true, true, false) => Reach::Part("tokens are not counted: the client reports none"),
        (true, false, _) => Reach::Part("tool calls are not counted: the client reports no results"),
        (false, _, _) => {
            Reach::Part("the client reports no end of a session; the next start ends it a day later")
        }
    }
}

fn prompts(client: Client) -> Reach {
    let wish = |wish| best(client, EventKind::UserPromptSubmitted, wish);
    let takes_context = wish(Wish::Context).is_some_and(|ability| ability != Ability::No);
    match (wish(Wish::Rewrite), wish(Wish::Deny)) {
        (Some(Ability::Yes), _) => Reach::Works,
        (_, Some(Ability::Yes)) if takes_context => Reach::Part(
            "a message that `scrub` would change is denied, as the client cannot replace it; texts of `required` are added as context",
        ),
        (_, Some(Ability::Yes)) => Reach::Part(
            "a message that `scrub` or `required` would change is denied, as the client cannot replace it; it takes no context with one",
        ),
        _ => Reach::Inert("the client takes no answer to a prompt"),
    }
}

/// Effect of the options of `prompts` that a file has: only `scrub` changes a message itself.
fn prompts_in(config: &Config, client: Client) -> Reach {
    let scrubs = config.context().prompts.as_ref().is_some_and(|prompts| prompts.scrub);
    match can(client, EventKind::UserPromptSubmitted, Wish::Context) && !scrubs {
        true => Reach::Works,
        false => prompts(client),
    }
}

fn notices(client: Client) -> Reach {
    let takes = |kind| can(client, kind, Wish::Context);
    let any = [
        EventKind::UserPromptSubmitted,
        EventKind::PreToolUse,
        EventKind::PostToolUse,
        EventKind::SessionStart,
    ];
    match any.into_iter().any(takes) {
        true => Reach::Works,
        false => Reach::Inert("the client takes no context"),
    }
}

fn phases(client: Client) -> Reach {
    let stops = can(client, EventKind::Stop, Wish::Deny);
    let warns = can(client, EventKind::PostToolUse, Wish::Context);
    match (stops, warns) {
        (true, true) => {
            Reach::Part("the client makes no commits; in a Rust service the host makes those of the pipeline")
        }
        (true, false) => {
            Reach::Part("the client takes no warning about the output of an agent, and makes no commits")
        }
        (false, _) => {
            Reach::Part("the client does not let a hook keep an agent from stopping, and makes no commits")
        }
    }
}

fn boundaries(client: Client) -> Reach {
    match client == Client::DockerAgent || reports(client, EventKind::SubagentStart) {
        true => Reach::Works,
        false => Reach::Part("the client names no subagents, so only `others` applies to its calls"),
    }
}

fn routes(client: Client) -> Reach {
    match reports(client, EventKind::Route) {
        true => Reach::Works,
        false => Reach::Part("calls of `squad_route` are judged; open tasks are not counted there"),
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;
    use std::{env, fs};

    use super::*;

    const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/sections.md");

    const HEAD: &str = "\
# Sections behind clients

What each section of `hooks.yaml` does behind each client that calls `hooks run`. In a Rust service all of them work. For the clients that are wired,
`hooks check` and `hooks doctor` name the sections of your file that are not `yes` here. `HOOKS_BLESS=1 cargo test -p tower-hooks-cli --bin hooks reach` writes this page from the
[tables of the clients](clients.md).
";

    /// Every key at the top of a file, and the limits one by one.
    fn sections() -> Vec<String> {
        let schema = hooks::config::schema();
        let properties = schema.get("properties").and_then(serde_json::Value::as_object).unwrap();
        let all = properties.keys().filter(|key| *key != "limits").cloned();
        all.chain(["calls", "loops", "iterations"].map(|limit| format!("limits.{limit}"))).collect()
    }

    /// The page, with the cells that `reach` gives.
    fn page(reach: impl Fn(&str, Client) -> Option<Reach>) -> String {
        let mut page = HEAD.to_owned();
        let titles: Vec<&str> = CLIENTS.iter().map(|client| client.title()).collect();
        write!(page, "\n| section | {} |\n|{}\n", titles.join(" | "), " --- |".repeat(titles.len() + 1))
            .unwrap();
        let mut notes: Vec<&str> = Vec::new();
        for section in sections() {
            write!(page, "| `{section}` |").unwrap();
            for client in CLIENTS {
                let reach = reach(&section, client).unwrap();
                let word = reach.word();
                let number = reach.note().map(|note| {
                    let place = notes.iter().position(|other| *other == note);
                    place.unwrap_or_else(|| {
                        notes.push(note);
                        notes.len() - 1
                    }) + 1
                });
                let number = number.map(|number| format!(" ({number})")).unwrap_or_default();
                write!(page, " {word}{number} |").unwrap();
            }
            page.push('\n');
        }
        page.push('\n');
        for (number, note) in notes.iter().enumerate() {
            writeln!(page, "{}. {note}", number + 1).unwrap();
        }
        page
    }

    #[test]
    fn no_cell_is_silent_and_the_page_has_them_all() {
        for section in sections() {
            for client in CLIENTS {
                assert!(reach(&section, client).is_some(), "`{section}` behind {client} is not known");
            }
        }
        if env::var_os("HOOKS_BLESS").is_some() {
            fs::write(PAGE, page(reach)).unwrap();
        }
        let written = fs::read_to_string(PAGE).unwrap_or_default();
        assert!(
            written == page(reach),
            "docs/sections.md is not what the tables say; HOOKS_BLESS=1 writes it"
        );
    }

    /// The comparison above fails for each cell that is another one.
    #[test]
    fn another_cell_is_another_page() {
        let written = fs::read_to_string(PAGE).unwrap_or_default();
        for section in sections() {
            for client in CLIENTS {
                let other = match reach(&section, client) {
                    Some(Reach::Works) => Reach::Inert("it is broken"),
                    _ => Reach::Works,
                };
                let broken = |name: &str, of: Client| {
                    let is_it = name == section && of == client;
                    if is_it { Some(other) } else { reach(name, of) }
                };
                assert!(written != page(broken), "`{section}` behind {client}");
            }
        }
    }

    #[test]
    fn sections_that_need_others_or_events_have_no_effect_without_them() {
        let config = |text: &str| Config::parse(text, "hooks.yaml").unwrap();
        let cell = |text: &str, section: &str| {
            let config = config(text);
            limited(&config, Client::Claude).find(|(name, _)| *name == section).map(|(_, reach)| reach)
        };
        assert!(matches!(cell("version: 1\nmetrics: {}\n", "metrics"), Some(Reach::Inert(_))));
        let handlers = |events: &[&str]| {
            let hook = |event| format!("  {event}: [{{ type: command, command: 'true' }}]\n");
            let hooks: String = events.iter().map(hook).collect();
            format!("version: 1\nhooks:\n{hooks}")
        };
        let text = handlers(&["on_error", "stop"]);
        assert_eq!(cell(&text, "hooks"), None);
        assert_eq!(about_handlers(&config(&text), Client::Claude), None);
        let text = handlers(&["on_error", "turn_end", "before_llm_call"]);
        assert!(matches!(cell(&text, "hooks"), Some(Reach::Part(_))));
        assert_eq!(silent_handlers(&config(&text), Client::Claude), ["before_llm_call", "turn_end"]);
        assert_eq!(silent_handlers(&config(&text), Client::Gemini), ["on_error", "turn_end"]);
        assert!(silent_handlers(&config(&text), Client::DockerAgent).is_empty());
    }

    #[test]
    fn options_of_prompts_that_a_client_cannot_do_are_named() {
        let cell = |options: &str, client| {
            let config = Config::parse(&format!("version: 1\nprompts: {options}\n"), "hooks.yaml").unwrap();
            limited(&config, client).find(|(name, _)| *name == "prompts").map(|(_, reach)| reach)
        };
        let (scrub, required) = ("{ scrub: true }", "{ required: [Keep to the law.] }");
        for client in [Client::Claude, Client::Codex, Client::Gemini, Client::DockerAgent] {
            assert_eq!((cell("{}", client), cell(required, client)), (None, None), "{client}");
            let why = cell(scrub, client).and_then(Reach::note).unwrap();
            assert!(
                why.contains("`scrub` would change is denied") && why.contains("as context"),
                "{client}: {why}"
            );
        }
        for client in [Client::VsCode, Client::Cursor] {
            for options in [scrub, required] {
                let why = cell(options, client).and_then(Reach::note).unwrap();
                assert!(why.contains("`scrub` or `required` would change is denied"), "{client}: {why}");
            }
        }
        assert_eq!((cell(scrub, Client::Copilot), cell(required, Client::Copilot)), (None, None));
    }

    #[test]
    fn rules_for_results_are_named_where_a_result_cannot_be_withheld() {
        let cell = |results: &str, client| {
            let text = format!("version: 1\nrules: [{{ name: a, tools: [bash]{results} }}]\n");
            let config = Config::parse(&text, "hooks.yaml").unwrap();
            limited(&config, client).find(|(name, _)| *name == "rules").map(|(_, reach)| reach)
        };
        assert_eq!(cell("", Client::Claude), None);
        let why = cell(", results: failed", Client::Claude).and_then(Reach::note).unwrap();
        assert!(why.contains("the run ends"), "{why}");
    }

    #[test]
    fn a_new_section_has_no_cell_until_it_is_written() {
        assert_eq!(reach("new_section", Client::Claude), None);
    }

    #[test]
    fn cells_are_those_that_were_seen_in_front_of_the_clients() {
        for (section, client, works) in [
            ("limits.iterations", Client::Gemini, true),
            ("limits.iterations", Client::DockerAgent, true),
            ("rules", Client::Cursor, false),
            ("budget", Client::Gemini, false),
            ("budget", Client::Claude, false),
            ("budget", Client::VsCode, false),
            ("redaction", Client::Claude, false),
            ("cache", Client::Codex, false),
            ("write_guard", Client::Cursor, true),
        ] {
            assert_eq!(reach(section, client) == Some(Reach::Works), works, "{section} {client}");
        }
        assert!(matches!(reach("budget", Client::Cursor), Some(Reach::Inert(_))));
        assert!(matches!(reach("budget", Client::Copilot), Some(Reach::Part(_))));
    }
}
