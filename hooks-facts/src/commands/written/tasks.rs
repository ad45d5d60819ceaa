//! Commands in files of tasks: trees with a name for each task, and code with a block for each.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::super::analysis::UnresolvedReason;
use super::super::argument::Argument;
use super::super::code::Language;
use super::super::walk::Walk;
use super::outline;
use crate::shell::Span;

/// Keys whose texts are commands.
const COMMANDS: &[&str] = table!("runner_words_commands");

/// Keys whose texts are other tasks.
const NEEDS: &[&str] = table!("runner_words_needs");

/// Words that begin a task in code.
const BEGINNINGS: &[&str] = table!("runner_words_blocks");

/// Deepest lists and tables of a task.
const MAX_DEPTH: usize = 32;

/// Walk through the tasks of one file.
struct Tasks<'t> {
    all: HashMap<&'t str, Vec<&'t Value>>,
    done: HashSet<&'t str>,
}

/// Walks the tasks that a program's words name; without such words, the default one. `place` is the path to the tasks. A
/// `*` at its end stands for all of them, and a `:` for names that begin so.
pub(super) fn run(walk: &mut Walk, file: &str, text: &str, place: &str, words: &[Argument], span: Span) {
    let Some(tree) = outline::parse(file, text) else {
        return walk.unresolved(UnresolvedReason::Text, span);
    };
    let (path, takes_all) = place.strip_suffix('*').map_or((place, false), |path| (path, true));
    let (path, prefix) = match path.rsplit_once('.').unwrap_or(("", path)) {
        (above, last) if last.ends_with(':') => (above, last),
        _ => (path, ""),
    };
    let mut nodes = vec![&tree];
    for key in path.split('.').filter(|key| !key.is_empty()) {
        nodes = nodes.into_iter().flat_map(|node| below(node, key)).collect();
    }
    if takes_all {
        let mut tasks = Tasks { all: HashMap::new(), done: HashSet::new() };
        for node in nodes {
            tasks.node(walk, node, true, 0, span);
        }
        return;
    }
    let all: Vec<(&str, &Value)> = nodes
        .into_iter()
        .filter_map(Value::as_object)
        .flatten()
        .map(|(name, node)| (name.as_str(), node))
        .collect();
    let given: Vec<&str> = words.iter().filter_map(Argument::literal).collect();
    let base = prefix.trim_end_matches(':');
    let is_meant = |name: &str| {
        let own = if prefix.is_empty() { name } else { name.strip_prefix(prefix).unwrap_or(name) };
        given.iter().any(|word| word.split([',', ':']).any(|word| word == own) || *word == own)
            || !base.is_empty() && name == base
    };
    let mut chosen: Vec<&str> = all.iter().map(|(name, _)| *name).filter(|name| is_meant(name)).collect();
    if chosen.is_empty() {
        chosen = all.iter().map(|(name, _)| *name).filter(|name| *name == "default").collect();
    }
    // Without a known choice, all of them may run: `docker compose up`.
    if chosen.is_empty() && !has_task_word(&given) {
        chosen = all.iter().map(|(name, _)| *name).collect();
    }
    let mut by_name: HashMap<&str, Vec<&Value>> = HashMap::new();
    for (name, node) in &all {
        by_name.entry(name).or_default().push(node);
    }
    let mut tasks = Tasks { all: by_name, done: HashSet::new() };
    for name in chosen {
        tasks.task(walk, name, span);
    }
}

/// Returns whether the words name something that runs, which is not in the file.
fn has_task_word(words: &[&str]) -> bool {
    let plain = words.iter().filter(|word| !word.starts_with('-'));
    let verbs = ["run", "up", "start", "exec", "compose", "build", "test", "task"];
    plain.into_iter().any(|word| !verbs.contains(word))
}

fn below<'v>(node: &'v Value, key: &str) -> Vec<&'v Value> {
    match node {
        Value::Array(items) => items.iter().flat_map(|item| below(item, key)).collect(),
        node => node.get(key).into_iter().collect(),
    }
}

impl<'t> Tasks<'t> {
    fn task(&mut self, walk: &mut Walk, name: &str, span: Span) {
        let Some((name, nodes)) = self.all.get_key_value(name) else { return };
        if self.done.insert(name) {
            let nodes = nodes.clone();
            // A task may need another one, and so on.
            walk.deeper(span, |walk| nodes.into_iter().for_each(|node| self.node(walk, node, true, 0, span)));
        }
    }

    /// Walks a node; `is_command` if its texts are commands.
    fn node(&mut self, walk: &mut Walk, node: &'t Value, is_command: bool, depth: usize, span: Span) {
        if depth > MAX_DEPTH {
            return walk.too_complex(span);
        }
        match node {
            Value::String(text) if is_command => {
                walk.maybe_text(text, span);
            }
            Value::Array(items) => {
                let words: Option<Vec<Argument>> =
                    items.iter().map(|item| item.as_str().map(Argument::from)).collect();
                // A list of words, or of commands.
                if is_command
                    && let Some(words) = words
                    && words.first().is_some_and(|word| !word.prefix().contains(' '))
                {
                    walk.run_some(&words, &walk.inherited_input(), span);
                }
                for item in items {
                    self.node(walk, item, is_command, depth + 1, span);
                }
            }
            Value::Object(map) => {
                for (key, value) in map {
                    let key = key.to_lowercase();
                    let key = key.rsplit_once('.').map_or(&*key, |(_, key)| key);
                    if NEEDS.contains(&key) {
                        for name in texts(value) {
                            self.task(walk, name.trim_start_matches(':'), span);
                        }
                        continue;
                    }
                    let is_nested = value.is_object() || value.is_array();
                    if COMMANDS.contains(&key) {
                        self.node(walk, value, true, depth + 1, span);
                    } else if is_nested {
                        self.node(walk, value, false, depth + 1, span);
                    }
                }
            }
            _ => {}
        }
    }
}

fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => text.split([',', ' ']).filter(|text| !text.is_empty()).collect(),
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(map) => map.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

/// Block of a task in code.
struct Block<'t> {
    line: usize,
    names: Vec<&'t str>,
    text: String,
}

/// Walks the code of the tasks that a program's words name, and the code outside of all tasks.
pub(super) fn blocks(walk: &mut Walk, file: &str, text: &str, words: &[Argument], span: Span) {
    let (outside, blocks) = split(text);
    let language = if file.ends_with(".py") { Language::Python } else { Language::Ruby };
    super::calls::run(walk, language, &outside, span);
    let given: Vec<&str> = words.iter().filter_map(Argument::literal).collect();
    let is_named = |block: &Block<'_>| {
        let names = || block.names.first().into_iter();
        given.iter().any(|word| names().any(|name| name == word || name.replace('_', "-") == **word))
    };
    let mut pending: Vec<&Block<'_>> = blocks.iter().filter(|block| is_named(block)).collect();
    if pending.is_empty() {
        pending = blocks.iter().filter(|block| block.names.first() == Some(&"default")).collect();
    }
    if pending.is_empty() && !has_task_word(&given) {
        pending = blocks.iter().collect();
    }
    let mut by_name: HashMap<&str, Vec<&Block<'_>>> = HashMap::new();
    for block in &blocks {
        by_name.entry(block.names.first().copied().unwrap_or_default()).or_default().push(block);
    }
    let mut done = HashSet::new();
    while let Some(block) = pending.pop() {
        if !done.insert(block.line) {
            continue;
        }
        super::calls::run(walk, language, &block.text, span);
        // Blocks with one name are looked for once.
        let needed = block.names.iter().skip(1).filter_map(|name| by_name.remove(name));
        pending.extend(needed.flatten());
    }
}

/// Splits code into the text outside of tasks and the blocks of tasks, which end where a line is indented no more.
fn split(text: &str) -> (String, Vec<Block<'_>>) {
    let (mut outside, mut blocks) = (String::new(), Vec::<Block<'_>>::new());
    let mut open: Option<usize> = None;
    for (number, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        let indent = line.len() - trimmed.len();
        if trimmed.is_empty() {
            continue;
        }
        if open.is_some_and(|at| indent > at) {
            if let Some(block) = blocks.last_mut() {
                block.text.push_str(line);
                block.text.push('\n');
            }
            continue;
        }
        open = None;
        let rest_of =
            |word: &&str| trimmed.strip_prefix(*word).filter(|rest| rest.starts_with(char::is_whitespace));
        if let Some(rest) = BEGINNINGS.iter().find_map(rest_of) {
            let is_name = |c: char| c.is_alphanumeric() || "_-:.".contains(c);
            let names = rest.split(|c| !is_name(c)).map(|name| name.trim_matches(':'));
            let names = names.filter(|name| !name.is_empty() && *name != "do").collect();
            blocks.push(Block { line: number, names, text: format!("{line}\n") });
            open = Some(indent);
            continue;
        }
        outside.push_str(line);
        outside.push('\n');
    }
    (outside, blocks)
}
