//! Reads YAML, and so JSON, into a tree. Refuses features that a policy file does not need and an attacker
//! could use.
//!
//! Refused: duplicate keys, tags, a second document, an alias within its own anchor, and more nodes (with
//! aliases expanded) or depth than any real file has. The parser returns one event at a time, so reading
//! stops as soon as a text nests too deep.

use std::collections::HashMap;

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, Span};
use serde_json::Number;

use super::error::{Mistakes, TextPosition};
use super::tree::{Key, Kind, Node};
use super::words::{join, quoted};

/// Deepest nesting of a file. Later readers of the tree rely on it.
const DEEPEST: usize = 64;
/// Most values in a file, with aliases expanded.
const MOST_NODES: usize = 500_000;

/// The tree of `text`, as far as it can be read; mistakes go to `mistakes`. `None` if reading has to stop.
pub(super) fn parse(text: &str, mistakes: &mut Mistakes) -> Option<Node> {
    let mut builder =
        Builder { text, mistakes, open: Vec::new(), anchors: HashMap::new(), nodes: 0, root: None };
    let mut documents = 0_usize;
    for event in Parser::new_from_str(text) {
        let (event, span) = match event {
            Ok(event) => event,
            Err(error) => {
                let marker = *error.marker();
                builder.refuse_syntax(error.kind(), Span::empty(marker));
                return None;
            }
        };
        if matches!(event, Event::DocumentStart(..)) {
            documents = documents.saturating_add(1);
            if documents > 1 {
                let place = builder.place(span);
                builder.mistakes.add_with_hint(
                    &place,
                    "",
                    "a second document begins here",
                    "one file holds one configuration: remove the line `---`",
                );
                return None;
            }
        }
        builder.take(event, span).ok()?;
    }
    builder.root
}

/// A map or list whose end was not reached yet.
struct Open {
    place: TextPosition,
    anchor: usize,
    /// Nodes in it, including itself.
    size: usize,
    content: Content,
}

enum Content {
    List(Vec<Node>),
    /// `known` maps each key to its line.
    Map {
        entries: Vec<(Key, Node)>,
        known: HashMap<String, usize>,
        key: Option<PendingKey>,
    },
}

/// A key whose value was not reached yet. The value of a refused key is left out of the map.
enum PendingKey {
    Good(Key),
    Refused,
}

struct Builder<'t, 'm> {
    text: &'t str,
    mistakes: &'m mut Mistakes,
    open: Vec<Open>,
    /// Values of anchors, each with its number of nodes.
    anchors: HashMap<usize, (Node, usize)>,
    nodes: usize,
    root: Option<Node>,
}

/// An error after which the rest of the text is not read.
struct Hopeless;

impl Builder<'_, '_> {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Hopeless> {
        if self.mistakes.are_too_many() {
            return Err(Hopeless);
        }
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let place = self.place(span);
                if tag.is_some() {
                    self.refuse_tag(&place);
                }
                let kind = match style {
                    ScalarStyle::Plain => plain(&text),
                    _ => Kind::Text(text.into_owned()),
                };
                if matches!(kind, Kind::Null) && text_of(self.text, &place).is_empty() && self.is_key_next() {
                    self.mistakes.add(&place, self.path(), "a key is missing before `:`");
                }
                self.add(Node { place, kind }, anchor, 1)
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.begin(span, anchor, tag.is_some(), Content::List(Vec::new()))
            }
            Event::MappingStart(_, anchor, tag) => {
                let content = Content::Map { entries: Vec::new(), known: HashMap::new(), key: None };
                self.begin(span, anchor, tag.is_some(), content)
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(span),
            Event::Alias(anchor) => {
                let place = self.place(span);
                let Some((node, size)) = self.anchors.get(&anchor).cloned() else {
                    self.mistakes.add(&place, self.path(), "this alias stands within what it repeats");
                    return Err(Hopeless);
                };
                self.add(Node { place, ..node }, 0, size)
            }
            _ => Ok(()),
        }
    }

    fn begin(&mut self, span: Span, anchor: usize, tagged: bool, content: Content) -> Result<(), Hopeless> {
        let place = self.place(span);
        if tagged {
            self.refuse_tag(&place);
        }
        if self.open.len() >= DEEPEST {
            self.refuse_depth(&place);
            return Err(Hopeless);
        }
        self.open.push(Open { place, anchor, size: 1, content });
        Ok(())
    }

    fn end(&mut self, span: Span) -> Result<(), Hopeless> {
        let Some(Open { mut place, anchor, size, content }) = self.open.pop() else { return Err(Hopeless) };
        place.span.end = self.place(span).span.end.max(place.span.end);
        let kind = match content {
            Content::List(items) => Kind::List(items),
            Content::Map { entries, .. } => Kind::Map(entries),
        };
        self.add(Node { place, kind }, anchor, size)
    }

    /// Adds a finished value to the map or list around it.
    fn add(&mut self, node: Node, anchor: usize, size: usize) -> Result<(), Hopeless> {
        self.nodes = self.nodes.saturating_add(size);
        if self.nodes > MOST_NODES {
            self.mistakes.add_with_hint(
                &node.place,
                "",
                format!("there are more than {MOST_NODES} values up to here"),
                "an alias counts as often as it is used",
            );
            return Err(Hopeless);
        }
        if anchor > 0 {
            // Values stored for aliases count like written ones.
            self.nodes = self.nodes.saturating_add(size);
            self.anchors.insert(anchor, (node.clone(), size));
        }
        if self.is_key_next() {
            return self.add_key(node);
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        open.size = open.size.saturating_add(size);
        match &mut open.content {
            Content::List(items) => items.push(node),
            Content::Map { entries, key, .. } => {
                if let Some(PendingKey::Good(key)) = key.take() {
                    entries.push((key, node));
                }
            }
        }
        Ok(())
    }

    /// Stores a key until its value follows.
    fn add_key(&mut self, node: Node) -> Result<(), Hopeless> {
        let Node { place, kind } = node;
        let text = match kind {
            Kind::Text(text) => text,
            Kind::Bool(value) => value.to_string(),
            Kind::Number(number) => number.to_string(),
            Kind::Null => "null".to_owned(),
            Kind::List(_) | Kind::Map(_) => {
                let path = self.path();
                self.mistakes.add_with_hint(&place, path, "expected a string as key", "put quotes around it");
                self.wait_for_value(PendingKey::Refused);
                return Ok(());
            }
        };
        let Some(Open { content: Content::Map { known, .. }, .. }) = self.open.last_mut() else {
            return Err(Hopeless);
        };
        let first = known.get(&text).copied();
        known.entry(text.clone()).or_insert(place.line);
        let Some(first) = first else {
            self.wait_for_value(PendingKey::Good(Key { text, place }));
            return Ok(());
        };
        let path = join(&self.path(), &text);
        self.mistakes.add_with_hint(
            &place,
            path,
            format!("{} is given twice", quoted(&text)),
            format!("it stands on line {first} already: keep one of them"),
        );
        self.wait_for_value(PendingKey::Refused);
        Ok(())
    }

    fn wait_for_value(&mut self, pending: PendingKey) {
        if let Some(Open { content: Content::Map { key, .. }, .. }) = self.open.last_mut() {
            *key = Some(pending);
        }
    }

    fn is_key_next(&self) -> bool {
        matches!(self.open.last(), Some(Open { content: Content::Map { key: None, .. }, .. }))
    }

    /// The path of the next value.
    fn path(&self) -> String {
        let mut path = String::new();
        for open in &self.open {
            match &open.content {
                Content::List(items) => path.push_str(&format!("[{}]", items.len())),
                Content::Map { key: Some(PendingKey::Good(key)), .. } => {
                    path = join(&path, &key.text);
                }
                Content::Map { .. } => {}
            }
        }
        path
    }

    fn refuse_tag(&mut self, place: &TextPosition) {
        let path = self.path();
        self.mistakes.add_with_hint(
            place,
            path,
            "tags such as `!name` are not read",
            "leave it out; put quotes around a string",
        );
    }

    fn refuse_depth(&mut self, place: &TextPosition) {
        self.mistakes.add(place, "", format!("this nests deeper than {DEEPEST} levels"));
    }

    fn refuse_syntax(&mut self, kind: &ErrorKind, span: Span) {
        let place = self.place(span);
        // The scanner reads ahead, and may find the limit before the tree is that deep.
        if matches!(kind, ErrorKind::RecursionLimitExceeded) {
            return self.refuse_depth(&place);
        }
        // The parser reports a tab at its place or at the end of the line before.
        let before = place.line.saturating_sub(1);
        let indented_by_tab =
            self.text.lines().skip(before).take(2).any(|line| line.trim_start_matches(' ').starts_with('\t'));
        let message = format!("this is not YAML: {}", lower_first(&kind.to_string()));
        let hint = match indented_by_tab {
            true => Some("a line is indented by a tab: use spaces"),
            false => self.likely_slip(&place, &message),
        };
        self.mistakes.add_maybe_with_hint(&place, self.path(), message, hint.map(str::to_owned));
    }

    /// Advice on a common slip before `place`: a pattern that is an alias for YAML, or a list that is not closed.
    fn likely_slip(&self, place: &TextPosition, message: &str) -> Option<&'static str> {
        let (before, after) = self.text.split_at_checked(place.span.start)?;
        if after.starts_with('*') {
            return Some("put a text that begins with `*` in quotes, such as `'*.md'`");
        }
        if !["bracket", "':'", "','"].iter().any(|mark| message.contains(mark)) {
            return None;
        }
        let is_open = |open: char, close: char| {
            before.rfind(open).is_some_and(|at| before.rfind(close).is_none_or(|closed| closed < at))
        };
        if is_open('[', ']') || after.starts_with('[') {
            return Some("a `[` is not closed: write `]` at the end of the list");
        }
        is_open('{', '}').then_some("a `{` is not closed: write `}` at the end of the map")
    }

    fn place(&self, span: Span) -> TextPosition {
        let length = self.text.len();
        let offset = |marker: granit_parser::Marker| marker.byte_offset().unwrap_or(length).min(length);
        let (start, end) = (offset(span.start), offset(span.end));
        let column = span.start.col().saturating_add(1);
        TextPosition { line: span.start.line().max(1), column, span: start..end.max(start) }
    }
}

/// Value of an unquoted scalar, by the core schema of YAML 1.2: `yes` and `no` are strings.
fn plain(text: &str) -> Kind {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Kind::Null,
        "true" | "True" | "TRUE" => return Kind::Bool(true),
        "false" | "False" | "FALSE" => return Kind::Bool(false),
        _ => {}
    }
    number(text).map_or_else(|| Kind::Text(text.to_owned()), Kind::Number)
}

fn number(text: &str) -> Option<Number> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    if let Some(octal) = text.strip_prefix("0o") {
        return u64::from_str_radix(octal, 8).ok().map(Number::from);
    }
    if let Some(hex) = text.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).ok().map(Number::from);
    }
    if let Ok(whole) = text.parse::<u64>() {
        return Some(Number::from(whole));
    }
    if let Ok(whole) = text.parse::<i64>() {
        return Some(Number::from(whole));
    }
    Number::from_f64(text.parse::<f64>().ok()?)
}

fn text_of<'t>(text: &'t str, place: &TextPosition) -> &'t str {
    text.get(place.span.clone()).unwrap_or_default()
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => String::new(),
    }
}
