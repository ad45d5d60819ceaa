//! Tests every row of the tables in `data`: its example has the effect that the row gives it.

#![cfg(test)]

mod arguments;
mod code_starts;
mod code_writes;
mod effects;
mod options;
mod programs;
mod reads;
#[path = "../../build/tables.rs"]
mod tables;
mod tools;
mod typed;
mod variables;
mod windows;
mod written;

use hooks_facts::commands::{Analysis, BlockedPattern, Options};
use tables::{Row, Table};

/// Reads a table as the build script does.
fn table(text: &str) -> Table {
    Table::read(text).unwrap_or_else(|mistakes| panic!("{mistakes:#?}"))
}

/// Returns each key of each row with its row.
fn keys(table: &Table) -> impl Iterator<Item = (&Row, &str)> {
    table.rows().iter().flat_map(|row| table.keys(row).into_iter().map(move |key| (row, key)))
}

/// Returns the example of a row for a name.
fn example(table: &Table, row: &Row, name: &str) -> String {
    table.example(row).replace("{}", name)
}

/// Fails with all rows that have no effect.
#[track_caller]
fn assert_effects(rows: &[String]) {
    assert!(rows.is_empty(), "{} rows without their effect: {rows:#?}", rows.len());
}

fn analysis(text: &str) -> Analysis {
    Analysis::of_text(text, &Options::default())
}

/// Returns whether the effects of all programs of a command are known.
fn is_told(text: &str) -> bool {
    let analysis = analysis(text);
    !analysis.invocations.is_empty()
        && analysis.invocations.iter().all(|invocation| analysis.is_told(invocation))
}

/// Returns whether a command starts a program.
fn starts(text: &str, program: &str) -> bool {
    let analysis = analysis(text);
    analysis
        .invocations
        .iter()
        .any(|invocation| analysis.program_name(invocation).as_deref() == Some(program))
}

/// Returns whether a command starts `dangerous -xy`.
fn is_dangerous(text: &str) -> bool {
    analysis(text).find(&[BlockedPattern::parse("dangerous -xy").expect("the pattern is correct")]).is_some()
}
