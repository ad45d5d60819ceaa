//! The decision table of `docs/resilience.md`, from the treatments in the code; the rest of the page is
//! written by hand.

use hooks_core::event::ErrorType;
use hooks_resilience::{BreakerVote, ErrorKind, NextModel, SameModel, Treatment};

use crate::error::{Error, Result};
use crate::workspace;

/// Path of the page.
pub(super) const PATH: &str = "docs/resilience.md";

const BEGIN: &str =
    "<!-- Written by `cargo xtask codegen` from hooks-resilience/src/error/treatment.rs. -->\n";
const END: &str = "<!-- Up to here. -->\n";

/// The page with the current table.
///
/// # Errors
/// Returns an error if the page is missing, or has no place for the table.
pub(super) fn text() -> Result<String> {
    let page = workspace::read(PATH)?;
    let no_place = || Error::new(format!("`{PATH}` has no place for the table"));
    let (before, rest) = page.split_once(BEGIN).ok_or_else(no_place)?;
    let (_, after) = rest.split_once(END).ok_or_else(no_place)?;
    Ok(format!("{before}{BEGIN}\n{}\n{END}{after}", table()))
}

fn table() -> String {
    let mut table = String::from(
        "| kind | same model | next model | breaker | also | `error_occurred` says |\n\
         | --- | --- | --- | --- | --- | --- |\n",
    );
    for kind in ErrorKind::ALL {
        let treatment = Treatment::default_for(*kind);
        let cells = [
            format!("`{kind}`"),
            same_model(treatment.same_model),
            next_model(treatment.next_model).to_owned(),
            breaker(treatment.breaker).to_owned(),
            also(&treatment),
            format!("`{}`", word(kind.error_type())),
        ];
        table.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    table
}

/// The word for the type in an event.
fn word(of: ErrorType) -> String {
    let word = serde_json::to_value(of).ok();
    word.as_ref().and_then(|word| word.as_str()).unwrap_or_default().to_owned()
}

fn same_model(same: SameModel) -> String {
    match same {
        SameModel::Backoff(times) => format!("up to {times} more, full jitter"),
        SameModel::AsTold(most) => format!("as requested, up to {} s", most.as_secs()),
        SameModel::Compacted => "compacted, once for each means".to_owned(),
        _ => "no".to_owned(),
    }
}

fn next_model(next: NextModel) -> &'static str {
    match next {
        NextModel::Any => "yes",
        NextModel::OtherProvider => "of another provider",
        NextModel::LargerWindow => "with a larger window",
        NextModel::IfAllowed => "of another provider, if the host allows it",
        _ => "no",
    }
}

fn breaker(vote: BreakerVote) -> &'static str {
    match vote {
        BreakerVote::Failure => "counts",
        BreakerVote::Slow => "counts, as slow too",
        BreakerVote::Open => "opens for long",
        _ => "–",
    }
}

fn also(treatment: &Treatment) -> String {
    let parts = [
        treatment.gate.then_some("left alone as long as requested, by the whole fleet"),
        treatment.alert.then_some("operators are alerted"),
    ];
    let parts: Vec<&str> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "–".to_owned() } else { parts.join("; ") }
}
