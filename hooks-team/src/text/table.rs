//! Markdown tables.

use std::ops::Range;

use super::lines::ends_line;
use super::{Document, Kind, Splice, key, lossy};

/// A table with the names of its columns, and its rows. A row may have fewer or more cells than the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    columns: Vec<String>,
    rows: Vec<Row>,
    /// End of the last row, or of the line below the header.
    end: usize,
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    cells: Vec<Cell>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Cell {
    text: String,
    range: Range<usize>,
}

impl Table {
    /// Returns the tables within `range` of `document`, in order.
    pub fn all(document: &Document, range: &Range<usize>) -> Vec<Self> {
        let mut tables: Vec<Self> = Vec::new();
        let mut header: Option<Vec<Cell>> = None;
        let mut within = false;
        for line in document.lines_in(range) {
            let text = document.line(*line);
            if line.kind != Kind::Text || !text.contains(&b'|') {
                (header, within) = (None, false);
            } else if within {
                if let Some(table) = tables.last_mut() {
                    table.rows.push(Row { cells: cells(text, line.start) });
                    table.end = line.end;
                }
            } else if let Some(columns) = header.take().filter(|_| is_delimiter(text)) {
                let columns = columns.into_iter().map(|cell| cell.text).collect();
                tables.push(Self { columns, rows: Vec::new(), end: line.end });
                within = true;
            } else {
                header = Some(cells(text, line.start));
            }
        }
        tables
    }

    /// Returns the first table within `range` that has all of `columns`; each is matched by a part of the
    /// name.
    pub fn find(document: &Document, range: &Range<usize>, columns: &[&str]) -> Option<Self> {
        Self::all(document, range)
            .into_iter()
            .find(|table| columns.iter().all(|wanted| table.column(wanted).is_some()))
    }

    /// Returns the names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Returns the index of the column called `wanted`, or else of the first column whose name contains it.
    ///
    /// ```
    /// use hooks_team::text::{Document, Table};
    ///
    /// let document = Document::parse("| Work Type | Agent |\n|--|--|\n| API | Ada |\n");
    /// let table = &Table::all(&document, &(0..document.bytes().len()))[0];
    /// assert_eq!(table.column("agent"), Some(1));
    /// assert_eq!(table.column("work"), Some(0)); // a part of the name is enough
    /// assert_eq!(table.rows()[0].cell(None), ""); // a column that is missing
    /// ```
    pub fn column(&self, wanted: &str) -> Option<usize> {
        let wanted = key(wanted);
        let names: Vec<_> = self.columns.iter().map(|name| key(name)).collect();
        let exact = names.iter().position(|name| *name == wanted);
        exact.or_else(|| names.iter().position(|name| name.contains(&*wanted)))
    }

    /// Returns the rows.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Adds a last row with the values of the named columns, and a dash in the others.
    pub(crate) fn add(&self, document: &Document, cells: &[(&str, &str)]) -> Splice {
        let mut row = String::from("|");
        for number in 0..self.columns.len() {
            let named = cells.iter().find(|(name, _)| self.column(name) == Some(number));
            row.push(' ');
            // Some readers skip empty cells, and would assign the next value to the wrong column.
            let value = named.map_or("", |(_, value)| value.trim());
            row.push_str(&escaped(if value.is_empty() { "—" } else { value }));
            row.push_str(" |");
        }
        let newline = document.newline();
        let text = if ends_line(document.slice(0..self.end)) {
            format!("{row}{newline}")
        } else {
            format!("{newline}{row}")
        };
        Splice::insert(self.end, text)
    }
}

impl Row {
    /// Returns the text of a cell, or an empty text if the row has too few cells.
    pub fn cell(&self, column: Option<usize>) -> &str {
        column.and_then(|column| self.cells.get(column)).map_or("", |cell| &cell.text)
    }

    /// Replaces the text of a cell; returns `None` if the row has too few cells.
    pub fn set(&self, column: usize, text: &str) -> Option<Splice> {
        let cell = self.cells.get(column)?;
        let text = escaped(text);
        // An empty cell has no white space between its pipes.
        let text = if cell.range.is_empty() { format!(" {text} ") } else { text };
        Some(Splice::replace(cell.range.clone(), text))
    }
}

/// Splits a row into cells. A pipe after a backslash is text.
fn cells(line: &[u8], start: usize) -> Vec<Cell> {
    let mut bounds = vec![];
    let mut escaped = false;
    for (at, byte) in line.iter().enumerate() {
        if *byte == b'|' && !escaped {
            bounds.push(at);
        }
        escaped = *byte == b'\\' && !escaped;
    }
    let first = if line.trim_ascii_start().first() == Some(&b'|') { None } else { Some(0) };
    let mut from = first;
    let mut cells = Vec::with_capacity(bounds.len());
    for bound in bounds {
        if let Some(from) = from {
            cells.push(cell(line, from..bound, start));
        }
        from = Some(bound + 1);
    }
    // Text after the last pipe is a cell unless it is blank.
    if let Some(from) = from
        && line.get(from..).is_some_and(|rest| !rest.trim_ascii().is_empty())
    {
        cells.push(cell(line, from..line.len(), start));
    }
    cells
}

fn cell(line: &[u8], range: Range<usize>, start: usize) -> Cell {
    let raw = line.get(range.clone()).unwrap_or_default();
    let text = raw.trim_ascii();
    let before = if text.is_empty() { 0 } else { raw.len() - raw.trim_ascii_start().len() };
    let from = start + range.start + before;
    Cell { text: lossy(text).replace("\\|", "|"), range: from..from + text.len() }
}

fn is_delimiter(line: &[u8]) -> bool {
    let mut cells = cells(line, 0).into_iter().peekable();
    cells.peek().is_some()
        && cells.all(|cell| {
            let dashes = cell.text.trim_start_matches(':').trim_end_matches(':');
            !dashes.is_empty() && dashes.bytes().all(|byte| byte == b'-')
        })
}

/// Escapes text so that it stays within its cell.
fn escaped(text: &str) -> String {
    let text = super::one_line(text);
    let mut written = String::with_capacity(text.len());
    let mut slashes = 0;
    for c in text.chars() {
        // After an even number of backslashes, a pipe is not escaped.
        if c == '|' && slashes % 2 == 0 {
            written.push('\\');
        }
        slashes = if c == '\\' { slashes + 1 } else { 0 };
        written.push(c);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_and_changed_in_place() {
        let text = "a\n\n| Name | Role \\| x | Status |\r\n|:--|---|--:|\n| A | `a \\| b` | |\n| B |\n|C|d|✅ Active|extra|\n\nz | y";
        let document = Document::parse(text);
        let table = Table::find(&document, &(0..text.len()), &["name", "status"]).unwrap();
        assert_eq!(table.columns(), ["Name", "Role | x", "Status"]);
        let cells: Vec<_> = table
            .rows()
            .iter()
            .map(|row| (row.cell(Some(0)), row.cell(Some(1)), row.cell(Some(2))))
            .collect();
        assert_eq!(cells, [("A", "`a | b`", ""), ("B", "", ""), ("C", "d", "✅ Active")]);
        let edits = vec![
            table.rows()[2].set(2, "a|b").unwrap(),
            table.add(&document, &[("status", "new"), ("name", "D")]),
        ];
        let changed = String::from_utf8(document.with(edits)).unwrap();
        assert!(changed.contains("|C|d|a\\|b|extra|\n| D | — | new |"), "{changed}");
        assert!(table.rows()[1].set(2, "x").is_none());
    }

    #[test]
    fn what_has_no_line_of_dashes_is_no_table() {
        let all = |text: &str| Table::all(&Document::parse(text), &(0..text.len())).len();
        assert_eq!(all("| a | b |\n| c | d |\n"), 0);
        assert_eq!(all("```\n| a |\n|---|\n```\n"), 0);
        assert_eq!(all("| a |\n|---|\n\n| b |\n|---|\n| c |"), 2);
    }
}
