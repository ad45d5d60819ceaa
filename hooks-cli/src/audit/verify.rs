//! Checks a log, and proves that it contains records.

use std::io::{self, Write};
use std::path::Path;

use hooks::StdFileSystem;
use hooks::audit::verify::{self, Anchor, Condition, Finding, Report};
use serde_json::{Value, json};

use super::plain::plain;
use super::read::{absent, parse};
use crate::failure::{Failure, Status};
use crate::output::{err, out};
use crate::paint::{BAD, GOOD, OPEN};

pub(super) fn verify(folder: &Path, anchors: &[String], as_json: bool) -> Result<Status, Failure> {
    let anchors = anchors.iter().flat_map(|text| text.lines()).map(|text| {
        let error = || Failure::message(format!("`{text}` is not an anchor: `<chain> <records> <root>`"));
        Anchor::parse(text).ok_or_else(error)
    });
    let anchors = anchors.collect::<Result<Vec<_>, _>>()?;
    let report = verify::verify(&StdFileSystem, folder, &anchors)?;
    if as_json {
        writeln!(out(), "{}", to_json(&report))?;
    } else {
        print(&report)?;
    }
    Ok(status(report.condition()))
}

/// The exit status for a condition.
pub(super) const fn status(condition: Condition) -> Status {
    match condition {
        Condition::Clean => Status::Well,
        Condition::Torn => Status::Found,
        Condition::Damaged => Status::Damaged,
        Condition::Mismatched => Status::Mismatched,
    }
}

/// Prints the result; the lines of the chains are anchors.
fn print(report: &Report) -> Result<(), Failure> {
    let mut out = out();
    if report.chains.is_empty() {
        writeln!(out, "no records")?;
    }
    for chain in &report.chains {
        writeln!(out, "{} {} {}", chain.chain, chain.seq, chain.root)?;
        if let Some(size) = chain.checkpoint.filter(|size| *size > 0) {
            let chain = &chain.chain;
            writeln!(
                err(),
                "a checkpoint over {size} records of `{chain}` was made: compare with it by `--checkpoints`"
            )?;
        }
    }
    tell(report.chains.iter().flat_map(|chain| &chain.findings))
}

/// Prints the findings. A closed pipe does not change the exit status.
pub(super) fn tell<'a>(findings: impl Iterator<Item = &'a Finding>) -> Result<(), Failure> {
    for finding in findings {
        let (paint, word) = match finding.condition {
            Condition::Clean => (GOOD, "clean"),
            Condition::Torn => (OPEN, "torn"),
            Condition::Damaged => (BAD, "damaged"),
            Condition::Mismatched => (BAD, "mismatched"),
        };
        writeln!(
            err(),
            "{paint}{word}{paint:#}: `{}`, byte {}: {}",
            plain(&finding.file),
            finding.offset,
            plain(&finding.what)
        )?;
    }
    Ok(())
}

pub(super) fn to_json(report: &Report) -> Value {
    let chains = report.chains.iter().map(|chain| {
        json!({
            "chain": chain.chain,
            "files": chain.files,
            "records": chain.records,
            "seq": chain.seq,
            "head": chain.head.to_string(),
            "root": chain.root.to_string(),
            "agreed": chain.agreed,
            "checkpoint": chain.checkpoint,
            "erased": chain.erased,
            "findings": all(&chain.findings),
        })
    });
    json!({
        "condition": format!("{:?}", report.condition()).to_lowercase(),
        "chains": chains.collect::<Vec<_>>(),
    })
}

/// The findings as JSON.
pub(super) fn all(findings: &[Finding]) -> Value {
    let findings = findings.iter().map(|finding| {
        json!({
            "condition": format!("{:?}", finding.condition).to_lowercase(),
            "file": finding.file,
            "offset": finding.offset,
            "what": finding.what,
        })
    });
    findings.collect()
}

/// Prints a proof that a record is in its chain, or for `<chain>:<number>..<number>` that the older tree is a
/// prefix of the newer.
pub(super) fn prove(folder: &Path, position: &str) -> Result<Status, Failure> {
    let absent = || absent(position);
    let text = if let Some((old, new)) = position.split_once("..") {
        let (chain, old) = parse(old)?;
        let new =
            new.parse().map_err(|_| Failure::message(format!("`{position}` is not such as `w0:10..17`")))?;
        let proof = verify::prove_consistency(&StdFileSystem, folder, chain, old, new)?;
        serde_json::to_string_pretty(&proof.ok_or_else(absent)?)?
    } else {
        let (chain, seq) = parse(position)?;
        let proof = verify::prove(&StdFileSystem, folder, chain, seq)?;
        serde_json::to_string_pretty(&proof.ok_or_else(absent)?)?
    };
    writeln!(io::stdout().lock(), "{text}")?;
    Ok(Status::Well)
}
