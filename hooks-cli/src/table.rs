//! A table for a terminal, whose columns are as wide as their widest cell.

use std::io::{self, Write};

use anstyle::Style;

use crate::paint::QUIET;

/// Rows of cells, each cell with its colour.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Vec<(String, Style)>>,
    /// Columns that are aligned to the right.
    numbers: Vec<usize>,
}

impl Table {
    /// Starts a table with columns of these names.
    pub(crate) fn new<const N: usize>(names: [&str; N]) -> Self {
        let mut table = Self::default();
        table.row(names.map(|name| (name.to_owned(), QUIET)));
        table
    }

    /// Aligns these columns to the right.
    pub(crate) fn numbers(mut self, columns: impl IntoIterator<Item = usize>) -> Self {
        self.numbers.extend(columns);
        self
    }

    /// Adds a row.
    pub(crate) fn row<const N: usize>(&mut self, cells: [(String, Style); N]) {
        self.rows.push(cells.into());
    }

    /// Prints the table.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|(text, _)| text.chars().count()).max().unwrap_or_default()
        };
        let widths: Vec<_> = (0..columns).map(width).collect();
        for row in &self.rows {
            let mut line = String::from(" ");
            let last = row.len().saturating_sub(1);
            for (column, ((text, style), width)) in row.iter().zip(&widths).enumerate() {
                let padding = " ".repeat(width.saturating_sub(text.chars().count()));
                let (before, after) = match (self.numbers.contains(&column), column == last) {
                    (true, _) => (padding.as_str(), ""),
                    (false, true) => ("", ""),
                    (false, false) => ("", padding.as_str()),
                };
                line.push_str(&format!(" {before}{style}{text}{style:#}{after} "));
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}
