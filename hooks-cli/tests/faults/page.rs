//! The page that shows the results: `docs/faults.md`.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::{env, fs};

use super::fault::FAULTS;
use super::{Cell, Matrix};
use hooks_protocols::Client;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/faults.md");

const INTRODUCTION: &str = "\
# What becomes of a failure

`hooks run` stands between a model and a machine. Most clients let a tool run when their hook crashes, is missing, is late or
sends something they do not understand. So whatever goes wrong is turned into a denial that the client honours, with the reason.

Written by `HOOKS_BLESS=1 cargo test -p tower-hooks-cli --test faults`, which starts the real program with the line
that `hooks init` writes into the client's settings. It fails where this page is wrong. The numbers are events of the client at
which something can be stopped: all of them, where a fault can happen to all. *Reported*: it is too late to stop anything, and
the client gets the reason. An example is a result whose shape is not known, so that it cannot be withheld.

If the program is missing, crashes or is killed, the shell denies by exit code 2, and after a call by the answer that withholds its
result. A client that starts its hooks without a shell needs its own setting for that (`onFailure`, `failClosed`).

";

/// Writes the page, or compares it with the results. A release build without the feature `faults` keeps the rows of
/// those faults.
pub(super) fn hold(matrix: &Matrix) {
    let clients: Vec<&str> = Client::ALL.iter().map(|client| client.title()).collect();
    let mut rows = Vec::new();
    let names: BTreeSet<&str> = matrix.keys().map(|(fault, _)| *fault).collect();
    for fault in FAULTS.iter().filter(|fault| names.contains(fault.name)) {
        let mut row = format!("| {} | ", fault.name);
        let reason = if fault.reason.is_empty() { "(as it comes)" } else { fault.reason };
        write!(row, "{} |", reason.replace('|', "\\|")).unwrap();
        for client in &clients {
            let cell = matrix.get(&(fault.name, *client)).cloned().unwrap_or_default();
            write!(row, " {} |", written(&cell)).unwrap();
        }
        rows.push(row);
    }
    let head =
        format!("| fault | reason | {} |\n|{}\n", clients.join(" | "), " --- |".repeat(clients.len() + 2));
    let is_blessed = env::var_os("HOOKS_BLESS").is_some();
    if is_blessed {
        if !cfg!(any(debug_assertions, feature = "faults")) {
            panic!("blessing needs a debug build or `--features faults`");
        }
        fs::write(PAGE, format!("{INTRODUCTION}{head}{}\n", rows.join("\n"))).unwrap();
    }
    let page = fs::read_to_string(PAGE).unwrap();
    for row in rows {
        assert!(page.contains(&row), "docs/faults.md does not say `{row}`; HOOKS_BLESS=1 writes it");
    }
}

fn written(cell: &Cell) -> String {
    match cell {
        Cell { denied: 0, told: 0 } => "–".to_owned(),
        Cell { denied, told: 0 } => format!("{denied} denied"),
        Cell { denied: 0, told } => format!("{told} reported"),
        Cell { denied, told } => format!("{denied} denied, {told} reported"),
    }
}
