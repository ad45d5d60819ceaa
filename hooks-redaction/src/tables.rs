//! Finds the passwords in the column of a table whose header names them: comma-separated values, tables with bars, and the
//! rows of an `INSERT`.
//!
//! A column of comma-separated values:
//!
//! ```
//! use hooks_redaction::Scrubber;
//!
//! let scrubber = Scrubber::default();
//! assert_eq!(scrubber.scrub("user,password\nada,Xk7-qP2vRw\n"), "user,password\nada,[PASSWORD_REDACTED]\n");
//! ```

use super::{
    cells,
    label::Label,
    names::{self, Noun},
    prose,
    span::Span,
    text::{byte, floor, line_before, run_end},
    value::{self, Style},
};

/// Most bytes of a table that are read, from its header on. A text is not cut inside them.
pub(super) const MAX_TABLE: usize = 8 * 1024;
/// Longest header.
const MAX_HEADER: usize = 512;
/// Most columns.
const MAX_COLUMNS: usize = 64;

/// Table with a column of passwords.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) passwords: Vec<(usize, usize)>,
    /// End of the last row.
    pub(super) end: usize,
    /// Whether the text ends where another row may follow.
    pub(super) is_open: bool,
}

impl Table {
    /// Returns the passwords as findings.
    pub(super) fn spans(&self) -> impl Iterator<Item = Span> + '_ {
        self.passwords.iter().map(|(start, end)| Span::new(*start, *end, Label::Password))
    }
}

/// Reads the table whose header has the name at `start..end`.
pub(super) fn read(text: &str, start: usize, end: usize) -> Option<Table> {
    let bytes = text.as_bytes();
    let name = text.get(start..end)?;
    if !b",;|\t\"'` )\n\r".contains(&byte(bytes, end)) || !names::may_be_password(name.as_bytes()) {
        return None;
    }
    let before = line_before(bytes, start, MAX_HEADER);
    let limit = bytes.len().min(start + MAX_HEADER);
    let line_end = memchr::memchr(b'\n', bytes.get(end..limit)?).map_or(limit, |length| end + length);
    let line = start - before.len();
    let signs = || bytes.get(line..line_end).is_some_and(|line| line.iter().any(|b| b",;|\t".contains(b)));
    if before.len() == MAX_HEADER
        || line_end == start + MAX_HEADER
        || !signs()
        || names::noun(name) != Some(Noun::Password)
    {
        return None;
    }
    if memchr::memchr(b'(', before).is_some() {
        return inserted(text, line, start, end);
    }
    let header = text.get(line..line_end)?.trim_end_matches('\r');
    let sign = [b'|', b'\t', b',', b';']
        .into_iter()
        .find(|sign| memchr::memchr(*sign, header.as_bytes()).is_some())?;
    let columns = fields(header.as_bytes(), sign);
    let place = columns.iter().position(|(from, to)| line + from <= start && end <= line + to)?;
    let names = are_names(header, &columns, sign);
    let only = columns.get(place).and_then(|(from, to)| header.get(*from..*to))?;
    let alone = only.trim_matches(|c: char| !c.is_alphanumeric()).len() == end - start;
    if columns.len() < 2 || !names || !alone {
        return None;
    }
    rows(text, line, line_end, sign, columns.len(), place)
}

/// Reads the rows below a header, up to the next one.
fn rows(text: &str, header: usize, header_end: usize, sign: u8, count: usize, place: usize) -> Option<Table> {
    let bytes = text.as_bytes();
    let mut table = Table { passwords: Vec::new(), end: header_end, is_open: true };
    let limit = bytes.len().min(header + MAX_TABLE);
    let mut at = header_end + 1;
    let mut last = None;
    while at < limit {
        let end = memchr::memchr(b'\n', bytes.get(at..limit)?).map_or(limit, |length| at + length);
        let row = bytes.get(at..end)?;
        if !is_rule(row) {
            let columns = fields(row, sign);
            let is_row = columns.len() == count && !row.trim_ascii().is_empty();
            if !is_row || is_header(text.get(at..floor(text, end))?, &columns, sign) {
                table.is_open = false;
                break;
            }
            let (from, to) = *columns.get(place)?;
            let cell = cells::trimmed(bytes, at + from, at + to);
            let goes_on =
                || cell.0 < cell.1 && last.is_some_and(|end| cells::below(bytes, end) == Some(cell));
            let found =
                if sign == b'|' && goes_on() { Some(cell) } else { password(text, cell, sign == b'|') };
            table.passwords.extend(found);
            last = found.map(|(_, end)| end);
        }
        table.end = end;
        at = end + 1;
    }
    table.is_open &= at > bytes.len() || at >= limit && limit == bytes.len();
    Some(table)
}

/// Returns whether a row is the header of another table: names of columns, of which one is that of a password.
fn is_header(row: &str, columns: &[(usize, usize)], sign: u8) -> bool {
    let mut cells = columns.iter().filter_map(|(from, to)| row.get(*from..*to));
    let is_password = |cell: &str| {
        let name = cell.trim_matches(|c: char| !c.is_alphanumeric());
        names::may_be_password(name.as_bytes()) && names::noun(name) == Some(Noun::Password)
    };
    cells.any(is_password) && are_names(row, columns, sign)
}

/// Returns whether the cells of a row are names of columns.
fn are_names(row: &str, columns: &[(usize, usize)], sign: u8) -> bool {
    columns.iter().all(|(from, to)| is_name(row.get(*from..*to).unwrap_or_default(), sign == b'|'))
}

/// Finds the secret in the second cell of a row whose first one is the name at `start..end`, also over several rows.
pub(super) fn named(text: &str, start: usize, end: usize) -> Vec<Span> {
    let bytes = text.as_bytes();
    let next = run_end(bytes, end, 40, |b| b" *`_".contains(&b));
    if cells::bar(bytes, next).is_none() {
        return Vec::new();
    }
    let line = line_before(bytes, start, MAX_HEADER);
    let name = text.get(start..end).unwrap_or_default();
    let bars = line.iter().filter(|b| **b == b'|').count()
        + line.windows(3).filter(|three| *three == "│".as_bytes()).count();
    if line.trim_ascii().is_empty() {
        return expanded(text, name, end).into_iter().collect();
    }
    let Some(row) = cells::of_row(bytes, start - line.len()).filter(|row| row.len() == 2 && bars == 1) else {
        return Vec::new();
    };
    let alone = row.first().is_some_and(|(from, to)| {
        let marks = |b: u8| b"*`_ ".contains(&b);
        start.saturating_sub(*from) <= 2 && run_end(bytes, end, 3, marks) >= *to
    });
    let Some((noun, (from, to))) = names::noun(name).zip(row.get(1).copied()).filter(|_| alone) else {
        return Vec::new();
    };
    let mut parts = vec![(from, to)];
    while let Some(next) =
        parts.last().and_then(|(_, to)| cells::below(bytes, *to)).filter(|_| parts.len() < 8)
    {
        parts.push(next);
    }
    let whole: String = parts.iter().filter_map(|(from, to)| text.get(*from..*to)).collect();
    let (head, is_word) = (text.get(from..to).unwrap_or_default(), !whole.contains(char::is_whitespace));
    let label = match noun {
        _ if names::is_aws_secret(name) && super::forms::is_aws_secret(whole.as_bytes()) => {
            Label::AwsSecretAccessKey
        }
        Noun::Password if prose::is_one(&whole, true) || is_word && prose::is_one(head, true) => {
            Label::Password
        }
        Noun::Secret if value::is_token(&whole, Style::Plain(true), 8) => Label::Password,
        Noun::Token if value::is_token(&whole, Style::Plain(true), 16) => Label::ApiKey,
        _ => return Vec::new(),
    };
    parts.into_iter().map(|(from, to)| Span::new(from, to, label.clone())).collect()
}

/// Finds the password in a row of an expanded record (psql): `password | …`.
fn expanded(text: &str, name: &str, end: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let bar = run_end(bytes, end, MAX_HEADER, |b| b == b' ');
    let from = run_end(bytes, bar + 1, 4, |b| b == b' ');
    let line = run_end(bytes, from, MAX_HEADER, |b| b != b'\n' && b != b'\r');
    let found = text.get(from..floor(text, line))?.trim_end();
    let drawn = byte(bytes, bar) == b'|' && bar > end && from == bar + 2;
    (drawn && names::noun(name) == Some(Noun::Password) && prose::is_one(found, true))
        .then(|| Span::new(from, from + found.len(), Label::Password))
}

/// Returns the start of the drawn row above `end` that goes on below it, or may go on where the text ends.
fn open_row(text: &str, end: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let below = bytes.get(end..bytes.len().min(end + cells::MAX_ROW))?;
    let is_whole = below.len() == cells::MAX_ROW || memchr::memchr(b'\n', below).is_some();
    if is_whole && !cells::is_rest(bytes, end) {
        return None;
    }
    let mut end = end;
    let mut open = None;
    for _row in 0..8 {
        let last = end.checked_sub(1)?;
        let start = last - line_before(bytes, last, cells::MAX_ROW).len();
        let row = cells::of_row(bytes, start)?;
        open = Some(start);
        if row.first().is_none_or(|(from, to)| from < to) {
            break;
        }
        end = start;
    }
    open
}

/// Returns whether a row is a line between rows: `+-----+-----+`.
fn is_rule(row: &[u8]) -> bool {
    row.len() >= 3 && row.iter().all(|b| b"+-|=: \r".contains(b)) && row.contains(&b'-')
}

/// Returns the extents of the cells of a row; a sign in quotation marks separates nothing.
fn fields(row: &[u8], sign: u8) -> Vec<(usize, usize)> {
    let mut fields = Vec::new();
    let (mut from, mut quoted) = (0, false);
    for (at, b) in row.iter().enumerate() {
        if *b == b'"' && sign != b'|' {
            quoted = !quoted;
        } else if *b == sign && !quoted && fields.len() < MAX_COLUMNS {
            fields.push((from, at));
            from = at + 1;
        }
    }
    fields.push((from, row.len()));
    fields
}

/// Returns whether a cell of a header is the name of a column.
fn is_name(cell: &str, may_be_empty: bool) -> bool {
    let name = cell.trim().trim_matches(['"', '\'', '`', '*']);
    (may_be_empty && name.is_empty())
        || (name.len() <= 40
            && name.starts_with(|c: char| c.is_alphabetic() || c == '#' || c == '_')
            && name.chars().all(|c| c.is_alphanumeric() || " _-./#".contains(c))
            && name.split(' ').count() <= 4)
}

/// Returns the extent of the password in the cell `start..end`.
fn password(text: &str, (start, end): (usize, usize), is_drawn: bool) -> Option<(usize, usize)> {
    let cell = text.get(start..end)?;
    let quotes = |c: char| matches!(c, '"' | '\'' | '`');
    let open = cell.len() - cell.trim_start_matches(quotes).len();
    let found = cell.trim_matches(quotes);
    let digest = found.len() >= 32 && found.bytes().all(|b| b.is_ascii_hexdigit())
        || found.starts_with(['$', '*', '{']);
    let random = || {
        if is_drawn {
            return prose::is_one(found, true);
        }
        found.bytes().any(|b| b.is_ascii_digit()) && found.bytes().any(|b| b.is_ascii_alphabetic())
            || value::has_rare_sign(found)
            || prose::is_jumbled(found)
    };
    let plain = || !found.contains(char::is_whitespace) && value::is_password(found, Style::Attached);
    // A cell in quotation marks may have blanks.
    let is_quoted = !is_drawn && cell.len() > found.len() && cell.starts_with('"');
    let is_one = !digest && random() && (plain() || is_quoted && value::is_password(found, Style::Quoted));
    is_one.then_some((start + open, start + open + found.len()))
}

/// Reads the rows of `INSERT INTO users (name, password) VALUES (…), (…)` with the name of a column at `start..end`.
fn inserted(text: &str, line: usize, start: usize, end: usize) -> Option<Table> {
    let bytes = text.as_bytes();
    let before = bytes.get(line..start)?;
    let open = memchr::memrchr(b'(', before)?;
    let into = before.get(..open)?.to_ascii_lowercase();
    if into.trim_ascii_start().starts_with(b"copy ") {
        return copied(text, line, open, start, end);
    }
    memchr::memmem::rfind(&into, b"into ")?;
    let names = |b: &u8| b.is_ascii_alphanumeric() || b"_, `\"[].".contains(b);
    let listed = before.get(open + 1..).filter(|list| list.iter().all(&names))?;
    let place = listed.iter().filter(|b| **b == b',').count();
    let close = run_end(bytes, end, MAX_HEADER, |b| names(&b));
    let values = run_end(bytes, close + 1, 16, |b| b.is_ascii_whitespace());
    if memchr::memmem::find(bytes.get(close..values)?, b"\n\n").is_some() {
        return None;
    }
    let word = bytes.get(values..bytes.len().min(values + 6))?;
    let may_follow = word.len() < 6;
    if byte(bytes, close) != b')' || !(word.eq_ignore_ascii_case(b"values") || may_follow) {
        return None;
    }
    let limit = bytes.len().min(line + MAX_TABLE);
    let mut table = Table { passwords: Vec::new(), end: values.min(limit), is_open: may_follow };
    let mut at = values + 6;
    loop {
        let from = run_end(bytes, at, 64, |b| b.is_ascii_whitespace() || b == b',');
        let gap = bytes.get(at..from)?;
        if memchr::memmem::find(gap, b"\n\n").is_some() {
            break;
        }
        if from >= limit {
            table.is_open = limit == bytes.len();
            break;
        }
        if byte(bytes, from) != b'(' {
            break;
        }
        let Some((fields, next)) = tuple(bytes, from + 1, limit) else {
            table.is_open = limit == bytes.len();
            break;
        };
        if let Some((from, to)) = fields.get(place)
            && let Some(cell) = password(text, cells::trimmed(bytes, *from, *to), false)
        {
            table.passwords.push(cell);
        }
        table.end = next;
        at = next;
    }
    Some(table)
}

/// Reads the rows below `COPY users (name, password) FROM stdin;` (PostgreSQL) with the name of a column at `start..end`; the
/// columns begin behind `open` in the line.
fn copied(text: &str, line: usize, open: usize, start: usize, end: usize) -> Option<Table> {
    let bytes = text.as_bytes();
    let close = run_end(bytes, end, MAX_HEADER, |b| b != b')' && b != b'\n');
    let header_end = run_end(bytes, close, MAX_HEADER, |b| b != b'\n');
    let input = bytes.get(close..header_end)?.to_ascii_lowercase();
    memchr::memmem::find(&input, b" from stdin")?;
    let commas =
        |from: usize, to: usize| bytes.get(from..to).map(|list| list.iter().filter(|b| **b == b',').count());
    let (place, more) = (commas(line + open, start)?, commas(end, close)?);
    rows(text, line, header_end, b'\t', place + more + 1, place)
}

/// Parses the fields of a row up to its parenthesis; returns them with the position behind it.
fn tuple(bytes: &[u8], from: usize, limit: usize) -> Option<(Vec<(usize, usize)>, usize)> {
    let mut fields = Vec::new();
    let (mut start, mut quoted, mut depth) = (from, false, 0_usize);
    for (length, b) in bytes.get(from..limit)?.iter().enumerate() {
        let at = from + length;
        match b {
            b'\'' => quoted = !quoted,
            _ if quoted => {}
            b'(' => depth += 1,
            b')' if depth > 0 => depth -= 1,
            b',' | b')' if depth == 0 => {
                fields.push((start, at));
                start = at + 1;
                if *b == b')' {
                    return Some((fields, at + 1));
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns the start of the header of a table that goes on behind `end`.
pub(super) fn open_before(text: &str, end: usize) -> Option<usize> {
    table_before(text, end).or_else(|| open_row(text, end))
}

fn table_before(text: &str, end: usize) -> Option<usize> {
    let low = floor(text, end.saturating_sub(MAX_TABLE + MAX_HEADER));
    let near = text.get(low..end)?;
    let last = near.trim_end_matches(['\n', '\r']).rsplit('\n').next().unwrap_or_default();
    if near.ends_with("\n\n") || !last.contains([',', ';', '|', '\t', '(', ')', '-']) {
        return None;
    }
    // A blank line ends a table.
    let from = memchr::memmem::rfind(near.as_bytes(), b"\n\n").map_or(0, |at| at + 2);
    let (low, near) = (low + from, near.get(from..)?);
    let bytes = near.as_bytes();
    let words = ["ass", "ASS", "wd", "WD", "ort", "psw"];
    let mut places: Vec<usize> =
        words.iter().flat_map(|word| memchr::memmem::find_iter(bytes, word)).collect();
    places.sort_unstable();
    let mut read_to = 0;
    for at in places.into_iter() {
        let (from, to) = super::assignments::name_around(bytes, at);
        if from < read_to {
            continue;
        }
        let Some(table) = read(near, from, to) else { continue };
        if table.is_open {
            return Some(low + from - line_before(bytes, from, MAX_HEADER).len());
        }
        read_to = table.end;
    }
    None
}

#[cfg(test)]
mod tests;
