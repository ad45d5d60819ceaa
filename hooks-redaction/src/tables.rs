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
    /// The passwords.
    pub(super) cells: Vec<(usize, usize)>,
    /// End of the last row.
    pub(super) end: usize,
    /// Whether the text ends where another row may follow.
    pub(super) is_open: bool,
}

impl Table {
    /// Returns the passwords as findings.
    pub(super) fn spans(&self) -> impl Iterator<Item = Span> + '_ {
        self.cells.iter().map(|(start, end)| Span::new(*start, *end, Label::Password))
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
    let columns = cells(header.as_bytes(), sign);
    let place = columns.iter().position(|(from, to)| line + from <= start && end <= line + to)?;
    let names =
        columns.iter().all(|(from, to)| is_name(header.get(*from..*to).unwrap_or_default(), sign == b'|'));
    let only = columns.get(place).and_then(|(from, to)| header.get(*from..*to))?;
    let alone = only.trim_matches(|c: char| !c.is_alphanumeric()).len() == end - start;
    if columns.len() < 2 || !names || !alone {
        return None;
    }
    rows(text, line, line_end, sign, columns.len(), place)
}

/// Reads the rows below a header.
fn rows(text: &str, header: usize, header_end: usize, sign: u8, count: usize, place: usize) -> Option<Table> {
    let bytes = text.as_bytes();
    let mut table = Table { cells: Vec::new(), end: header_end, is_open: true };
    let limit = bytes.len().min(header + MAX_TABLE);
    let mut at = header_end + 1;
    while at < limit {
        let end = memchr::memchr(b'\n', bytes.get(at..limit)?).map_or(limit, |length| at + length);
        let row = bytes.get(at..end)?;
        if !is_rule(row) {
            let columns = cells(row, sign);
            if columns.len() != count || row.trim_ascii().is_empty() {
                table.is_open = false;
                break;
            }
            let (from, to) = *columns.get(place)?;
            if let Some(cell) = password(text, at + from, at + to, sign == b'|') {
                table.cells.push(cell);
            }
        }
        table.end = end;
        at = end + 1;
    }
    table.is_open &= at > bytes.len() || at >= limit && limit == bytes.len();
    (table.is_open || !table.cells.is_empty()).then_some(table)
}

/// Returns whether a row is a line between rows: `+-----+-----+`.
fn is_rule(row: &[u8]) -> bool {
    row.len() >= 3 && row.iter().all(|b| b"+-|=: \r".contains(b)) && row.contains(&b'-')
}

/// Returns the extents of the cells of a row; a sign in quotation marks separates nothing.
fn cells(row: &[u8], sign: u8) -> Vec<(usize, usize)> {
    let mut cells = Vec::new();
    let (mut from, mut quoted) = (0, false);
    for (at, b) in row.iter().enumerate() {
        if *b == b'"' && sign != b'|' {
            quoted = !quoted;
        } else if *b == sign && !quoted && cells.len() < MAX_COLUMNS {
            cells.push((from, at));
            from = at + 1;
        }
    }
    cells.push((from, row.len()));
    cells
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

/// Returns the extent of the password in a cell.
fn password(text: &str, from: usize, to: usize, is_drawn: bool) -> Option<(usize, usize)> {
    let cell = text.get(from..to)?;
    let trimmed = cell.trim();
    let start = from + (cell.len() - cell.trim_start().len());
    let quotes = |c: char| matches!(c, '"' | '\'' | '`');
    let open = trimmed.len() - trimmed.trim_start_matches(quotes).len();
    let found = trimmed.trim_matches(quotes);
    let digest = found.len() >= 32 && found.bytes().all(|b| b.is_ascii_hexdigit())
        || found.starts_with(['$', '*', '{']);
    let random = if is_drawn {
        prose::is_one(found, true)
    } else {
        found.bytes().any(|b| b.is_ascii_digit()) && found.bytes().any(|b| b.is_ascii_alphabetic())
            || value::has_rare_sign(found)
            || prose::is_jumbled(found)
    };
    (!digest && random && !found.contains(char::is_whitespace) && value::is_password(found, Style::Attached))
        .then_some((start + open, start + open + found.len()))
}

/// Reads the rows of `INSERT INTO users (name, password) VALUES (…), (…)` with the name of a column at `start..end`.
fn inserted(text: &str, line: usize, start: usize, end: usize) -> Option<Table> {
    let bytes = text.as_bytes();
    let before = bytes.get(line..start)?;
    let open = memchr::memrchr(b'(', before)?;
    let into = before.get(..open)?.to_ascii_lowercase();
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
    let mut table = Table { cells: Vec::new(), end: values.min(limit), is_open: may_follow };
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
            && let Some(cell) = password(text, *from, floor(text, *to), false)
        {
            table.cells.push(cell);
        }
        table.end = next;
        at = next;
    }
    (table.is_open || !table.cells.is_empty()).then_some(table)
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
mod tests {
    use super::super::Scrubber;

    #[test]
    fn columns_of_passwords() {
        for (text, wanted) in [
            ("user,password,role\njoe,winter77,admin\nann,K9#mWq!x,user\n", &["winter77", "K9#mWq!x"][..]),
            ("\"Site\";\"Password\"\r\n\"a\";\"winter;77\"\r\n", &["winter;77"]),
            ("user\tpassword\njoe\twinter77\n", &["winter77"]),
            ("+---+---+\n| user | password |\n+---+---+\n| joe | winter77 |\n+---+---+\n", &["winter77"]),
            (" user | password \n------+------\n joe | winter77\n(1 row)\n", &["winter77"]),
            (
                "INSERT INTO t (name, password, n) VALUES ('joe', 'winter77', 1), ('ann', 'K9#mWq!x', 2);",
                &["winter77", "K9#mWq!x"],
            ),
            ("insert into t (name, `password`)\nvalues\n  ('joe', 'winter77');", &["winter77"]),
        ] {
            let marked =
                wanted.iter().fold(text.to_owned(), |text, word| text.replace(word, "[PASSWORD_REDACTED]"));
            assert_eq!(Scrubber::all().scrub(text), marked, "{text}");
        }
    }

    #[test]
    fn other_tables() {
        for text in [
            "user,password_changed\njoe,x77y\n",
            "| Field | Password | Note |\n|---|---|---|\n| a1 | required | b2 |\n",
            "name, password, host = f(x)\na1, b2, c3 = g(y)\n",
            "user,password\njoe,$2b$12$abcdefgh\n",
            "user,password\n\njoe,winter77\n",
            "foo(user, password)\nbar(a1, b2)\n",
        ] {
            assert_eq!(Scrubber::all().scrub(text), text);
        }
    }
}
