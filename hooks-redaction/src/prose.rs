//! Finds the password in a sentence: "the password for the demo account is …", "das Passwort lautet …", "mot de passe : …",
//! "use … as the password".
//!
//! A sentence, and one without a password:
//!
//! ```
//! use hooks_redaction::Scrubber;
//!
//! let scrubber = Scrubber::default();
//! assert_eq!(scrubber.scrub("The password for the demo account is Xk7-qP2vRw."), "The password for the demo account is [PASSWORD_REDACTED].");
//! ```

#[cfg(test)]
mod tests;
mod words;

use self::words::{
    AFTER_LINK, ARTICLES, AS, BEFORE_LINK, CAPTIONS, CHANGED, LINKS, MADE, MIXED, SUBJECTS, TARGETS, WORDS,
};
use super::{
    label::Label,
    names::{self, Noun},
    span::Span,
    text::{byte, byte_before, floor, line_before, run_end, run_start},
    value,
};

/// Most bytes of a sentence that are read behind a subject.
const REACH: usize = 120;
/// Most words between a subject and a link.
const MAX_WORDS: usize = 10;

/// Returns the end of the word for a password at `start..end`.
fn subject(text: &str, start: usize, end: usize) -> Option<usize> {
    let name = text.get(start..end)?.as_bytes();
    let ends = |known: &str| {
        let at = name.len().checked_sub(known.len());
        at.and_then(|at| name.get(at..)).is_some_and(|tail| tail.eq_ignore_ascii_case(known.as_bytes()))
    };
    let whole = |known: &str| name.len() == known.len() && ends(known);
    if let Some(end) = mixed(text, start, end) {
        return Some(end);
    }
    let french = || {
        let line = line_before(text.as_bytes(), start, 8).to_ascii_lowercase();
        line.ends_with(b"mot de ") || line.ends_with(b"mots de ")
    };
    let known = SUBJECTS.iter().any(|known| ends(known))
        || WORDS.iter().any(|known| whole(known))
        || whole("passe") && french();
    (known && !name.contains(&b'_')).then_some(end)
}

/// Returns the end of the word of [`MIXED`] whose part in ASCII ends the name at `start..end`.
fn mixed(text: &str, start: usize, end: usize) -> Option<usize> {
    let name = text.get(start..end)?;
    MIXED.iter().find_map(|(head, part, tail)| {
        let before = name.get(..name.len().checked_sub(part.len())?)?;
        let is_part = name.get(before.len()..)?.eq_ignore_ascii_case(part);
        let is_start = match head.chars().next() {
            Some(letter) => {
                before.is_empty() && text.get(..start)?.chars().next_back().is_some_and(is(letter))
            }
            None => !before.ends_with(|c: char| c.is_ascii_alphabetic()),
        };
        let letters: Vec<char> = text.get(end..)?.chars().take(tail.chars().count()).collect();
        let is_tail = letters.len() == tail.chars().count()
            && tail.chars().zip(&letters).all(|(wanted, letter)| is(wanted)(*letter));
        (is_part && is_start && is_tail).then(|| end + letters.iter().map(|c| c.len_utf8()).sum::<usize>())
    })
}

/// Compares letters with a small one.
fn is(small: char) -> impl Fn(char) -> bool {
    move |letter| letter.to_lowercase().eq([small])
}

/// Finds the password that a sentence states with the name at `start..end`; with `lines`, also in the next line.
pub(super) fn find(text: &str, start: usize, end: usize, lines: bool) -> Option<Span> {
    // Behind a name in a program stands something else.
    let next = byte(text.as_bytes(), end);
    if !(next >= 0x80 || b"\0 :*`\"')<n\n.,=".contains(&next)) {
        return None;
    }
    if text.get(start..end).is_some_and(|name| ACCOUNTS.iter().any(|known| name.eq_ignore_ascii_case(known)))
    {
        return behind_user(text, end);
    }
    let name_end = end;
    let end = subject(text, start, end)?;
    // The names of English are read as those of programs.
    let is_foreign = || text.get(start..name_end).is_some_and(|name| names::noun(name).is_none());
    if next == b'=' && !is_foreign() {
        return None;
    }
    let found = stated(text, end)
        .or_else(|| assigned(text, end).filter(|_| is_foreign()))
        .or_else(|| used_as(text, start))
        .or_else(|| if lines { below(text, end) } else { None })?;
    Some(Span::new(found.0, found.1, Label::Password))
}

/// Words in front of a user and a password: "Login: ada / …".
const ACCOUNTS: &[&str] = &["login", "credentials", "creds", "credential", "logins"];

/// Finds the password behind the user: `: user / password`.
fn behind_user(text: &str, end: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let blank = |from: usize| run_end(bytes, from, 3, |b| b == b' ');
    let user = blank(end + 1);
    let slash = blank(run_end(bytes, user, 64, |b| b.is_ascii_graphic() && b != b'/'));
    let from = blank(slash + 1);
    if byte(bytes, end) != b':' || byte(bytes, slash) != b'/' || slash < user + 2 || from == slash + 1 {
        return None;
    }
    value(text, from, true).map(|(start, end)| Span::new(start, end, Label::Password))
}

/// Longest word of [`CAPTIONS`], in bytes.
const MAX_CAPTION: usize = 15;

/// Finds the password behind the colon at `at`, which may be of full width. The text before it has to be a word of
/// [`CAPTIONS`].
pub(super) fn behind_caption(text: &str, at: usize) -> Option<Span> {
    let to = run_start(text.as_bytes(), at, 4, |b| b == b' ');
    let head = text.get(ceil(text, to.saturating_sub(MAX_CAPTION))..to)?.to_lowercase();
    CAPTIONS.iter().find(|caption| head.ends_with(**caption))?;
    let colon = text.get(at..)?.chars().next()?.len_utf8();
    let from = run_end(text.as_bytes(), at + colon, 4, |b| b == b' ');
    let rest = text.get(from..floor(text, from + 96))?;
    let word = rest.find(|c: char| c.is_whitespace() || !c.is_ascii()).unwrap_or(rest.len());
    let (start, end) = inside(rest.get(..word)?.trim_end_matches(['.', ',', ';']), 0)?;
    is_one(rest.get(start..end)?, true).then(|| Span::new(from + start, from + end, Label::Password))
}

/// Finds the password that is assigned to the subject which ends at `end`: `senha=…`, `"contraseña": "…"`.
fn assigned(text: &str, end: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let blank = |from: usize| run_end(bytes, from, 4, |b| b == b' ');
    let sign = blank(run_end(bytes, end, 1, |b| b == b'"'));
    let is_sign =
        byte(bytes, sign) == b'=' && byte(bytes, sign + 1) != b'=' || byte(bytes, sign) == b':' && sign > end;
    if is_sign { value(text, blank(sign + 1), true) } else { None }
}

/// Finds the password behind the subject that ends at `end`.
fn stated(text: &str, end: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let limit = floor(text, bytes.len().min(end + REACH));
    let mut at = behind_markup(text, end);
    if byte(bytes, at) == b'?' || byte(bytes, at) == b'.' {
        return None;
    }
    let (mut is_linked, mut is_changed) = (false, false);
    for place in 0..MAX_WORDS {
        let sign = run_end(bytes, at, 4, |b| b == b' ');
        if byte(bytes, sign) == b':' && b" \"'`*".contains(&byte(bytes, sign + 1))
            || text.get(sign..)?.starts_with('→')
        {
            is_linked = true;
            at = sign + text.get(sign..)?.chars().next()?.len_utf8();
        }
        let from = run_end(bytes, at, 4, |b| b == b' ' || b == b'*');
        if from == at && !is_linked {
            return None;
        }
        let word = word_at(text, from, limit)?;
        let plain = word.trim_matches(|c: char| "[]()\"'`*".contains(c));
        let lower = plain.trim_end_matches(':').to_lowercase();
        let is = |list: &[&str]| list.contains(&lower.as_str());
        if is_linked && !is(AFTER_LINK)
            || place == 0 && !(is(LINKS) || is(BEFORE_LINK) || is(CHANGED) || plain.is_empty())
        {
            // `password: …` is an assignment, which others read.
            let found = value(text, from, is_linked);
            if found.is_some() || !is(MADE) {
                return found;
            }
            is_linked = false;
        }
        is_linked |= is(LINKS) || is_changed && is(TARGETS) || plain.ends_with(':');
        is_changed = is(CHANGED);
        if word.ends_with(['.', ';', '!', '?', ',']) {
            return None;
        }
        at = from + word.len();
    }
    None
}

/// Returns the word at `from`: up to a blank.
fn word_at(text: &str, from: usize, limit: usize) -> Option<&str> {
    let rest = text.get(from..limit.max(from))?;
    let end = rest.find(|c: char| c.is_whitespace() || "\"<>{}=".contains(c)).unwrap_or(rest.len());
    rest.get(..end).filter(|word| !word.is_empty() || rest.starts_with(['"', '<']))
}

/// Returns the end of the marks of markup at `from`: `**`, a backtick, `</b>`.
fn behind_markup(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let at = run_end(bytes, from, 3, |b| b"*_`".contains(&b));
    if bytes.get(at..at + 2) != Some(b"</") {
        return at;
    }
    let name = run_end(bytes, at + 2, 12, |b| b.is_ascii_alphanumeric());
    if byte(bytes, name) == b'>' { name + 1 } else { at }
}

/// Finds the password in front of a subject: "use … as the password".
fn used_as(text: &str, start: usize) -> Option<(usize, usize)> {
    let line = line_before(text.as_bytes(), start, 96);
    let from = start - line.len();
    let line = text.get(ceil(text, from)..start)?;
    let from = start - line.len();
    let mut words = line.rmatch_indices(' ').map(|(at, _)| at);
    let mut end = words.next().filter(|at| at + 1 == line.len())?;
    for _word in 0..4 {
        let begin = words.next().map_or(0, |at| at + 1);
        let word = line.get(begin..end)?.to_lowercase();
        if AS.contains(&word.as_str()) {
            let before = line.get(..begin)?.trim_end();
            let begin = before.rfind(' ').map_or(0, |at| at + 1);
            let (begin, end) = inside(before, begin)?;
            return is_one(before.get(begin..end)?, true).then_some((from + begin, from + end));
        }
        if !ARTICLES.contains(&word.as_str()) {
            return None;
        }
        end = begin.checked_sub(1)?;
    }
    None
}

fn ceil(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

/// Returns the word at `start` of `text` without the marks around it.
fn inside(text: &str, start: usize) -> Option<(usize, usize)> {
    let word = text.get(start..)?;
    let open = word.len() - word.trim_start_matches(['`', '"', '\'', '*', '(']).len();
    let inner = word.get(open..)?.trim_end_matches(['`', '"', '\'', '*', ')']);
    Some((start + open, start + open + inner.len()))
}

/// Finds the password at `from` of a sentence.
fn value(text: &str, from: usize, is_linked: bool) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let marks = run_end(bytes, from, 3, |b| b"`\"'*(".contains(&b));
    let tag = if bytes.get(marks) == Some(&b'<') {
        let end = run_end(bytes, marks + 1, 12, |b| b.is_ascii_alphanumeric());
        if byte(bytes, end) == b'>' { end + 1 } else { return None }
    } else {
        marks
    };
    let quote = byte_before(bytes, tag);
    let is_quoted = tag > from && b"`\"'>".contains(&quote);
    let close = if quote == b'>' { b'<' } else { quote };
    let end = run_end(bytes, tag, 96, |b| {
        !b.is_ascii_whitespace() && b != b'"' && b != b'`' && !(is_quoted && b == close)
    });
    let end = escape_before(bytes, tag, end);
    let end = floor(text, end);
    let mut end = end;
    while !is_quoted && end > tag && b".,;:?)'*]".contains(&byte_before(bytes, end)) {
        end -= 1;
    }
    let found = text.get(tag..end)?;
    let closed = is_quoted && byte(bytes, end) == close;
    (is_one(found, is_linked || closed)).then_some((tag, end))
}

/// Returns where an escape of JSON ends a value.
fn escape_before(bytes: &[u8], from: usize, end: usize) -> usize {
    let inside = bytes.get(from..end).unwrap_or_default();
    let escape = inside.windows(2).position(|pair| matches!(pair, [b'\\', b'n' | b'r' | b't' | b'"']));
    escape.map_or(end, |length| from + length)
}

/// Words that name a method rather than a password; numbers follow them.
const METHODS: &[&str] = &[
    "base", "sha", "md", "utf", "utf-", "aes", "aes-", "rsa", "argon", "pbkdf", "crc", "rot", "oauth",
    "sha-", "ipv", "http", "auth", "des", "ntlmv", "x", "iso", "fido", "u", "k", "s", "ec", "web", "step",
    "level", "type", "version", "port", "line", "page", "chapter", "section", "issue", "part", "table",
    "figure", "option", "appendix",
];

/// Returns whether a word of a sentence is a password: what no word of a language or a program looks like.
pub(super) fn is_one(word: &str, is_certain: bool) -> bool {
    let length = word.chars().count();
    let has = |class: fn(&u8) -> bool| word.bytes().any(|b| class(&b));
    let (digit, upper, lower) =
        (has(u8::is_ascii_digit), has(u8::is_ascii_uppercase), has(u8::is_ascii_lowercase));
    let letter = upper || lower;
    if !(5..=64).contains(&length) || !word.bytes().all(|b| b.is_ascii_graphic()) || !letter || is_plain(word)
    {
        return false;
    }
    if is_certain {
        let inner = word.get(..length - 1).unwrap_or_default();
        let sign =
            inner.contains(['!', '@', '#', '$', '%', '^', '&', '*', '+', '?', '=', '~']) && length >= 6;
        return digit || sign || is_jumbled(word);
    }
    length >= 8
        && digit
        && (upper && lower || word.contains(['!', '@', '#', '$', '%', '^', '&', '*', '+', '?', '~']))
}

/// Returns whether a word is a method, a measure, a version, a file, an address, a part of a program or a placeholder.
fn is_plain(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric()).to_ascii_lowercase();
    let letters = bare.trim_end_matches(|c: char| c.is_ascii_digit());
    let method = METHODS.contains(&letters);
    let rest = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    let measure = rest.len() < bare.len() && rest.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    let first = bare.split('-').next().unwrap_or_default();
    let kind = first.trim_end_matches(|c: char| c.is_ascii_digit());
    let hashed = first.len() < bare.len() && kind.len() < first.len() && METHODS.contains(&kind);
    let part = |part: &str| {
        part.len() >= 2
            && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_".contains(&b))
    };
    let file = word.contains('.') && word.trim_end_matches('.').split('.').all(part);
    let snake = word.contains('_')
        && word.split('_').all(|part| {
            part.bytes().all(|b| b.is_ascii_lowercase()) || part.bytes().all(|b| b.is_ascii_digit())
        });
    method
        || measure
        || hashed
        || file
        || snake
        || word.starts_with(['/', '.', '<', '{', '[', '$', '-', '~', '|', '&', '='])
        || word.contains("://")
        || word.contains("()")
        || word.contains("::")
        || value::is_placeholder(word)
        || value::is_word(word)
        || value::is_code(word)
        || super::code::is_type(word)
}

/// Returns whether capitals and small letters change as in no name: `ifLuhtzyXTECJs`.
pub(super) fn is_jumbled(word: &str) -> bool {
    let letters = word.as_bytes();
    let changes = letters
        .windows(2)
        .filter(|two| {
            let [a, b] = two else { return false };
            a.is_ascii_alphabetic()
                && b.is_ascii_alphabetic()
                && a.is_ascii_uppercase() != b.is_ascii_uppercase()
        })
        .count();
    let vowel = |b: &u8| b"aeiou".contains(&b.to_ascii_lowercase());
    let consonants = letters.split(vowel).map(<[u8]>::len).max().unwrap_or(0);
    letters.len() >= 8
        && letters.iter().all(u8::is_ascii_alphabetic)
        && (changes >= 2 && consonants >= 5
            || changes >= 4 && consonants >= 4 && letters.len() >= 12
            || changes >= 6)
        && !super::code::is_humps(word)
}

/// Most bytes between a subject and the end of its line, if the password stands alone below.
const MAX_REST: usize = 80;

/// Finds the password that stands alone in a line below: behind a colon, or as the new value of what was reset.
fn below(text: &str, end: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let newline = run_end(bytes, end, MAX_REST, |b| b != b'\n');
    if byte(bytes, newline) != b'\n' {
        return None;
    }
    let rest = bytes.get(end..newline)?.trim_ascii_end();
    let announced = rest.ends_with(b":");
    let reset = rest.ends_with(b".") && memchr::memmem::find(rest, b"reset").is_some();
    if !announced && !reset {
        return None;
    }
    let blank = |from: usize| run_end(bytes, from, 64, |b| b == b' ' || b == b'\t' || b == b'\r');
    let first = blank(newline + 1);
    let from = if announced && byte(bytes, first) == b'\n' { blank(first + 1) } else { first };
    let from = if reset { behind_label(text, from)? } else { from };
    let to = run_end(bytes, from, 96, |b| !b.is_ascii_whitespace());
    let (start, to) = {
        let (open, close) = inside(text.get(from..floor(text, to))?, 0)?;
        (from + open, from + close)
    };
    let alone = matches!(byte(bytes, blank(run_end(bytes, to, 3, |b| b"`\"'*".contains(&b)))), 0 | b'\n');
    let found = text.get(start..to)?;
    (alone && found.len() >= 8 && is_one(found, true) && value::is_mixed(found, 8)
        || alone && is_jumbled(found))
    .then_some((start, to))
}

/// Returns the position behind the label of a new password: a few words, the last one "value", as elasticsearch-reset-password has
/// it, or one for a password, and a colon.
fn behind_label(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let end = run_end(bytes, from, 40, |b| b.is_ascii_alphabetic() || b == b' ');
    let last = text.get(from..end)?.rsplit(' ').next()?;
    let known = last.eq_ignore_ascii_case("value") || names::noun(last) == Some(Noun::Password);
    (known && bytes.get(end..end + 2)? == b": ").then_some(end + 2)
}

/// Returns whether the password that a line names may stand in the next line, or in the one after a blank line.
pub(super) fn is_open(line: &str) -> bool {
    let line = line.trim_end();
    let ends = line.ends_with(':') || line.ends_with('.') && line.contains("reset");
    ends && {
        let lower = line.to_lowercase();
        SUBJECTS.iter().chain(WORDS).any(|word| lower.contains(word))
            || lower.contains("mot de passe")
            || MIXED.iter().any(|(head, part, tail)| lower.contains(&format!("{head}{part}{tail}")))
    }
}
