//! Expands the words of a text to the words of a command, as far as they are known.

use super::argument::{Argument, ArgumentBuilder};
use super::lookup;
use super::walk::{FIRST_PROCESS, MAX_TEXT, Stream, Variable, Walk};
use crate::globs::Gap;
use crate::shell::{Direction, Part, Value, Word};

/// Most words that braces expand to.
const MAX_BRACES: usize = 256;

/// Longest text with braces that is expanded, and deepest braces.
const MAX_BRACED: usize = 2_048;
const MAX_NESTING: usize = 8;

impl Walk {
    /// Returns the words that one word expands to.
    pub(super) fn expand(&mut self, word: &Word) -> Vec<Argument> {
        let mut fields = Fields::new(true);
        let braced = word
            .parts
            .iter()
            .any(|part| matches!(part, Part::Literal { text, quoted: false } if text.contains('{')));
        if !braced {
            self.parts(&word.parts, &mut fields);
            return fields.finish();
        }
        let atoms: Vec<Atom<'_>> = word.parts.iter().flat_map(Atom::split_part).collect();
        let Some(alternatives) = braces(&atoms, 0) else {
            self.too_complex(crate::shell::Span::default());
            return vec![Argument::unknown()];
        };
        for alternative in alternatives {
            for atom in alternative {
                match atom {
                    Atom::Character(c) => fields.unquoted(c),
                    Atom::Number => fields.current().gap(Gap::Name),
                    Atom::Part(part) => self.part(part, &mut fields),
                }
            }
            fields.end_word();
        }
        fields.finish()
    }

    /// Expands a word that becomes exactly one: values of variables, targets, documents.
    pub(super) fn expand_one(&mut self, word: &Word) -> Argument {
        let mut fields = Fields::new(false);
        self.parts(&word.parts, &mut fields);
        fields.finish().into_iter().next().unwrap_or_else(|| Argument::from(""))
    }

    /// Expands the target of a redirection: one word, in which wildcards are replaced.
    pub(super) fn expand_target(&mut self, word: &Word) -> Argument {
        let mut fields = Fields { matches_names: true, ..Fields::new(false) };
        self.parts(&word.parts, &mut fields);
        fields.finish().into_iter().next().unwrap_or_else(|| Argument::from(""))
    }

    pub(super) fn joined(&self, arguments: &[Argument], separator: &str) -> Argument {
        let mut builder = ArgumentBuilder::default();
        for (index, argument) in arguments.iter().enumerate() {
            if index > 0 {
                builder.text(separator);
            }
            builder.argument(argument);
        }
        builder.finish()
    }

    fn parts(&mut self, parts: &[Part], fields: &mut Fields) {
        for part in parts {
            self.part(part, fields);
        }
    }

    fn part(&mut self, part: &Part, fields: &mut Fields) {
        if self.repeating
            && let Part::Literal { text, .. } = part
            && !self.pay(text.len(), crate::shell::Span::default())
        {
            return fields.unknown();
        }
        match part {
            Part::Literal { text, quoted: true } => fields.quoted(text),
            Part::Literal { text, quoted: false } => text.chars().for_each(|c| fields.unquoted(c)),
            Part::Variable { name, quoted, value } => self.variable(name, *quoted, value, fields),
            Part::Substitution { script, quoted } => {
                let output = self.substituted(script);
                match self.names_in(&output) {
                    Stream::Empty => {}
                    Stream::Known(text) => {
                        self.value(&Argument::from(text.trim_end_matches('\n')), *quoted, fields);
                    }
                    // Each name is a word, unless they are quoted.
                    Stream::Names(names) if !*quoted => {
                        for (index, name) in names.iter().enumerate() {
                            if index > 0 {
                                fields.end_word();
                            }
                            self.value(name, true, fields);
                        }
                    }
                    Stream::Names(names) => match &*names {
                        [name] => self.value(&name.clone(), true, fields),
                        _ => fields.unknown(),
                    },
                    Stream::File(_) | Stream::Lines(_) | Stream::Copy(_) | Stream::Unknown => {
                        fields.unknown();
                    }
                }
                if *quoted {
                    fields.quoted("");
                }
            }
            Part::Process { script, direction } => {
                let name = format!("/dev/fd/{}", usize::from(FIRST_PROCESS) + self.files.len());
                let stream = match direction {
                    Direction::Read => self.substituted(script),
                    Direction::Write => {
                        self.in_subshell(|walk| walk.script(script, &Stream::Unknown));
                        Stream::Unknown
                    }
                };
                self.files.insert(name.clone(), stream);
                fields.quoted(&name);
            }
            Part::Arithmetic(word) => {
                let number = self.expand_one(word);
                self.lookup_changed |= lookup::changes_in_number(&number.outline());
                fields.unknown();
            }
        }
    }

    fn variable(&mut self, name: &str, quoted: bool, value: &Value, fields: &mut Fields) {
        let known = self.lookup(name, value);
        match value {
            Value::Default(word) | Value::Assigned(word) if known.is_none() => {
                let default = self.expand_one(word);
                if matches!(value, Value::Assigned(_)) {
                    self.variables.insert(name.to_owned(), Variable::Text(default.clone()));
                }
                return self.value(&default, quoted, fields);
            }
            Value::Default(word) | Value::Assigned(word) => {
                // A nested default runs only if there is no value; it is analysed all the same.
                self.expand_one(word);
            }
            Value::Alternative(word) => {
                let alternative = self.expand_one(word);
                return self.value(&alternative, quoted, fields);
            }
            Value::Changed(word) => {
                let change = self.expand_one(word);
                // An offset is arithmetic; `-` and the like are handled above.
                self.lookup_changed |=
                    change.outline().contains('=') && lookup::changes_in_number(&change.outline());
                // `${x@P}` expands the value as a prompt.
                if let (Some(Variable::Text(text)), Some("@P")) = (&known, word.literal().as_deref()) {
                    self.late(&text.clone(), crate::shell::Span::default());
                }
                let changed = match (&known, word.literal()) {
                    (Some(Variable::Text(text)), Some(change)) => {
                        let cost = text.len() + grown(text, &change);
                        if !self.pay(cost, crate::shell::Span::default()) {
                            return fields.unknown();
                        }
                        changed(text, &change)
                    }
                    _ => None,
                };
                return match changed {
                    Some(value) => self.value(&value, quoted, fields),
                    None => fields.unknown(),
                };
            }
            Value::Element(index) => self.lookup_changed |= lookup::changes_in_number(index),
            Value::Length => return fields.current().gap(Gap::Name),
            Value::Plain | Value::Indirect => {}
        }
        match known {
            None => fields.unknown(),
            Some(Variable::Text(text)) => {
                self.value(&text, quoted, fields);
                if quoted {
                    fields.quoted("");
                }
            }
            Some(Variable::List(list)) => {
                for (index, item) in list.iter().enumerate() {
                    if index > 0 {
                        fields.end_word();
                    }
                    self.value(item, quoted, fields);
                    if quoted {
                        fields.quoted("");
                    }
                }
            }
        }
    }

    /// Returns the value of a variable if it is known.
    fn lookup(&self, name: &str, value: &Value) -> Option<Variable> {
        if matches!(name, "@" | "*") {
            return Some(Variable::List(self.positional.iter().skip(1).cloned().collect()));
        }
        if let Ok(number) = name.parse::<usize>() {
            let text = self.positional.get(number).cloned();
            if text.is_none() && matches!(value, Value::Default(_) | Value::Assigned(_)) {
                return None;
            }
            return Some(Variable::Text(text.unwrap_or_else(|| Argument::from(""))));
        }
        let default = || match name {
            "IFS" => Some(Variable::Text(Argument::from(" \t\n"))),
            // The resolver of paths knows the home folder, or treats it as elsewhere.
            "HOME" => Some(Variable::Text(Argument::from("~"))),
            "PWD" => self.working_folder().map(Variable::Text),
            // PowerShell's name for nothing.
            "null" if self.options.windows => Some(Variable::Text(Argument::from("/dev/null"))),
            _ => None,
        };
        let Some(known) = self.variables.get(name) else { return default() };
        if matches!(value, Value::Indirect) {
            let Variable::Text(other) = known else { return None };
            return self.lookup(other.literal().filter(|other| !other.contains('['))?, &Value::Plain);
        }
        match (known, value) {
            (Variable::List(list), Value::Element(index)) if matches!(index.as_str(), "@" | "*") => {
                Some(Variable::List(list.iter().map(without_key).collect()))
            }
            // `([s]=.env)`: a list with keys.
            (Variable::List(list), Value::Element(index))
                if list.iter().any(|item| item.prefix().starts_with('[')) =>
            {
                let key = format!("[{index}]=");
                list.iter().rev().find_map(|item| item.strip_prefix(&key)).map(Variable::Text)
            }
            (Variable::List(list), Value::Element(index)) => {
                let index: usize = index.parse().ok()?;
                Some(Variable::Text(list.get(index).cloned().unwrap_or_else(|| Argument::from(""))))
            }
            (Variable::List(list), _) => list.first().map(without_key).map(Variable::Text),
            (text, _) => Some(text.clone()),
        }
    }

    /// Inserts a value: split at blanks unless it is quoted.
    fn value(&mut self, value: &Argument, quoted: bool, fields: &mut Fields) {
        if value.len() > MAX_TEXT || !self.pay(value.cost(), crate::shell::Span::default()) {
            return fields.unknown();
        }
        let separators = match self.variables.get("IFS") {
            Some(Variable::Text(Argument::Literal(text))) => text.clone(),
            _ => " \t\n".to_owned(),
        };
        let mut add = |text: &str| {
            if quoted {
                return fields.quoted(text);
            }
            for c in text.chars() {
                if !fields.splits {
                    fields.unquoted(c);
                } else if separators.contains(c) || c == '\n' {
                    fields.end_word();
                } else {
                    fields.unquoted(c);
                }
            }
        };
        match value {
            Argument::Literal(text) => add(text),
            Argument::Dynamic { pieces, gaps } => {
                let gaps = std::iter::once(None).chain(gaps.iter().copied().map(Some));
                for (piece, gap) in pieces.iter().zip(gaps) {
                    gap.into_iter().for_each(|gap| fields.current().gap(gap));
                    // A piece of a partly unknown value is not split, because the unknown part may contain
                    // quotes.
                    fields.quoted(piece);
                }
            }
        }
    }
}

/// Returns what a value may grow by if a change such as `//a/b` is applied to it.
fn grown(value: &Argument, change: &str) -> usize {
    let Some((from, to)) = change.trim_start_matches('/').split_once('/') else { return 0 };
    let most = value.len().checked_div(from.len()).unwrap_or_default();
    if change.starts_with("//") { most.saturating_mul(to.len()) } else { to.len() }
}

/// Returns a value after an operation such as `%.txt`, `#x/`, `,,` or `3:4`, if its result is certain.
fn changed(value: &Argument, change: &str) -> Option<Argument> {
    let outline = value.outline();
    let is_wild = |text: &str| text.contains(['*', '?', '[', '\\']);
    let first_star = |text: &str| {
        text.strip_suffix('*').filter(|rest| !is_wild(rest) && !rest.is_empty()).map(str::to_owned)
    };
    let last_star = |text: &str| {
        text.strip_prefix('*').filter(|rest| !is_wild(rest) && !rest.is_empty()).map(str::to_owned)
    };
    let cut = |at: Option<usize>| at.and_then(|at| outline.get(..at)).unwrap_or(&outline).to_owned();
    let from = |at: Option<usize>, mark: &str| {
        at.and_then(|at| outline.get(at + mark.len()..)).unwrap_or(&outline).to_owned()
    };
    let is_known = value.literal().is_some();
    let result = match change {
        ",," if is_known => outline.to_lowercase(),
        "^^" if is_known => outline.to_uppercase(),
        _ if change.starts_with("%%") => cut(outline.find(&first_star(change.get(2..)?)?)),
        _ if change.starts_with('%') => {
            let end = change.get(1..)?;
            match first_star(end) {
                Some(mark) => cut(outline.rfind(&mark)),
                None if !is_wild(end) => outline.strip_suffix(end).unwrap_or(&outline).to_owned(),
                None => return None,
            }
        }
        _ if change.starts_with("##") => {
            let mark = last_star(change.get(2..)?)?;
            from(outline.rfind(&mark), &mark)
        }
        _ if change.starts_with('#') => {
            let start = change.get(1..)?;
            match last_star(start) {
                Some(mark) => from(outline.find(&mark), &mark),
                None if !is_wild(start) => outline.strip_prefix(start).unwrap_or(&outline).to_owned(),
                None => return None,
            }
        }
        // `/a/b`, `//a/b`.
        _ if is_known && change.starts_with('/') => {
            let (all, change) =
                change.strip_prefix("//").map_or((false, change.get(1..)?), |rest| (true, rest));
            let (from, to) = change.split_once('/').unwrap_or((change, ""));
            if from.is_empty() || is_wild(from) || from.starts_with(['#', '%']) || to.contains(['&', '\\']) {
                return None;
            }
            if all { outline.replace(from, to) } else { outline.replacen(from, to, 1) }
        }
        _ if is_known && change.starts_with(|c: char| c.is_ascii_digit()) => {
            let (start, length) = change.split_once(':').unwrap_or((change, ""));
            let start: usize = start.trim().parse().ok()?;
            let length: usize = if length.is_empty() { usize::MAX } else { length.trim().parse().ok()? };
            outline.chars().skip(start).take(length).collect()
        }
        _ => return None,
    };
    Some(Argument::of_outline(&result))
}

/// The words that one word expands to, while they are built.
struct Fields {
    done: Vec<Argument>,
    current: Option<ArgumentBuilder>,
    splits: bool,
    /// Whether wildcards are replaced.
    matches_names: bool,
}

impl Fields {
    fn new(splits: bool) -> Self {
        Self { done: Vec::new(), current: None, splits, matches_names: splits }
    }

    fn current(&mut self) -> &mut ArgumentBuilder {
        self.current.get_or_insert_default()
    }

    fn quoted(&mut self, text: &str) {
        self.current().text(text);
    }

    fn unquoted(&mut self, c: char) {
        // Wildcards become unknown names of files.
        match c {
            '*' if self.matches_names => self.current().gap(Gap::Name),
            '?' if self.matches_names => self.current().gap(Gap::One),
            '[' if self.matches_names => self.current().open_bracket(),
            ']' if self.matches_names && self.current().has_bracket() => self.current().close_bracket(),
            _ => self.current().character(c),
        }
    }

    fn unknown(&mut self) {
        self.current().unknown();
    }

    fn end_word(&mut self) {
        if let Some(current) = self.current.take() {
            self.done.push(current.finish());
        }
    }

    fn finish(mut self) -> Vec<Argument> {
        self.end_word();
        self.done
    }
}

/// Returns an element of a list without its key: `[a]=b`.
fn without_key(item: &Argument) -> Argument {
    let end = item.prefix().strip_prefix('[').and_then(|rest| rest.find("]=")).map(|end| end + "[]=".len());
    let key = end.and_then(|end| item.prefix().get(..end));
    key.and_then(|key| item.strip_prefix(key)).unwrap_or_else(|| item.clone())
}

/// Piece of a word for the expansion of braces.
#[derive(Clone, Copy)]
enum Atom<'w> {
    Character(char),
    /// A number of a long sequence.
    Number,
    Part(&'w Part),
}

impl<'w> Atom<'w> {
    fn split_part(part: &'w Part) -> Vec<Self> {
        match part {
            Part::Literal { text, quoted: false } => text.chars().map(Atom::Character).collect(),
            part => vec![Atom::Part(part)],
        }
    }

    fn is(self, c: char) -> bool {
        matches!(self, Atom::Character(own) if own == c)
    }
}

/// Returns the words that braces expand to; `None` if they are too many or too deep.
fn braces<'w>(atoms: &[Atom<'w>], nesting: usize) -> Option<Vec<Vec<Atom<'w>>>> {
    let mut words: Vec<Vec<Atom<'w>>> = vec![Vec::new()];
    let mut rest = atoms;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        let group = if first.is('{') { group(after) } else { None };
        let Some((items, behind)) = group else {
            words.iter_mut().for_each(|word| word.push(*first));
            continue;
        };
        // The search for the closing brace of each opening one is quadratic, so long words are not expanded.
        if nesting > MAX_NESTING || atoms.len() > MAX_BRACED {
            return None;
        }
        rest = behind;
        let mut inner = Vec::new();
        for item in items {
            inner.extend(braces(&item, nesting + 1)?);
        }
        if words.len() * inner.len() > MAX_BRACES {
            return None;
        }
        words = words
            .iter()
            .flat_map(|word| inner.iter().map(move |inner| [word.as_slice(), inner].concat()))
            .collect();
    }
    Some(words)
}

/// Items of a group, and the text after it.
type Group<'a, 'w> = (Vec<Vec<Atom<'w>>>, &'a [Atom<'w>]);

/// Returns the items of a group and the text after it; `None` if it is not one, because it has no closing brace, and neither a
/// comma nor a sequence.
fn group<'a, 'w>(atoms: &'a [Atom<'w>]) -> Option<Group<'a, 'w>> {
    let mut items = Vec::new();
    let (mut depth, mut start) = (0_usize, 0_usize);
    for (at, atom) in atoms.iter().enumerate() {
        // The end of a longer group is not looked for, so that many braces take no time; it counts as one.
        if at > MAX_BRACED {
            return (!items.is_empty()).then_some((items, &[]));
        }
        if atom.is('{') {
            depth += 1;
        } else if atom.is(',') && depth == 0 {
            items.push(atoms.get(start..at)?.to_vec());
            start = at + 1;
        } else if atom.is('}') && depth > 0 {
            depth -= 1;
        } else if atom.is('}') {
            let last = atoms.get(start..at)?;
            if items.is_empty() {
                items = sequence(last)?;
            } else {
                items.push(last.to_vec());
            }
            return Some((items, atoms.get(at + 1..)?));
        }
    }
    None
}

/// Returns the items of `1..9` or `a..e`; `None` if it is not a sequence.
fn sequence<'w>(atoms: &[Atom<'w>]) -> Option<Vec<Vec<Atom<'w>>>> {
    let letter = |atom: &Atom<'w>| if let Atom::Character(c) = atom { Some(*c) } else { None };
    let text: String = atoms.iter().map(letter).collect::<Option<_>>()?;
    let mut parts = text.split("..");
    let (first, last, step) = (parts.next()?, parts.next()?, parts.next());
    let is_number = |text: &str| text.parse::<i64>().is_ok();
    if parts.next().is_some() || step.is_some_and(|step| !is_number(step)) {
        return None;
    }
    if is_number(first) && is_number(last) {
        return Some(vec![vec![Atom::Number]]);
    }
    let single = |text: &str| text.chars().next().filter(|c| c.is_ascii() && text.len() == 1);
    let (first, last) = (single(first)?, single(last)?);
    let all = first.min(last)..=first.max(last);
    Some(all.map(|c| vec![Atom::Character(c)]).collect())
}
