//! Cuts a long text into pieces that can be scrubbed one after the other with the result of the whole.
//!
//! Findings do not span lines, except for those that this file knows: keys in textual encoding, the secret after
//! the identifier of an AWS key, and what a line end cuts in two. A cut is therefore made at a line end outside
//! them. A line that is longer than a piece is cut where the piece ends.

use memchr::memmem;

use super::{
    assignments, below, elements, email, headers, joint,
    label::Labels,
    literals::{INDEX, Kind, LITERALS},
    margins, names, pem, prose, scan, separators, tables,
    text::{floor, is_ident},
    url,
};

/// Longest piece, and thus the longest text that a stream holds back.
pub(super) const PIECE: usize = 64 * 1024;
/// Bytes at the end of a long piece that are looked at before it is cut.
const SOFT_END: usize = 8192;
/// Bytes after a cut of a long line that must show what begins there.
const AHEAD: usize = 4096;
/// Bytes between the name of a secret and its value.
const NAME_REACH: usize = 128;
/// Bytes after the identifier of an AWS key that may hold its secret.
const AWS_REACH: usize = 160;
/// Longest word at the end of a line that is looked at.
const MAX_WORD: usize = 512;
/// Most lines over which a credential goes on.
const MAX_LINES: usize = 13;

/// Characters behind which a long line may be cut.
const GAPS: &[u8] = b" \n\t,;";

/// Position in a text that is cut into pieces.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pieces {
    /// Whether the text before ended inside a key.
    in_key: bool,
}

/// Next piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Bytes that belong to a key whose start was removed.
    pub(super) dropped: usize,
    /// End of the piece.
    pub(super) end: usize,
}

impl Pieces {
    /// Returns the next piece of `text`; `None` if more text is needed. `is_last` if no more follows.
    pub(super) fn next(&mut self, text: &str, is_last: bool) -> Option<Piece> {
        let mut dropped = 0;
        if self.in_key {
            let (end, ended) = pem::rest(text.as_bytes());
            if !ended && end > 0 {
                return Some(Piece { dropped: end, end });
            }
            if !ended && !is_last {
                return None;
            }
            self.in_key = false;
            dropped = end;
        }
        let rest = text.get(dropped..).unwrap_or_default();
        if is_last && rest.len() <= PIECE {
            return (!text.is_empty()).then_some(Piece { dropped, end: text.len() });
        }
        let window = rest.get(..floor(rest, PIECE)).unwrap_or_default();
        let end = match last_cut(window) {
            Some(end) => end,
            None if rest.len() < PIECE => {
                // What was dropped need not wait for the rest.
                return (dropped > 0).then_some(Piece { dropped, end: dropped });
            }
            None => {
                let bytes = window.as_bytes();
                self.in_key = Keys::new(bytes).open_before(bytes, bytes.len()).is_some();
                hard_cut(window, self.in_key)
            }
        };
        Some(Piece { dropped, end: dropped + end })
    }
}

/// Returns the last line end in `text` at which it can be cut.
fn last_cut(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut end = memchr::memrchr(b'\n', bytes)? + 1;
    let keys = Keys::new(bytes);
    while end > 0 {
        match keys.open_before(bytes, end).map(|at| line_start(text, at)).or_else(|| held_from(text, end)) {
            None => return Some(end),
            Some(start) => end = start.min(end - 1),
        }
        // Back to a line start.
        end = memchr::memrchr(b'\n', bytes.get(..end)?).map_or(0, |newline| newline + 1);
    }
    None
}

/// Returns the start of the line from which a finding may go on after the line end before `end`.
fn held_from(text: &str, end: usize) -> Option<usize> {
    aws_id(text, end)
        .or_else(|| open_word(text, end))
        .or_else(|| open_pair(text, end))
        .or_else(|| open_sentence(text, end))
        .or_else(|| below::open_before(text, end))
        .or_else(|| tables::open_before(text, end))
}

/// Returns the start of the line, or of the block, that names what a line after it has the value of.
fn open_pair(text: &str, end: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let last = end.checked_sub(1)?;
    let line_start = line_start(text, last);
    let line = text.get(line_start..last)?;
    // A name in JSON whose value is in the next line.
    let quoted = line.trim_end().strip_suffix("\",").map(|line| line.rsplit('"').next().unwrap_or_default());
    if assignments::is_login(bytes, last)
        || assignments::names_user(bytes, last)
        || quoted.is_some_and(|name| names::noun(name).is_some() || headers::is_name(name))
    {
        return Some(line_start);
    }
    let from = end.saturating_sub(separators::MAX_BLOCK + 2 * names::MAX_NAME);
    let near = bytes.get(from..end)?;
    let block = memmem::rfind(near, separators::VARIABLE)?;
    let open = memchr::memchr(b'}', near.get(block..)?).is_none();
    open.then(|| self::line_start(text, from + block))
}

/// Returns the start of the line whose password may stand alone in a line below, or is sent there by a script.
fn open_sentence(text: &str, end: usize) -> Option<usize> {
    let last = end.checked_sub(1)?;
    let start = line_start(text, last);
    let line = text.get(start..last)?;
    let asks = line.contains("expect") && line.contains("assword")
        || line.starts_with('+') && line.contains("echo ");
    if asks || prose::is_open(line) || below::is_open(line) || elements::is_open(line) {
        return Some(start);
    }
    // A header that may be folded.
    let name = line.split_once(':').map(|(name, _)| name.trim_start_matches(['>', '<', ' ', '*']));
    if name.is_some_and(headers::is_name) {
        return Some(start);
    }
    // A blank line below it.
    let above = start.checked_sub(1).filter(|_| line.trim().is_empty())?;
    let start = line_start(text, above);
    text.get(start..above).filter(|line| prose::is_open(line) || below::is_open(line)).map(|_| start)
}

fn line_start(text: &str, at: usize) -> usize {
    memchr::memrchr(b'\n', text.as_bytes().get(..at).unwrap_or_default()).map_or(0, |newline| newline + 1)
}

/// Positions of the BEGIN and END lines of a text, in order.
struct Keys {
    marks: Vec<(usize, bool)>,
}

impl Keys {
    fn new(bytes: &[u8]) -> Self {
        let begins = memmem::find_iter(bytes, pem::BEGIN).map(|at| (at, true));
        let mut marks: Vec<(usize, bool)> = begins.collect();
        if !marks.is_empty() {
            marks.extend(memmem::find_iter(bytes, pem::END).map(|at| (at, false)));
            marks.sort_unstable();
        }
        Self { marks }
    }

    /// Returns the start of a key that goes on behind `end`. A BEGIN line ends the key before it.
    fn open_before(&self, bytes: &[u8], end: usize) -> Option<usize> {
        let next = self.marks.partition_point(|(at, _)| *at < end);
        let (at, is_begin) = *self.marks.get(next.checked_sub(1)?)?;
        let restarted = self.marks.get(next).is_some_and(|(_, is_begin)| *is_begin);
        let open =
            if restarted { pem::goes_on(bytes, at, end) } else { pem::may_start(bytes.get(..end)?, at) };
        (is_begin && open).then_some(at)
    }
}

fn aws_id(text: &str, end: usize) -> Option<usize> {
    let from = end.saturating_sub(AWS_REACH);
    let near = text.as_bytes().get(from..end)?;
    let ids: [&[u8]; 4] = [b"AKIA", b"ASIA", b"ABIA", b"ACCA"];
    let at = ids.iter().filter_map(|id| memmem::find(near, id)).min()?;
    Some(line_start(text, from + at))
}

/// Returns the start of the line whose last word may go on in the next line.
fn open_word(text: &str, end: usize) -> Option<usize> {
    let mut end = end;
    for line in 0..MAX_LINES {
        let start = line_start(text, end.checked_sub(1)?);
        let content = without_sign(text.get(start..end)?.trim_end());
        let word = last_word(content);
        let name = content.strip_suffix(word).unwrap_or_default();
        let pair = separators::is_name_of_pair(name.as_bytes());
        if line == 0
            && (pair
                || content.ends_with(['=', '\\'])
                || ends_in_group(content)
                || url::is_open(word)
                || content.len() >= 60 && content.contains("ecret") && word.len() >= 4
                || joint::goes_on(text.get(start..end)?.as_bytes())
                || ends_in_literal(text, start, end))
        {
            return Some(start);
        }
        // The `@` of an address may be written as an escape.
        if has_start(word)
            || (line == 0
                && (email::is_open(word) || word.contains(['%', '&', '\\', '\u{ff20}', '\u{fe6b}'])))
        {
            return Some(start);
        }
        let shown = content.get(margins::behind(content.as_bytes(), 0)..).unwrap_or(content);
        let alone = [content, shown].iter().any(|line| is_alone(line, word)) && word.len() >= 2;
        if !alone || start == 0 {
            return None;
        }
        end = start;
    }
    None
}

/// Returns whether a line has nothing but its last word, and blanks or the marks of a quotation in front of it.
fn is_alone(line: &str, word: &str) -> bool {
    line.trim_start_matches([' ', '\t', '>', '|']).len() == word.len()
}

/// Returns whether the line before `end` ends with a literal, and the text goes on with another one or ends there.
fn ends_in_literal(text: &str, start: usize, end: usize) -> bool {
    let line = text.get(start..end).unwrap_or_default().as_bytes();
    let next = text.as_bytes().get(end..).unwrap_or_default();
    let quoted = line.trim_ascii_end().last().is_some_and(|b| b"\"'".contains(b));
    quoted
        && (next.trim_ascii_start().is_empty() && !next.contains(&b'\n') || joint::goes_on_below(line, next))
}

/// Returns a line without the end of a literal that the next line goes on with: `"ab" +`.
fn without_sign(line: &str) -> &str {
    let literal = line.strip_suffix(['+', '.', '&']).unwrap_or(line).trim_end();
    literal.strip_suffix(['"', '\'']).unwrap_or(line)
}

fn last_word(line: &str) -> &str {
    let start = line.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    // A blank may be longer than one byte.
    let start = (start..=line.len()).find(|at| line.is_char_boundary(*at)).unwrap_or(line.len());
    let low = floor(line, line.len().saturating_sub(MAX_WORD));
    line.get(start.max(low)..).unwrap_or_default()
}

/// Returns whether a line ends in four characters of a number in groups.
fn ends_in_group(line: &str) -> bool {
    let group = line.as_bytes().rchunks(4).next().unwrap_or_default();
    group.len() == 4
        && group.iter().all(u8::is_ascii_alphanumeric)
        && group.iter().any(u8::is_ascii_digit)
        && !line.as_bytes().rchunks(4).nth(1).and_then(<[u8]>::last).is_some_and(u8::is_ascii_alphanumeric)
}

/// Returns whether a credential starts in `word`.
fn has_start(word: &str) -> bool {
    let bytes = word.as_bytes();
    (0..bytes.len()).any(|at| {
        let there = INDEX.at(bytes.get(at..).unwrap_or_default());
        let literals = there.iter().filter_map(|index| LITERALS.get(*index));
        let mut starts = literals.filter(|literal| matches!(literal.kind, Kind::Form(_) | Kind::Jwt));
        starts.any(|literal| literal.start(bytes, at).is_some())
    })
}

/// Returns where a window without a line end is cut: outside everything that is found near its end, and where a word ends.
fn hard_cut(window: &str, in_key: bool) -> usize {
    if in_key {
        return window.len();
    }
    let low = floor(window, window.len().saturating_sub(SOFT_END));
    let tail = window.get(low..).unwrap_or_default();
    let head = tail.get(..floor(tail, tail.len().saturating_sub(AHEAD))).unwrap_or_default();
    let blank = head.bytes().rposition(|b| GAPS.contains(&b)).map(|at| at + 1);
    let Some(cut) = blank.or_else(|| word_end(head)) else { return window.len() };
    let mut spans = scan::all(tail, Labels::all());
    spans.sort_by_key(|span| span.start);
    let mut end = cut;
    for span in spans.iter().filter(|span| span.end > cut) {
        if span.start > end + NAME_REACH {
            break;
        }
        // What reaches the end of the window may go on behind it.
        let Some(after) = after_gap(tail, span.end) else {
            end = if end == cut && span.start > 0 { span.start } else { end };
            break;
        };
        end = end.max(after);
    }
    low + end
}

/// Returns the position after the next character at which a line may be cut: the quotation mark that ends a value is before it.
fn after_gap(text: &str, from: usize) -> Option<usize> {
    let gap = text.as_bytes().get(from..)?.iter().position(|b| GAPS.contains(b))?;
    Some(from + gap + 1)
}

/// Returns the position after the last character that belongs to no word.
fn word_end(text: &str) -> Option<usize> {
    let at = text.bytes().rposition(|b| b.is_ascii() && !is_ident(b) && b != b'-')?;
    Some(at + 1)
}
