//! Calls in the text of an interpreter that have an effect: `shutil.rmtree(…)`, `fs.rmSync(…, {recursive: true})`.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::LazyLock;

use super::Effect;
use super::code::{Token, tokens};
use super::devices;
use super::git::Situation;
use super::table;
use super::words::glob;
use crate::commands::argument::Argument;
use crate::commands::code::Language;

/// Names of a call, what its arguments must have, what they must not have.
type Row = (&'static [&'static str], &'static str, &'static str);

const ROWS: &[(Effect, &[Row])] = &[
    (Effect::RecursiveDelete, table!("effect_calls_recursive-delete")),
    (Effect::Privilege, table!("effect_calls_privilege")),
    (Effect::HistoryOverwrite, table!("effect_calls_history-overwrite")),
    (Effect::DiscardWork, table!("effect_calls_discard-work")),
    (Effect::HistoryRewrite, table!("effect_calls_history-rewrite")),
];

/// Calls and modes that write to the file which they name.
const WRITERS: &[&str] = table!("effect_words_writers");

/// Texts that give a program other rights, in any of the languages.
const RIGHTS: &[&str] = table!("effect_words_rights");

/// Functions that call the function which they are given.
const CALLERS: &[&str] = table!("effect_words_callers");

/// Modules that run git.
const GIT_LIBRARIES: &[&str] = table!("effect_words_git_libraries");

/// Subcommands of git that such modules have as functions.
const GIT_CALLS: &[&str] = table!("effect_words_git_calls");

/// Most calls of git in one text that are compared.
const MAX_GIT_CALLS: usize = 256;

/// Longest list of arguments that costs nothing.
const FREE_ARGUMENTS: usize = 256;

/// Most arguments beyond those which are looked at in one text. With more, a call has every effect that its name may have.
const MAX_ARGUMENTS: usize = 1024 * 1024;

/// Longest namespace of a form in Lisp. A longer name counts as one that is called.
const MAX_NAMESPACE: usize = 64;

/// Calls `found` for each effect of a text, with the words that cause it.
pub(super) fn compare(
    language: Language,
    text: &str,
    situation: &Situation<'_>,
    found: &mut dyn FnMut(Effect, &str),
) {
    let tokens = tokens(language, text);
    let left = Cell::new(MAX_ARGUMENTS);
    let names = given_names(&tokens, &left);
    let code = Code { tokens: &tokens, names, language, anywhere: RefCell::default(), left };
    for at in 0..tokens.len() {
        code.compare_call(at, found);
    }
    if code.has_any(GIT_LIBRARIES) {
        let calls = (0..tokens.len()).filter(|at| code.is_git_call(*at));
        for (count, at) in calls.enumerate() {
            if count >= MAX_GIT_CALLS {
                ROWS.iter().for_each(|(effect, _)| found(*effect, "too many calls of git"));
                break;
            }
            code.compare_git(at, situation, found);
        }
    }
    if let Some(device) = code.written(devices::is_device) {
        found(Effect::DeviceWrite, device);
    }
    if let Some(file) = code.written(super::is_in_git_folder) {
        found(Effect::GitDirWrite, file);
    }
    if let Some(words) = RIGHTS.iter().find(|words| text.contains(**words)) {
        found(Effect::Privilege, words);
    }
}

/// Call with an effect: the effect, its row, and its whole name.
type KnownCall = (Effect, &'static Row, &'static str);

/// Calls by the last part of their name.
static CALLS: LazyLock<HashMap<&'static str, Vec<KnownCall>>> = LazyLock::new(|| {
    let mut calls: HashMap<_, Vec<_>> = HashMap::new();
    for (effect, rows) in ROWS {
        for row in *rows {
            for call in row.0 {
                let last = call.rsplit('.').next().unwrap_or(call);
                calls.entry(last).or_default().push((*effect, row, *call));
            }
        }
    }
    calls
});

struct Code<'t> {
    tokens: &'t [Token],
    /// Names that the text gives to functions: the new name and the old ones.
    names: GivenNames,
    language: Language,
    /// Words that were looked for in the whole text.
    anywhere: RefCell<HashMap<&'static str, bool>>,
    /// Arguments that may still be looked at.
    left: Cell<usize>,
}

impl Code<'_> {
    fn compare_call(&self, at: usize, found: &mut dyn FnMut(Effect, &str)) {
        let Some(name) = self.called(at) else { return };
        let others = self.names.get(name).into_iter().flatten().copied();
        let others = others.filter(|other| *other != name);
        let rows = std::iter::once(name).chain(others).filter_map(|own| Some((own, CALLS.get(own)?)));
        for (own, (effect, (_, needs, unless), call)) in
            rows.flat_map(|(own, rows)| rows.iter().map(move |row| (own, row)))
        {
            if !self.is_call(at, own, call) {
                continue;
            }
            let Some(arguments) = self.arguments(at) else {
                found(*effect, call);
                continue;
            };
            let holds = |cell: &'static str| cell.split('|').any(|word| self.has_argument(arguments, word));
            let is_met = needs.split(' ').filter(|need| !need.is_empty()).all(holds);
            let is_off = unless.split(' ').filter(|it| !it.is_empty()).any(holds);
            if is_met && !is_off {
                found(*effect, call);
            }
        }
    }

    /// Returns the name of a function that is called here, or given to a function that calls it.
    fn called(&self, at: usize) -> Option<&str> {
        let token = self.tokens.get(at)?;
        let next = self.tokens.get(at + 1);
        match token {
            // `getattr(shutil, 'rmtree')(…)`, `fs['rmSync'](…)`.
            Token::Text(text) => {
                let closes = next.is_some_and(|next| next.is(')') || next.is(']'));
                let calls = self.tokens.get(at + 2).is_some_and(|next| next.is('('));
                (closes && calls).then_some(text)
            }
            Token::Name(name) => {
                let takes_bare = matches!(self.language, Language::Perl | Language::Ruby | Language::Tcl);
                let is_called = match next {
                    Some(Token::Sign('(')) => true,
                    Some(Token::Sign('!')) => self.tokens.get(at + 2).is_some_and(|it| it.is('(')),
                    Some(Token::Text(_)) => takes_bare || self.language == Language::Haskell,
                    Some(Token::Name(_) | Token::Sign('@' | '$' | '[' | '%')) => takes_bare,
                    Some(Token::Sign('-')) => self.language == Language::Tcl,
                    _ => false,
                };
                let before = at.checked_sub(1).and_then(|before| self.tokens.get(before));
                let is_form = self.language.is_lisp() && self.is_after_bracket(at);
                let is_run = before.is_none_or(|before| !before.is('&')) && (is_called || is_form);
                let ends = next.is_none_or(|next| {
                    matches!(next, Token::Sign('\n' | ';' | '}')) || next.name() == Some("end")
                });
                // Ruby calls without arguments and brackets: `Pathname.new("x").rmtree`.
                let is_bare =
                    ends && self.language == Language::Ruby && before.is_some_and(|before| before.is('.'));
                (is_run || is_bare || self.is_given_to_a_caller(at)).then_some(name)
            }
            Token::Command(_) | Token::Sign(_) => None,
        }
    }

    /// `(fs/delete-tree …)`: the name with its namespace comes directly after a bracket.
    fn is_after_bracket(&self, at: usize) -> bool {
        let before = self.tokens.get(..at).unwrap_or_default();
        let mut near = before.iter().rev().take(MAX_NAMESPACE);
        match near.find(|token| !(token.is('.') || token.name().is_some())) {
            Some(token) => token.is('('),
            None => before.len() > MAX_NAMESPACE,
        }
    }

    /// `map(shutil.rmtree, …)`, `names.forEach(rmSync)`.
    fn is_given_to_a_caller(&self, at: usize) -> bool {
        let ends = self.tokens.get(at + 1).is_none_or(|next| matches!(next, Token::Sign(',' | ')')));
        let before = self.tokens.get(..at).unwrap_or_default().iter().rev();
        let mut before = before.skip_while(|token| token.is('.') || token.name().is_some() || token.is('&'));
        ends && before.next().is_some_and(|open| open.is('('))
            && before.next().and_then(Token::name).is_some_and(|name| CALLERS.contains(&name))
    }

    /// Returns whether a call is the named one; dots in the name stand for the names before it.
    fn is_call(&self, at: usize, own: &str, call: &str) -> bool {
        let mut parts = call.rsplit('.');
        if parts.next() != Some(own) {
            return false;
        }
        let mut place = at;
        parts.all(|part| {
            let is_dot =
                place.checked_sub(1).and_then(|dot| self.tokens.get(dot)).is_some_and(|dot| dot.is('.'));
            let name = place.checked_sub(2).and_then(|name| self.tokens.get(name));
            place = place.saturating_sub(2);
            is_dot && name.and_then(Token::name) == Some(part)
        })
    }

    /// Returns the tokens of the arguments of a call; `None` if they are too many.
    fn arguments(&self, at: usize) -> Option<&[Token]> {
        let rest = self.tokens.get(at + 1..).unwrap_or_default();
        let opening = rest.iter().take(3).position(|token| token.is('('));
        let start = opening.map_or(0, |opening| opening + 1);
        let rest = rest.get(start..).unwrap_or_default();
        let mut depth = 0_usize;
        let most = FREE_ARGUMENTS + self.left.get() + 1;
        let end = rest.iter().take(most).position(|token| match token {
            Token::Sign('(' | '[' | '{') => {
                depth += 1;
                false
            }
            Token::Sign(')' | ']' | '}') => {
                let is_end = depth == 0;
                depth = depth.saturating_sub(1);
                is_end
            }
            Token::Sign(';' | '\n') => depth == 0 && opening.is_none(),
            _ => false,
        });
        let end = end.unwrap_or(rest.len().min(most));
        pays(&self.left, end).then(|| rest.get(..end).unwrap_or_default())
    }

    /// Returns whether the arguments have a word: a string, or a name whose value is not false. If they have variables, the word
    /// may be anywhere in the text.
    fn has_argument(&self, arguments: &[Token], word: &'static str) -> bool {
        if let Some(word) = word.strip_prefix('~') {
            return self.has_anywhere(word);
        }
        has_word(arguments, word) || {
            let has_variable = arguments.iter().enumerate().any(|(at, token)| {
                let next = arguments.get(at + 1);
                token.name().is_some_and(|name| !matches!(name, "true" | "false" | "True" | "False"))
                    && next.is_none_or(|next| matches!(next, Token::Sign(',' | ')' | '}')))
            });
            has_variable && self.has_anywhere(word)
        }
    }

    /// Returns whether a word is in the text; looked for once.
    fn has_anywhere(&self, word: &'static str) -> bool {
        let known = self.anywhere.borrow().get(word).copied();
        known.unwrap_or_else(|| {
            let has = has_word(self.tokens, word);
            self.anywhere.borrow_mut().insert(word, has);
            has
        })
    }

    fn has_any(&self, words: &[&str]) -> bool {
        self.tokens.iter().any(|token| match token {
            Token::Name(name) => words.contains(&name.as_str()),
            Token::Text(text) => words.contains(&text.as_str()),
            Token::Command(_) | Token::Sign(_) => false,
        })
    }

    /// Returns whether a function that stands for a command of git is called here.
    fn is_git_call(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.tokens.get(before));
        self.tokens.get(at + 1).is_some_and(|next| next.is('('))
            && before.is_some_and(|before| before.is('.'))
            && self.tokens.get(at).and_then(Token::name).is_some_and(|name| GIT_CALLS.contains(&name))
    }

    /// A call of a module that runs git, as the command of git that it stands for.
    fn compare_git(&self, at: usize, situation: &Situation<'_>, found: &mut dyn FnMut(Effect, &str)) {
        let Some(name) = self.tokens.get(at).and_then(Token::name) else { return };
        let mut words: Vec<Argument> = Vec::new();
        if !matches!(name, "raw" | "execute") {
            words.push(Argument::from(name.replace('_', "-").as_str()));
        }
        let Some(arguments) = self.arguments(at) else {
            return ROWS.iter().for_each(|(effect, _)| found(*effect, "too many arguments"));
        };
        for (at, token) in arguments.iter().enumerate() {
            match token {
                Token::Text(text) => {
                    words.extend(text.split_whitespace().filter(|word| *word != "git").map(Argument::from));
                    if text.chars().all(char::is_alphabetic) && text.len() == 1 {
                        words.push(Argument::from(format!("-{text}").as_str()));
                    }
                    if matches!(text.as_str(), "hard" | "soft" | "mixed" | "merge" | "keep") {
                        words.push(Argument::from(format!("--{text}").as_str()));
                    }
                }
                Token::Name(name) if is_set(arguments, at) => {
                    let option = name.replace('_', "-");
                    let option = if option.len() == 1 { format!("-{option}") } else { format!("--{option}") };
                    words.push(Argument::from(option.as_str()));
                }
                _ => {}
            }
        }
        let text: Vec<&str> = words.iter().map(Argument::prefix).collect();
        let text = format!("git {}", text.join(" "));
        table::compare("git", &words, situation, &mut |effect| found(effect, &text));
    }

    /// Returns a file of a kind that the text names, if it writes to a file.
    fn written(&self, is_meant: impl Fn(&str) -> bool) -> Option<&str> {
        let plain = |text: &str| text.trim_start_matches(['+', '>', '<', '|', ' ']).to_owned();
        let file = self
            .tokens
            .iter()
            .filter_map(Token::text)
            .find(|text| is_meant(text) || text.starts_with(['>', '+']) && is_meant(&plain(text)))?;
        (file.starts_with(['>', '+']) || self.has_any(WRITERS)).then_some(file)
    }
}

/// Returns whether a word is among tokens: a string that matches it, or a name whose value is not false.
fn has_word(tokens: &[Token], word: &str) -> bool {
    tokens.iter().enumerate().any(|(at, token)| match token {
        Token::Text(text) => {
            word.strip_prefix('=').map_or_else(|| glob(word, text), |part| text.contains(part))
        }
        Token::Name(name) => glob(word, name) && !is_false(tokens, at),
        Token::Command(_) | Token::Sign(_) => false,
    })
}

/// Returns whether a name is given the value false.
fn is_false(tokens: &[Token], at: usize) -> bool {
    let value = tokens.iter().skip(at + 1).find(|token| !matches!(token, Token::Sign('=' | ':' | '>')));
    let is_given = tokens.get(at + 1).is_some_and(|next| next.is('=') || next.is(':'));
    is_given
        && value.and_then(Token::name).is_some_and(|value| {
            matches!(
                value,
                "false" | "False" | "FALSE" | "nil" | "None" | "undef" | "undefined" | "null" | "F"
            )
        })
}

/// Returns whether a name is an option with a value that is not false.
fn is_set(tokens: &[Token], at: usize) -> bool {
    tokens.get(at + 1).is_some_and(|next| next.is('=') || next.is(':')) && !is_false(tokens, at)
}

/// Deducts what a list of arguments costs beyond the free ones; returns whether enough was left.
fn pays(left: &Cell<usize>, length: usize) -> bool {
    let rest = left.get().checked_sub(length.saturating_sub(FREE_ARGUMENTS));
    left.set(rest.unwrap_or_default());
    rest.is_some()
}

/// New names with the known functions that they may stand for.
type GivenNames = HashMap<String, Vec<&'static str>>;

/// Returns the names that a text gives to known functions: `import a as b`, `b = x.a`, `{a: b}`, and names for such names.
fn given_names(tokens: &[Token], left: &Cell<usize>) -> GivenNames {
    let name = |at: usize| tokens.get(at).and_then(Token::name);
    let mut names = GivenNames::new();
    for at in 0..tokens.len() {
        let pair = match (name(at), tokens.get(at + 1)) {
            (Some(old), Some(Token::Name(word))) if word == "as" => name(at + 2).map(|new| (new, old)),
            (Some(old), Some(Token::Sign(':'))) => name(at + 2).map(|new| (new, old)),
            (Some(new), Some(Token::Sign('='))) => last_of_path(tokens, at + 2, left).map(|old| (new, old)),
            _ => None,
        };
        let Some((new, old)) = pair.filter(|(new, old)| new != old) else { continue };
        let mut all: Vec<&'static str> = names.get(old).cloned().unwrap_or_default();
        all.extend(CALLS.get_key_value(old).map(|(known, _)| *known));
        if !all.is_empty() {
            let known = names.entry(new.to_owned()).or_default();
            all.retain(|old| !known.contains(old));
            known.extend(all);
        }
    }
    names
}

/// Returns the last name of `a.b.c`, or of `x['c']` and `getattr(x, 'c')`, unless it is called.
fn last_of_path<'t>(tokens: &'t [Token], start: usize, left: &Cell<usize>) -> Option<&'t str> {
    let mut at = start;
    while tokens.get(at).and_then(Token::name).is_some()
        && tokens.get(at + 1).is_some_and(|next| next.is('.'))
    {
        at += 2;
    }
    let own = tokens.get(at).and_then(Token::name)?;
    match tokens.get(at + 1) {
        Some(Token::Sign('[')) => tokens.get(at + 2).and_then(Token::text),
        Some(Token::Sign('(')) if matches!(own, "getattr" | "method" | "partial") => {
            let inner = tokens.get(at + 2..)?;
            let most = FREE_ARGUMENTS + left.get();
            let end =
                inner.iter().take(most).position(|token| token.is(')')).unwrap_or(inner.len().min(most));
            pays(left, end);
            let words =
                inner.get(..end)?.iter().rev().filter_map(|token| token.text().or_else(|| token.name()));
            // The function is the last word, but for `partial` any of them.
            let mut words = words.filter(|word| own != "partial" || CALLS.contains_key(word));
            words.next()
        }
        Some(Token::Sign('(')) => None,
        _ => Some(own),
    }
}
