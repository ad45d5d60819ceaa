//! Tables with other marks than those of Markdown: values, grids, and those of Jira, MediaWiki and AsciiDoc.
//!
//! ```
//! use hooks_team_rules::decisions::Decisions;
//!
//! let decisions = Decisions::parse("||Banned||Instead||\n|axios|ky|\n");
//! assert_eq!(decisions.all()[0].rules[0].packages[0], "axios");
//! ```

use super::super::blocks::is_column;

/// Replaces tables with other marks by those of Markdown.
pub(super) fn tables(lines: &mut Vec<String>) {
    let mut own: Vec<String> = Vec::with_capacity(lines.len());
    let mut open: Option<char> = None;
    let mut in_ascii = false;
    let mut in_wiki = false;
    // Without an end, "{|" is only mentioned.
    let wiki_end = lines.iter().rposition(|line| line.trim() == "|}");
    for at in 0..lines.len() {
        let line = lines.get(at).map(String::as_str).unwrap_or_default();
        let trimmed = line.trim();
        if let Some(mark) = open {
            let row = values(trimmed, mark);
            if row.len() > 1 {
                own.push(format!("| {} |", row.join(" | ")));
                continue;
            }
            open = None;
        }
        // AsciiDoc: "|===" around "|a |b"
        if trimmed == "|===" {
            own.push(String::new());
            in_ascii = !in_ascii;
            continue;
        }
        if in_ascii && trimmed.starts_with('|') {
            let row =
                trimmed.trim_start_matches('|').split('|').map(str::trim).collect::<Vec<_>>().join(" | ");
            own.push(format!("| {row} |"));
            let is_first = own.len() > 1 && own.get(own.len() - 2).is_some_and(String::is_empty);
            own.extend(is_first.then(|| "|---|".to_owned()));
            continue;
        }
        if in_ascii && trimmed.is_empty() || trimmed.starts_with("[cols") {
            continue;
        }
        if let Some(rows) = wiki_end.filter(|end| at <= *end).and_then(|_| wiki(trimmed, &mut in_wiki)) {
            own.extend(rows);
            continue;
        }
        let is_rule = trimmed.starts_with('+')
            && trimmed.len() > 3
            && trimmed.chars().all(|c| matches!(c, '+' | '-' | '='));
        if is_rule {
            // A grid: its header ends with a double rule.
            own.extend(trimmed.contains('=').then(|| "|---|".to_owned()));
            continue;
        }
        if let Some(header) = trimmed.strip_prefix("||") {
            let cells: Vec<&str> = header.trim_end_matches('|').split("||").map(str::trim).collect();
            own.push(format!("| {} |", cells.join(" | ")));
            own.push("|---|".to_owned());
            continue;
        }
        let mark = [';', '\t', ',', '|', ' '].into_iter().find(|mark| is_header(trimmed, *mark));
        let next = lines.get(at + 1).map(|line| line.trim()).unwrap_or_default();
        let is_list = mark.is_some_and(|mark| values(next, mark).len() == values(trimmed, mark).len());
        match mark.filter(|_| is_list && !trimmed.starts_with('|')) {
            Some(mark) => {
                own.push(format!("| {} |", values(trimmed, mark).join(" | ")));
                own.push("|---|".to_owned());
                open = Some(mark);
            }
            None => own.push(line.to_owned()),
        }
    }
    *lines = own;
}

/// Returns the lines for one of a table of MediaWiki: "{|", "! a !! b", "|-", "| a || b", "|}"; `None` if the line is no part
/// of one.
fn wiki(line: &str, is_open: &mut bool) -> Option<Vec<String>> {
    if line.starts_with("{|") {
        *is_open = true;
        return Some(Vec::new());
    }
    if !*is_open {
        return None;
    }
    if line == "|}" {
        *is_open = false;
        return Some(vec![String::new()]);
    }
    if line == "|-" {
        return Some(Vec::new());
    }
    if let Some(header) = line.strip_prefix("! ").filter(|header| header.contains("!!")) {
        return Some(vec![format!("| {} |", header.replace("!!", "|")), "|---|".to_owned()]);
    }
    let is_row = line.starts_with("| ") && line.contains("||");
    is_row.then(|| vec![format!("{} |", line.replace("||", "|"))])
}

/// Splits a line into values; a space as mark stands for two or more.
fn values(line: &str, mark: char) -> Vec<String> {
    let parts: Vec<&str> = match mark {
        ' ' => line.split("  ").filter(|part| !part.trim().is_empty()).collect(),
        _ => line.split(mark).collect(),
    };
    parts.iter().map(|part| part.trim().trim_matches('"').to_owned()).collect()
}

/// Whether a line has the names of columns, separated by `mark`.
fn is_header(line: &str, mark: char) -> bool {
    let names = values(line, mark);
    let known = names.iter().filter(|name| is_column(&name.to_lowercase())).count();
    names.len() > 2 && known > 1 && known * 2 >= names.len() && line.len() < 120
        || names.len() == 2 && known == 2 && mark != ',' && mark != ' '
}
