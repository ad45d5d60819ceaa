//! Decisions that do not count by themselves.

use hooks_team::ledger::Entry;

use super::super::blocks::{is_void, is_void_title};
use super::super::{prose, tables};
use super::shown;

/// Returns why a decision does not count by itself.
pub(super) fn void(entry: &Entry<'_>, text: &str) -> Option<String> {
    let status = entry
        .field(&["status", "state", "outcome"])
        .map(|status| status.lines().next().unwrap_or_default().to_owned());
    let status = status.or_else(|| section_status(text)).unwrap_or_default();
    if is_void(status.trim_start_matches(|c: char| !c.is_alphanumeric())) {
        return Some(format!("its status is \"{}\"", shown(&status)));
    }
    if !entry.is_in_force() || entry.title().trim_start().starts_with("~~") {
        return Some("it is struck out or not in force".to_owned());
    }
    if let Some(group) = entry.group().filter(|group| is_void_title(group)) {
        return Some(format!("it stands below \"{}\"", shown(&group)));
    }
    if let Some(status) = prose::status_alone(&entry.body()).filter(|_| entry.heading().starts_with('#')) {
        return Some(format!("its status is \"{}\"", shown(status)));
    }
    let superseded = entry.field(&[
        "superseded by",
        "replaced by",
        "reversed by",
        "withdrawn by",
        "superseded",
        "reverted by",
    ]);
    if let Some(by) = superseded {
        return Some(format!("it is superseded by \"{}\"", shown(by.lines().next().unwrap_or_default())));
    }
    void_title(&entry.title().to_lowercase()).or_else(|| void_line(text))
}

/// Returns why a decision with this title, in lower case, does not count.
fn void_title(title: &str) -> Option<String> {
    // "Redis — superseded"
    let last = title.rsplit([' ', '\u{2014}', '\u{2013}']).next().unwrap_or_default();
    let before = title.strip_suffix(last).unwrap_or_default().trim_end();
    if before.ends_with(['-', '\u{2014}', '\u{2013}', ':']) && is_void(last) {
        return Some(format!("its title ends with \"{last}\""));
    }
    let mark = tables::VOID_MARK.iter().find(|mark| title.contains(**mark))?;
    Some(format!("its title contains \"{}\"", mark.trim_matches(['(', '[', ']', ')', ':'])))
}

/// Returns why a line of a text means that the decision does not count.
fn void_line(text: &str) -> Option<String> {
    let mut lines =
        text.lines().skip(1).map(|line| line.trim().trim_start_matches(['>', '*', '_', ' ']).to_lowercase());
    let line = lines.find(|line| tables::VOID_START.iter().any(|start| line.starts_with(start)))?;
    Some(format!("it states \"{}\"", shown(&line)))
}

/// Returns the first line of a section called "Status", or the value of a plain line.
fn section_status(text: &str) -> Option<String> {
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let trimmed = line.trim().trim_matches(['#', '*', ' ', '-']);
        if trimmed.eq_ignore_ascii_case("status") || trimmed.eq_ignore_ascii_case("status:") {
            return lines.map(str::trim).find(|line| !line.is_empty()).map(str::to_owned);
        }
        let (name, value) = trimmed.split_once(':').unwrap_or((trimmed, ""));
        if name.trim_matches(['*', ' ']).eq_ignore_ascii_case("status") {
            return Some(value.trim_matches(['*', ' ']).to_owned());
        }
    }
    None
}
