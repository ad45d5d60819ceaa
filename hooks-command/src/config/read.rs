//! Parses a block, and reports all of its mistakes.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Block, Entry, Handler, HandlerKind, Matcher, OnError};
use crate::builtin::Builtins;
use crate::event::{EVENTS, HookEvent, Lane, Powers};
use crate::model;
use crate::rules::Profile;
use crate::template::Template;

/// A parsed block and its mistakes. With an error among the faults, the block must not be used.
#[derive(Clone, Debug, Default)]
pub struct Read {
    /// The parts that could be parsed.
    pub block: Block,
    /// The mistakes, in the order of the block.
    pub faults: Vec<Fault>,
}

impl Read {
    /// Whether the block can be used, which it can if all faults are warnings.
    pub fn is_usable(&self) -> bool {
        self.faults.iter().all(|fault| fault.level == Level::Warning)
    }
}

/// A mistake in a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Path in the block: `pre_tool_use[0].hooks[0].timeout`.
    pub path: String,
    /// Whether the key is wrong, and not the value.
    pub is_key: bool,
    /// Severity of the mistake.
    pub level: Level,
    /// Description of the mistake.
    pub message: String,
    /// A correction, if there is an obvious one.
    pub hint: Option<String>,
}

/// The severity of a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The block is used, but an option has not the effect that it seems to have.
    Warning,
    /// The block is refused.
    Error,
}

/// The facts that a block is checked against.
#[derive(Clone, Copy, Debug)]
pub struct Known<'k> {
    /// Profile of the block.
    pub profile: Profile,
    /// Builtins of the host; `None` if they are not known yet.
    pub builtins: Option<&'k Builtins>,
    /// Whether the block can use our names of events, and events that only we have.
    pub our_events: bool,
    /// Whether the block is refused wherever docker-agent refuses it, even if nothing goes wrong.
    pub exactly: bool,
}

/// The options of an entry.
const ENTRY: [&str; 3] = ["matcher", "preempt_yolo", "hooks"];

/// The options of a handler.
const HANDLER: [&str; 12] = [
    "type",
    "name",
    "command",
    "args",
    "timeout",
    "env",
    "working_dir",
    "on_error",
    "strict_output",
    "model",
    "prompt",
    "schema",
];

/// A builtin that decides in the July profile only.
const SAFER_SHELL: &str = "safer_shell";

/// An option that exists since the September profile.
const STRICT_OUTPUT: &str = "strict_output";

/// Parses a block.
///
/// ```
/// use hooks_command::config::{Known, Level, read};
/// use hooks_command::{HookEvent, Lane, Profile};
/// use serde_json::json;
///
/// let known = Known { profile: Profile::September, builtins: None, our_events: false, exactly: false };
/// let block = json!({"stop": [{"type": "command", "command": "./check.sh"}]});
/// let good = read(&block, known);
/// assert!(good.faults.is_empty() && good.block.counts().eq([("stop", 1)]));
///
/// let bad = read(&json!({"stop": [{"type": "command", "comand": "./check.sh"}]}), known);
/// let fault = &bad.faults[0];
/// assert!(!bad.is_usable() && fault.level == Level::Error);
/// assert_eq!((&*fault.path, &*fault.message), ("stop[0].comand", "unknown option `comand`"));
/// assert_eq!(fault.hint.as_deref(), Some("did you mean `command`?"));
/// ```
pub fn read(block: &Value, known: Known<'_>) -> Read {
    let mut reader = HandlersParser { known, read: Read::default() };
    match block {
        Value::Null => {}
        Value::Object(events) => {
            for (key, value) in events {
                reader.event(key, value);
            }
        }
        other => reader.error("", format!("expected a map of events, found {}", what(other))),
    }
    reader.read
}

struct HandlersParser<'k> {
    known: Known<'k>,
    read: Read,
}

/// The position of a handler: its events, and its path in the block.
#[derive(Clone, Copy)]
struct At<'a> {
    events: &'a [&'static HookEvent],
    powers: Powers,
    path: &'a str,
}

impl HandlersParser<'_> {
    fn event(&mut self, key: &str, value: &Value) {
        let events = self.events_of(key);
        let Some(first) = events.first() else { return self.unknown_event(key) };
        let powers = first.powers(self.known.profile, Lane::Ordinary);
        if powers.on_tools {
            for (path, item) in items(key, value) {
                let at = At { events: &events, powers, path: &path };
                if let Some(entry) = self.entry(at, item) {
                    self.add(&events, &entry);
                }
            }
            return;
        }
        let mut handlers = Vec::new();
        for (path, item) in items(key, value) {
            let at = At { events: &events, powers, path: &path };
            handlers.extend(self.handler(at, item));
        }
        if !handlers.is_empty() {
            self.add(&events, &Entry { handlers, ..Entry::default() });
        }
    }

    fn add(&mut self, events: &[&'static HookEvent], entry: &Entry) {
        for event in events {
            self.read.block.add(event, entry.clone());
        }
    }

    fn events_of(&self, key: &str) -> Vec<&'static HookEvent> {
        let mut events = if self.known.our_events {
            HookEvent::meant_by(key)
        } else {
            HookEvent::named(key).filter(|event| event.is_theirs).into_iter().collect()
        };
        events.retain(|event| event.is_in(self.known.profile));
        events
    }

    fn unknown_event(&mut self, key: &str) {
        if HookEvent::named(key).is_some_and(|event| event.is_theirs && !event.is_in(self.known.profile)) {
            let hint = format!("leave the profile `{}` out to have it", self.known.profile);
            return self.fault(
                key,
                true,
                format!("there is no event {} in this profile", quoted(key)),
                Some(hint),
            );
        }
        let names = EVENTS
            .iter()
            .filter(|event| event.is_in(self.known.profile) && (event.is_theirs || self.known.our_events))
            .map(|event| event.name);
        let hint = nearest_event(key, names).map(|name| format!("did you mean `{name}`?"));
        self.fault(key, true, format!("unknown event {}", quoted(key)), hint);
    }

    /// An entry of an event about tools.
    fn entry(&mut self, at: At<'_>, value: &Value) -> Option<Entry> {
        let Value::Object(options) = value else {
            self.error(at.path, format!("expected a map with `hooks`, found {}", what(value)));
            return None;
        };
        if !options.contains_key("hooks") && options.keys().any(|key| HANDLER.contains(&key.as_str())) {
            // A handler in place of an entry is one mistake, and not one for each of its options.
            let message = format!("{} is about tools: it needs entries with `hooks`", at.events_named());
            self.fault(at.path, false, message, Some("put the hook under `hooks:`".to_owned()));
            return None;
        }
        self.unknown_options(at.path, options, &ENTRY);
        let matcher = self.matcher(at.path, options.get("matcher"));
        let lane = self.lane(at, options.get("preempt_yolo"));
        let powers = at.events.first().map_or(at.powers, |event| event.powers(self.known.profile, lane));
        let path = join(at.path, "hooks");
        let mut handlers = Vec::new();
        let mut stand_there = false;
        for (path, item) in items(&path, options.get("hooks").unwrap_or(&Value::Null)) {
            stand_there = true;
            handlers.extend(self.handler(At { powers, path: &path, ..at }, item));
        }
        if !stand_there {
            let place = if options.contains_key("hooks") { path.as_str() } else { at.path };
            self.fault(
                place,
                false,
                "there is no hook to run".to_owned(),
                Some("list at least one, or leave the entry out".to_owned()),
            );
        }
        Some(Entry { matcher: matcher?, lane, handlers })
    }

    fn matcher(&mut self, path: &str, value: Option<&Value>) -> Option<Matcher> {
        let path = join(path, "matcher");
        let pattern = self.text(&path, value)?;
        match Matcher::new(&pattern) {
            Ok(matcher) => Some(matcher),
            Err(problem) => {
                let hint = if pattern.contains('*') {
                    "a glob star is written `.*` here".to_owned()
                } else {
                    "write a regular expression that matches the whole name, such as `shell|edit_.*`"
                        .to_owned()
                };
                let message = format!("{} is not a valid pattern: {problem}", quoted(&pattern));
                if self.known.profile == Profile::July {
                    self.warn(&path, format!("{message}; the entry is left out"), Some(hint));
                } else {
                    self.fault(&path, false, message, Some(hint));
                }
                None
            }
        }
    }

    fn lane(&mut self, at: At<'_>, value: Option<&Value>) -> Lane {
        let path = join(at.path, "preempt_yolo");
        let preempts = self.flag(&path, value);
        let is_allowed = at.events.iter().any(|event| event.name == "pre_tool_use");
        let is_written = value.is_some_and(|value| !value.is_null());
        let counts = preempts || (self.known.exactly && is_written);
        if counts && !is_allowed && self.known.profile != Profile::July {
            let hint = "leave it out; a guard that no approval skips is a `tool_guard`".to_owned();
            let message = "only pre_tool_use can preempt: preempt_yolo has no meaning here".to_owned();
            self.fault(&path, true, message, Some(hint));
        }
        if preempts && is_allowed { Lane::Preempt } else { Lane::Ordinary }
    }

    fn handler(&mut self, at: At<'_>, value: &Value) -> Option<Arc<Handler>> {
        let Value::Object(options) = value else {
            self.error(at.path, format!("expected a map with `type`, found {}", what(value)));
            return None;
        };
        if !at.powers.on_tools {
            let entry = options.keys().find(|key| ENTRY.contains(&key.as_str()));
            if let Some(key) = entry {
                let message = format!("{} has no entries: `{key}` does not belong here", at.events_named());
                let hint =
                    "write the hooks of this event as a list, without `matcher` and `hooks`".to_owned();
                self.fault(&join(at.path, key), true, message, Some(hint));
            }
            if options.contains_key("hooks") {
                return None;
            }
        }
        let names: &[&str] = if at.powers.on_tools { &HANDLER } else { &HANDLER_OR_ENTRY };
        let misspelt = self.unknown_options(at.path, options, names);
        let mut text = |name: &str| self.text(&join(at.path, name), options.get(name)).unwrap_or_default();
        let mut handler = Handler {
            name: text("name"),
            place: at.path.to_owned(),
            command: text("command"),
            working_dir: text("working_dir"),
            model: text("model"),
            prompt: text("prompt"),
            schema: text("schema"),
            ..Handler::default()
        };
        handler.args = self.texts(&join(at.path, "args"), options.get("args"));
        handler.env = self.variables(&join(at.path, "env"), options.get("env"));
        handler.timeout = self.timeout(&join(at.path, "timeout"), options.get("timeout"));
        handler.on_error = self.on_error(at, options.get("on_error"));
        handler.strict_output = self.flag(&join(at.path, STRICT_OUTPUT), options.get(STRICT_OUTPUT));
        handler.kind = self.kind(at, options.get("type"), &misspelt)?;
        self.required(at, &handler, &misspelt);
        self.doubts(at, &handler);
        Some(Arc::new(handler))
    }

    fn kind(&mut self, at: At<'_>, value: Option<&Value>, misspelt: &[&str]) -> Option<HandlerKind> {
        let path = join(at.path, "type");
        let words = HandlerKind::WORDS.map(|(word, _)| word).join(", ");
        let Some(word) = value.filter(|value| !value.is_null()) else {
            if !misspelt.contains(&"type") {
                self.error(at.path, format!("`type` is missing: it takes one of {words}"));
            }
            return None;
        };
        let word = self.text(&path, Some(word))?;
        let kind = HandlerKind::WORDS.iter().find(|(known, _)| *known == word).map(|(_, kind)| *kind);
        if kind.is_none() {
            let hint = nearest(&word, HandlerKind::WORDS.iter().map(|(word, _)| *word));
            let message = format!("type takes one of {words}, and this is {}", quoted(&word));
            self.fault(&path, false, message, hint.map(|word| format!("did you mean `{word}`?")));
        }
        kind
    }

    fn on_error(&mut self, at: At<'_>, value: Option<&Value>) -> Option<OnError> {
        let path = join(at.path, "on_error");
        let word = self.text(&path, value).filter(|word| !word.is_empty())?;
        let words = OnError::WORDS.map(|(word, _)| word).join(", ");
        let known = OnError::WORDS.iter().find(|(known, _)| *known == word).map(|(_, on_error)| *on_error);
        match known {
            None => {
                let message = format!("on_error takes one of {words}, and this is {}", quoted(&word));
                let hint = nearest(&word, OnError::WORDS.iter().map(|(word, _)| *word));
                let hint = hint.map(|word| format!("did you mean `{word}`?"));
                if self.known.profile == Profile::July {
                    self.warn(&path, format!("{message}; it is taken as warn"), hint);
                    return Some(OnError::Warn);
                }
                self.fault(&path, false, message, hint);
            }
            Some(OnError::Block) if !(at.powers.blocks || self.known.our_events && at.powers.guards) => {
                let message = format!(
                    "on_error: block has no effect: {} cannot be blocked; a failure warns",
                    at.events_named()
                );
                let hint = Some("write `warn` or `ignore`".to_owned());
                if self.known.exactly {
                    self.fault(&path, false, message, hint);
                } else {
                    self.warn(&path, message, hint);
                }
            }
            Some(_) => {}
        }
        known
    }

    fn timeout(&mut self, path: &str, value: Option<&Value>) -> u64 {
        let Some(value) = value.filter(|value| !value.is_null()) else { return 0 };
        let written = match value {
            Value::Number(number) => Some(number.clone()),
            // docker-agent accepts a number in quotes as well.
            Value::String(text) => serde_json::from_str::<serde_json::Number>(text.trim()).ok(),
            _ => None,
        };
        match written.as_ref().and_then(|number| number.as_i64().or(number.as_u64().map(|_| i64::MAX))) {
            Some(seconds) if seconds < 0 => {
                let hint = "leave it out for 60 seconds".to_owned();
                if self.known.profile == Profile::July {
                    self.warn(path, "a timeout below zero is taken as 60 seconds".to_owned(), Some(hint));
                } else {
                    self.fault(path, false, "a timeout cannot be below zero".to_owned(), Some(hint));
                }
                0
            }
            Some(seconds) => u64::try_from(seconds).unwrap_or_default(),
            None => {
                let message = format!("expected an integer of seconds for a timeout, found {}", what(value));
                self.fault(path, false, message, Some("write it as `timeout: 5`".to_owned()));
                0
            }
        }
    }

    /// Reports required options of the handler's kind that are missing. Misspelt ones are reported already.
    fn required(&mut self, at: At<'_>, handler: &Handler, misspelt: &[&str]) {
        let missing: &[(&str, bool)] = match handler.kind {
            HandlerKind::Command => &[("command", handler.command.is_empty())],
            HandlerKind::Builtin => &[("command", handler.command.is_empty())],
            HandlerKind::Model => {
                &[("model", handler.model.is_empty()), ("prompt", handler.prompt.is_empty())]
            }
        };
        for (name, is_missing) in missing {
            if *is_missing && !misspelt.contains(name) {
                let kind = handler.kind.word();
                let message = format!("`{name}` is missing, and a {kind} hook cannot do without");
                let hint = match *name {
                    "model" => "name it as `provider/model`",
                    "prompt" => "write what the model is to judge",
                    _ if handler.kind == HandlerKind::Builtin => "name the builtin in `command`",
                    _ => "write the line that the shell runs",
                };
                self.fault(at.path, false, message, Some(hint.to_owned()));
            }
        }
    }

    /// Reports mistakes that would otherwise show only when the handler first runs.
    fn doubts(&mut self, at: At<'_>, handler: &Handler) {
        let is_unknown = |builtins: &&Builtins| !builtins.knows(&handler.command);
        if handler.kind == HandlerKind::Builtin
            && !handler.command.is_empty()
            && let Some(builtins) = self.known.builtins.filter(is_unknown)
        {
            let hint =
                nearest(&handler.command, builtins.names()).map(|name| format!("did you mean `{name}`?"));
            let message = format!("there is no builtin {}", quoted(&handler.command));
            self.warn(&join(at.path, "command"), message, hint);
        }
        let only_labels = self.known.profile != Profile::July && !self.known.exactly;
        if handler.kind == HandlerKind::Builtin && handler.command == SAFER_SHELL && only_labels {
            let message =
                format!("since September, `{SAFER_SHELL}` only labels calls: it asks and denies nothing");
            let hint = format!("write a `tool_guard`, or set the profile `{}`", Profile::July);
            self.warn(&join(at.path, "command"), message, Some(hint));
        }
        if handler.kind != HandlerKind::Model {
            return;
        }
        if !handler.schema.is_empty() && handler.schema != model::DECISION_SCHEMA {
            self.warn(&join(at.path, "schema"), model::unknown_schema(&handler.schema), None);
        }
        if let Err(problem) = Template::parse(&handler.prompt) {
            self.warn(
                &join(at.path, "prompt"),
                format!("the prompt is not a valid template: {problem}"),
                None,
            );
        }
    }

    /// Reports unknown options. Returns the known options that they probably mean.
    fn unknown_options<'k>(
        &mut self,
        path: &str,
        options: &Map<String, Value>,
        known: &[&'k str],
    ) -> Vec<&'k str> {
        let mut meant = Vec::new();
        for key in options.keys() {
            let is_new = key == STRICT_OUTPUT && self.known.profile == Profile::July;
            if known.contains(&key.as_str()) && !is_new {
                continue;
            }
            let hint = if is_new {
                Some(format!("leave the profile `{}` out to have it", self.known.profile))
            } else {
                let name = nearest(key, known.iter().copied());
                meant.extend(name);
                name.map(|name| format!("did you mean `{name}`?"))
            };
            self.fault(&join(path, key), true, format!("unknown option {}", quoted(key)), hint);
        }
        meant
    }

    /// A string; a number or boolean is accepted as it is written. Null and a missing value are empty
    /// strings; `None` is any other value.
    fn text(&mut self, path: &str, value: Option<&Value>) -> Option<String> {
        match value {
            None | Some(Value::Null) => Some(String::new()),
            Some(Value::String(text)) => Some(text.clone()),
            Some(Value::Number(number)) => Some(number.to_string()),
            Some(Value::Bool(flag)) => Some(flag.to_string()),
            Some(other) => {
                self.error(path, format!("expected a string, found {}", what(other)));
                None
            }
        }
    }

    fn texts(&mut self, path: &str, value: Option<&Value>) -> Vec<String> {
        match value {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(items)) => {
                let items = items.iter().enumerate();
                items.filter_map(|(index, item)| self.text(&format!("{path}[{index}]"), Some(item))).collect()
            }
            Some(other) => {
                let message = format!("expected a list of strings, found {}", what(other));
                self.fault(path, false, message, Some("write it in brackets: `[a, b]`".to_owned()));
                Vec::new()
            }
        }
    }

    fn variables(&mut self, path: &str, value: Option<&Value>) -> BTreeMap<String, String> {
        let Some(value) = value.filter(|value| !value.is_null()) else { return BTreeMap::new() };
        let Value::Object(entries) = value else {
            let message = format!("expected a map of names and values, found {}", what(value));
            self.fault(path, false, message, Some("write it as `env: { NAME: value }`".to_owned()));
            return BTreeMap::new();
        };
        let mut variables = BTreeMap::new();
        for (name, value) in entries {
            if name.is_empty() || name.contains(['=', '\0']) {
                self.fault(
                    &join(path, name),
                    true,
                    format!("{} is not a name of a variable", quoted(name)),
                    None,
                );
            } else if let Some(value) = self.text(&join(path, name), Some(value)) {
                variables.insert(name.clone(), value);
            }
        }
        variables
    }

    fn flag(&mut self, path: &str, value: Option<&Value>) -> bool {
        match value {
            None | Some(Value::Null) => false,
            Some(Value::Bool(flag)) => *flag,
            Some(other) => {
                self.error(path, format!("expected a boolean, found {}", what(other)));
                false
            }
        }
    }

    fn error(&mut self, path: &str, message: String) {
        self.fault(path, false, message, None);
    }

    fn fault(&mut self, path: &str, is_key: bool, message: String, hint: Option<String>) {
        let path = path.to_owned();
        self.read.faults.push(Fault { path, is_key, level: Level::Error, message, hint });
    }

    fn warn(&mut self, path: &str, message: String, hint: Option<String>) {
        let path = path.to_owned();
        self.read.faults.push(Fault { path, is_key: false, level: Level::Warning, message, hint });
    }
}

/// Keys in place of a handler at an event without entries; the options of an entry get their own message.
const HANDLER_OR_ENTRY: [&str; 14] = [
    "type",
    "name",
    "command",
    "args",
    "timeout",
    "env",
    "working_dir",
    "on_error",
    "strict_output",
    "model",
    "prompt",
    "schema",
    "matcher",
    "preempt_yolo",
];

impl At<'_> {
    fn events_named(&self) -> &'static str {
        self.events.first().map_or("this event", |event| event.name)
    }
}

/// The items of a list, or the single value in its place.
fn items<'v>(path: &str, value: &'v Value) -> Vec<(String, &'v Value)> {
    match value {
        Value::Null => Vec::new(),
        Value::Array(items) => {
            items.iter().enumerate().map(|(index, item)| (format!("{path}[{index}]"), item)).collect()
        }
        one => vec![(path.to_owned(), one)],
    }
}

fn join(path: &str, key: &str) -> String {
    format!("{path}.{key}")
}

fn what(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(flag) => format!("`{flag}`"),
        Value::Number(number) => format!("`{number}`"),
        Value::String(text) => quoted(text),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a map".to_owned(),
    }
}

/// A text in backticks, truncated if it is long.
fn quoted(text: &str) -> String {
    match text.char_indices().nth(60) {
        None => format!("`{text}`"),
        Some((end, _)) => format!("`{}…`", text.get(..end).unwrap_or_default()),
    }
}

/// Words in names of events that users confuse.
const SYNONYMS: [(&str, &str); 10] = [
    ("begin", "start"),
    ("started", "start"),
    ("finish", "end"),
    ("ended", "end"),
    ("before", "pre"),
    ("after", "post"),
    ("pre", "before"),
    ("post", "after"),
    ("model", "llm"),
    ("submitted", "submit"),
];

/// The event that a misspelt key means: its nearest name, or its name with a synonym.
fn nearest_event<'k>(key: &str, names: impl Iterator<Item = &'k str> + Clone) -> Option<&'k str> {
    let key = key.to_lowercase();
    let said_otherwise = SYNONYMS.iter().find_map(|(word, other)| {
        let words: Vec<_> =
            key.split(['_', '-']).map(|part| if part == *word { other } else { part }).collect();
        let otherwise = words.join("_");
        names.clone().find(|name| **name == *otherwise)
    });
    said_otherwise.or_else(|| nearest(&key, names))
}

/// The most similar known word, if at most two fifths of its letters differ, or one letter.
fn nearest<'k>(word: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    let letters = |word: &str| -> String {
        word.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).take(64).collect()
    };
    let given = letters(word);
    known
        .map(|candidate| {
            let wanted = letters(candidate);
            (strsim::levenshtein(&given, &wanted), (wanted.chars().count() * 2 / 5).max(1), candidate)
        })
        .filter(|(distance, most, _)| distance <= most)
        .min_by_key(|(distance, ..)| *distance)
        .map(|(.., candidate)| candidate)
}
