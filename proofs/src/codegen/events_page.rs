//! `docs/events.md`: the table of events, for readers.

use hooks_core::{EventKind, OnFailure};

const HEAD: &str = "\
# Events

<!-- Written by `cargo xtask codegen` from the table in hooks-core/src/event/table.rs. -->

What happens in an agent, and what hooks may answer. Policies judge the events that decide. Hooks receive the events that
inform, and may add context or propose a recovery. Fields: `schema/events/`.
";

/// The text of the page.
pub(super) fn text() -> String {
    let mut text = HEAD.to_owned();
    text.push_str("\n## Events that decide\n\n");
    text.push_str("| event | fires | outcome | may be rewritten | a failing hook | elsewhere |\n");
    text.push_str("| --- | --- | --- | --- | --- | --- |\n");
    for kind in EventKind::ALL.iter().filter(|kind| kind.decides()) {
        let cells = [
            code(kind.name()),
            kind.fires().to_owned(),
            outcome(*kind),
            rewrite(*kind),
            failure(*kind).to_owned(),
            elsewhere(*kind),
        ];
        text.push_str(&row(&cells));
    }
    text.push_str(
        "\n## Events that inform\n\n| event | fires | outcome | elsewhere |\n| --- | --- | --- | --- |\n",
    );
    for kind in EventKind::ALL.iter().filter(|kind| !kind.decides()) {
        text.push_str(&row(&[code(kind.name()), kind.fires().to_owned(), outcome(*kind), elsewhere(*kind)]));
    }
    text
}

fn row(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

fn outcome(kind: EventKind) -> String {
    match kind.outcome() {
        "()" => "–".to_owned(),
        // The compiler prints types with spaces between all parts.
        outcome => code(&outcome.replace(' ', "")),
    }
}

fn rewrite(kind: EventKind) -> String {
    match kind.rewrite() {
        "Never" => "–".to_owned(),
        rewritten => code(rewritten),
    }
}

fn failure(kind: EventKind) -> &'static str {
    match kind.on_failure() {
        OnFailure::Closes => "denies",
        OnFailure::Opens => "is passed over",
    }
}

fn elsewhere(kind: EventKind) -> String {
    let names: Vec<_> = kind.elsewhere().split(", ").map(code).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_has_one_row() {
        let page = text();
        for kind in EventKind::ALL {
            let start = format!("| `{}` |", kind.name());
            assert_eq!(page.lines().filter(|line| line.starts_with(&start)).count(), 1, "{kind}");
        }
    }
}
