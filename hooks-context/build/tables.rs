//! Reads a table of the folder `data`, checks every row, and writes the rows as Rust.
//!
//! A table is text. Lines with `#` are comments; lines with `#!` give its form:
//!
//! ```text
//! #! columns  NAME:KIND …       columns of a row, which tabs separate
//! #! row      TEMPLATE          Rust of a row; without it, the cell, or a tuple of the cells
//! #! shape    slice             slice: `&[…]` · match: `match name {…}` to an option · matches: `matches!(word, …)` ·
//!                               by_key: the rows with an index of their keys, for a `ByKey`
//! #! sorted   LIST …            the keys of these lists, or of all, are in the order of their bytes
//! #! example  LIST TEMPLATE     example of the rows without one of their own; `{}` is the key
//! ```
//!
//! | kind | cell |
//! | --- | --- |
//! | `list(a\|b)` | list that the row belongs to |
//! | `key` | text, unique in its list |
//! | `keys` | words between commas, each unique in its list |
//! | `text`, `words`, `pairs` | text; words between commas; `a=b` between commas |
//! | `flag`, `count` | `yes` or `no`; a number |
//! | `one(A\|B)` | one of these Rust names |
//! | `example` | example for the tests, which is not written |
//!
//! A cell of `-` is empty.
//!
//! The crates with tables have the same build script: `cargo xtask tidy` compares the files.

use std::collections::BTreeMap;

/// A table that has been checked.
#[derive(Debug, Default)]
pub(crate) struct Table {
    columns: Vec<Column>,
    template: Option<String>,
    shape: Shape,
    sorted: Vec<String>,
    examples: BTreeMap<String, String>,
    rows: Vec<Row>,
}

/// One row of a table.
#[derive(Debug)]
pub(crate) struct Row {
    /// Line of the file, from 1.
    pub(crate) line: usize,
    /// The list that the row belongs to; empty in a table without lists.
    pub(crate) list: String,
    /// Text of each column, empty for `-`.
    pub(crate) cells: Vec<String>,
}

/// Column of a table.
#[derive(Debug)]
struct Column {
    name: String,
    kind: Kind,
}

/// Meaning of the cells of a column.
#[derive(Debug, PartialEq, Eq)]
enum Kind {
    List(Vec<String>),
    Key,
    Keys,
    Text,
    Words,
    Pairs,
    Flag,
    Count,
    One(Vec<String>),
    Example,
}

/// Form of a list in Rust.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Shape {
    #[default]
    Slice,
    Match,
    Matches,
    ByKey,
}

impl Table {
    /// Reads a table.
    ///
    /// # Errors
    /// Returns each mistake with its line: an unknown directive or kind, a wrong number of columns, a cell that
    /// its kind does not allow, a duplicate key, a key out of order, a list without rows.
    pub(crate) fn read(text: &str) -> Result<Self, Vec<String>> {
        let mut table = Self::default();
        let mut mistakes = Vec::new();
        for (line, number) in text.lines().zip(1..) {
            let result = match line.strip_prefix("#!") {
                Some(directive) => table.directive(directive.trim()),
                None if line.is_empty() || line.starts_with('#') => Ok(()),
                None => table.row(line, number),
            };
            mistakes.extend(result.err().map(|reason| format!("{number}: {reason}")));
        }
        mistakes.extend(table.duplicates());
        mistakes.extend(table.unordered());
        mistakes.extend(table.without_example());
        if mistakes.is_empty() {
            mistakes.extend(table.empty_lists());
        }
        if mistakes.is_empty() { Ok(table) } else { Err(mistakes) }
    }

    /// Returns the lists and their Rust. A table without lists is one list without a name.
    pub(crate) fn rust(&self) -> Vec<(String, String)> {
        self.lists().map(|list| (list.to_owned(), self.rust_of(list))).collect()
    }

    /// Returns all rows.
    #[cfg(test)]
    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Returns the words of a cell.
    #[cfg(test)]
    pub(crate) fn words<'r>(&self, row: &'r Row, name: &str) -> Vec<&'r str> {
        let mut cells = self.columns.iter().zip(&row.cells);
        cells
            .find(|(column, _)| column.name == name)
            .map(|(_, cell)| words_in(cell).collect())
            .unwrap_or_default()
    }

    /// Returns the example of a row, with `{}` in the place of the key.
    pub(crate) fn example<'t>(&'t self, row: &'t Row) -> &'t str {
        let own = self.cell(row, |kind| *kind == Kind::Example).filter(|own| !own.is_empty());
        own.or_else(|| self.examples.get(&row.list).map(String::as_str)).unwrap_or_default()
    }

    fn directive(&mut self, directive: &str) -> Result<(), String> {
        let (name, value) = directive.split_once(' ').unwrap_or((directive, ""));
        let value = value.trim();
        match (name, value) {
            ("columns", _) => {
                self.columns = value.split_whitespace().map(column).collect::<Result<_, _>>()?;
            }
            ("row", _) => self.template = Some(value.to_owned()),
            ("shape", "slice") => self.shape = Shape::Slice,
            ("shape", "match") => self.shape = Shape::Match,
            ("shape", "matches") => self.shape = Shape::Matches,
            ("shape", "by_key") => self.shape = Shape::ByKey,
            ("sorted", "") => self.sorted = self.lists().map(str::to_owned).collect(),
            ("sorted", _) => {
                value.split_whitespace().try_for_each(|list| self.is_list(list))?;
                self.sorted = value.split_whitespace().map(str::to_owned).collect();
            }
            ("example", _) => {
                let (list, template) = if self.has_lists() {
                    value.split_once(' ').ok_or("expected a list and its example")?
                } else {
                    ("", value)
                };
                self.is_list(list)?;
                self.examples.insert(list.to_owned(), template.trim().to_owned());
            }
            _ => return Err(format!("unknown directive `{directive}`")),
        }
        Ok(())
    }

    fn row(&mut self, line: &str, number: usize) -> Result<(), String> {
        let cells: Vec<_> = line.split('\t').map(|cell| if cell == "-" { "" } else { cell }).collect();
        if cells.len() != self.columns.len() {
            return Err(format!("expected {} columns, found {}", self.columns.len(), cells.len()));
        }
        let mut list = "";
        for (column, cell) in self.columns.iter().zip(&cells) {
            column.check(cell)?;
            if matches!(column.kind, Kind::List(_)) {
                list = cell;
            }
        }
        let cells = cells.iter().map(|cell| (*cell).to_owned()).collect();
        self.rows.push(Row { line: number, list: list.to_owned(), cells });
        Ok(())
    }

    fn lists(&self) -> impl Iterator<Item = &str> {
        let lists = self.columns.iter().find_map(|column| match &column.kind {
            Kind::List(lists) => Some(lists.iter().map(String::as_str).collect()),
            _ => None,
        });
        lists.unwrap_or_else(|| vec![""]).into_iter()
    }

    fn has_lists(&self) -> bool {
        self.columns.iter().any(|column| matches!(column.kind, Kind::List(_)))
    }

    fn is_list(&self, list: &str) -> Result<(), String> {
        let is_one = self.lists().any(|known| known == list);
        is_one.then_some(()).ok_or_else(|| format!("unknown list `{list}`"))
    }

    fn rows_of(&self, list: &str) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.list == list)
    }

    fn cell<'r>(&self, row: &'r Row, is_meant: impl Fn(&Kind) -> bool) -> Option<&'r str> {
        let mut cells = self.columns.iter().zip(&row.cells);
        cells.find(|(column, _)| is_meant(&column.kind)).map(|(_, cell)| cell.as_str())
    }

    /// Returns the keys of a row.
    pub(crate) fn keys<'r>(&self, row: &'r Row) -> Vec<&'r str> {
        let key = self.cell(row, |kind| *kind == Kind::Key).map(|key| vec![key]);
        let words = || self.cell(row, |kind| matches!(kind, Kind::Keys | Kind::Words));
        key.or_else(|| Some(words()?.split(", ").collect())).unwrap_or_default()
    }

    fn duplicates(&self) -> Vec<String> {
        let mut seen = BTreeMap::new();
        let mut found = Vec::new();
        if !self.columns.iter().any(|column| matches!(column.kind, Kind::Key | Kind::Keys)) {
            return found;
        }
        for row in &self.rows {
            for key in self.keys(row) {
                if let Some(first) = seen.insert((&row.list, key), row.line) {
                    found.push(format!("{}: duplicate key `{key}`; line {first} has it", row.line));
                }
            }
        }
        found
    }

    fn empty_lists(&self) -> Vec<String> {
        let empty = self.lists().filter(|list| self.rows_of(list).next().is_none());
        empty.map(|list| format!("1: the list `{list}` has no row")).collect()
    }

    fn without_example(&self) -> Vec<String> {
        let rows = self.rows.iter().filter(|row| !self.example(row).contains("{}"));
        rows.map(|row| format!("{}: the row has no example with `{{}}` for its key", row.line)).collect()
    }

    fn unordered(&self) -> Vec<String> {
        let mut last = BTreeMap::new();
        let mut found = Vec::new();
        for row in self.rows.iter().filter(|row| self.sorted.contains(&row.list)) {
            let key = self.keys(row).first().copied().unwrap_or_default();
            if let Some(before) = last.insert(&row.list, key).filter(|before| *before > key) {
                found.push(format!("{}: `{key}` is after `{before}`; sort the rows by bytes", row.line));
            }
        }
        found
    }

    fn rust_of(&self, list: &str) -> String {
        let rows: Vec<_> = self.rows_of(list).map(|row| self.rust_of_row(row)).collect();
        match self.shape {
            Shape::Slice => format!("&[\n{}\n]\n", rows.join(",\n")),
            Shape::Match => format!("match name {{\n{},\n_ => None,\n}}\n", rows.join(",\n")),
            Shape::Matches => format!("matches!(word, {})\n", rows.join(" | ")),
            Shape::ByKey => {
                let index = self.index(list);
                format!("ByKey {{\nkeys: &{index:?},\nrows: &[\n{}\n] }}\n", rows.join(",\n"))
            }
        }
    }

    /// Returns the keys of a list in the order of their bytes, each with the number of its row.
    fn index(&self, list: &str) -> Vec<(&str, usize)> {
        let rows = self.rows_of(list).enumerate();
        let mut index: Vec<_> =
            rows.flat_map(|(at, row)| self.keys(row).into_iter().map(move |key| (key, at))).collect();
        index.sort_unstable();
        index
    }

    fn rust_of_row(&self, row: &Row) -> String {
        let cells = || self.columns.iter().zip(&row.cells).filter(|(column, _)| column.is_written());
        if let Some(template) = &self.template {
            return cells().fold(template.clone(), |text, (column, cell)| {
                let text = text.replace(&format!("{{{}|}}", column.name), &alternatives(cell));
                text.replace(&format!("{{{}}}", column.name), &column.rust(cell))
            });
        }
        let cells: Vec<_> = cells().map(|(column, cell)| column.rust(cell)).collect();
        if let [cell] = cells.as_slice() { cell.clone() } else { format!("({})", cells.join(", ")) }
    }
}

impl Column {
    fn is_written(&self) -> bool {
        !matches!(self.kind, Kind::List(_) | Kind::Example)
    }

    fn check(&self, cell: &str) -> Result<(), String> {
        let name = &self.name;
        if cell.trim() != cell || cell.contains("  ") {
            return Err(format!("`{name}` has a space too many: `{cell}`"));
        }
        let fits = match &self.kind {
            Kind::List(names) | Kind::One(names) => names.iter().any(|name| name == cell),
            Kind::Key | Kind::Keys => !cell.is_empty(),
            Kind::Flag => matches!(cell, "yes" | "no"),
            Kind::Count => cell.parse::<usize>().is_ok(),
            Kind::Pairs => words_in(cell).all(|pair| pair.split('=').count() == 2),
            Kind::Text | Kind::Words | Kind::Example => true,
        };
        fits.then_some(()).ok_or_else(|| match &self.kind {
            Kind::List(names) | Kind::One(names) => {
                format!("unknown {name} `{cell}`; expected one of {}", names.join(", "))
            }
            kind => format!("`{cell}` is not a valid {name}: the kind is {kind:?}"),
        })
    }

    fn rust(&self, cell: &str) -> String {
        let words = || words_in(cell);
        match &self.kind {
            Kind::Keys | Kind::Words => format!("&{:?}", words().collect::<Vec<_>>()),
            Kind::Pairs => {
                format!("&{:?}", words().filter_map(|pair| pair.split_once('=')).collect::<Vec<_>>())
            }
            Kind::Flag => (cell == "yes").to_string(),
            Kind::Count | Kind::One(_) => cell.to_owned(),
            Kind::List(_) | Kind::Key | Kind::Text | Kind::Example => format!("{cell:?}"),
        }
    }
}

/// Parses `NAME:KIND`.
fn column(text: &str) -> Result<Column, String> {
    let (name, kind) = text.split_once(':').ok_or_else(|| format!("expected `NAME:KIND`, found `{text}`"))?;
    let (kind, names) = kind.trim_end_matches(')').split_once('(').unwrap_or((kind, ""));
    let names = || names.split('|').map(str::to_owned).collect();
    let kind = match kind {
        "list" => Kind::List(names()),
        "key" => Kind::Key,
        "keys" => Kind::Keys,
        "text" => Kind::Text,
        "words" => Kind::Words,
        "pairs" => Kind::Pairs,
        "flag" => Kind::Flag,
        "count" => Kind::Count,
        "one" => Kind::One(names()),
        "example" => Kind::Example,
        _ => return Err(format!("unknown kind `{kind}`")),
    };
    Ok(Column { name: name.to_owned(), kind })
}

/// Returns the words of a cell, between commas.
fn words_in(cell: &str) -> impl Iterator<Item = &str> {
    cell.split(", ").filter(|word| !word.is_empty())
}

/// Returns words as the alternatives of a pattern.
fn alternatives(cell: &str) -> String {
    words_in(cell).map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" | ")
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
