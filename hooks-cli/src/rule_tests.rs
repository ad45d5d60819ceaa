//! `hooks test`: runs a table of calls and expected decisions.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use hooks::config::rule_tests::RuleTests;
use serde_json::json;

use crate::cli::{Format, ToolNames};
use crate::failure::{Failure, Status};
use crate::paint::{BAD, GOOD, QUIET};
use crate::{load, output, snippet};

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  hooks test                        # hooks.test.yaml beside the rules that govern this folder
  hooks test --config hooks.yaml more.test.yaml

A table is a list of calls:
  - { bash: git push --force, expect: deny, rule: no-force-push }
  - { write: src/main.rs, agent: backend, expect: no opinion }
  - { call: { tool: web_fetch, input: { url: \"https://example.com\" } }, expect: ask }
  - session:                        # calls in order, which limits and sequences count
      - { bash: npm test }
      - { bash: git commit -m x, expect: allow }

`tool` is a name as in rules or in a client: `web_fetch`, `WebFetch`, `mcp__SERVER__TOOL`.
`expect` is deny, ask, allow or `no opinion`; `would` is what rules in the shadow would do.

Exit status: 0 all as expected, 1 another decision, 2 the rules or a table cannot be read.")]
pub(crate) struct TestOptions {
    /// The tables [default: the one beside the configuration]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The configuration [default: the one that governs this folder]
    #[arg(long, short, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    names: ToolNames,
    /// Format of the report
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// Runs the tables.
pub(crate) fn run(options: &TestOptions) -> Result<Status, Failure> {
    let rules = load::named_or_found(options.config.as_deref())?;
    let reader = load::in_project(options.names.known_to(load::reader(None)), &rules);
    let beside = options.files.is_empty().then(|| RuleTests::beside(&rules));
    let mut out = output::out();
    let mut status = Status::Well;
    for path in options.files.iter().chain(&beside) {
        let tests = RuleTests::read(path).and_then(|tests| {
            let failures = tests.run(&reader, &rules)?;
            Ok((tests.expectations(), failures))
        });
        let (expected, failures) = match tests {
            Ok(done) => done,
            Err(errors) => {
                snippet::write(&mut output::err(), &errors)?;
                return Ok(Status::Usage);
            }
        };
        if !failures.is_empty() {
            status = Status::Found;
        }
        let file = path.display();
        match options.format {
            Format::Json => {
                writeln!(out, "{}", json!({"file": path, "expected": expected, "failures": failures}))?;
            }
            Format::Text => {
                for failure in &failures {
                    writeln!(out, "{BAD}failed{BAD:#} {file}:{}", failure.line)?;
                    writeln!(out, "  {}", failure.test)?;
                    writeln!(out, "  {QUIET}expected{QUIET:#} {}", failure.expected)?;
                    writeln!(out, "  {QUIET}got{QUIET:#}      {}", failure.got)?;
                    if let Some(rule) = &failure.decided_by {
                        writeln!(out, "  {QUIET}by{QUIET:#}       {rule}")?;
                    }
                    if let Some(reason) = &failure.reason {
                        writeln!(out, "  {QUIET}reason{QUIET:#}   {reason}")?;
                    }
                }
                let style = if failures.is_empty() { GOOD } else { BAD };
                writeln!(
                    out,
                    "{style}{}{style:#} of {expected} as expected: {file}",
                    expected.saturating_sub(failures.len())
                )?;
            }
        }
    }
    Ok(status)
}
