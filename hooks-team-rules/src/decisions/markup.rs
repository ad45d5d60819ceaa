//! Other forms of text as Markdown: comments of a source file, Org, Textile, LaTeX, and tables of other kinds.
//!
//! ```
//! use hooks_team_rules::decisions::Decisions;
//!
//! let decisions = Decisions::parse("/*\n * Rules of the firmware\n *\n * - Never use moment.\n */\n");
//! assert!(decisions.all().iter().any(|it| !it.rules.is_empty()));
//! ```

use std::borrow::Cow;

use super::blocks::is_column;

/// Returns a text as Markdown. A text with a rule block is Markdown already, and keeps its lines.
pub(super) fn markdown(text: &str) -> Cow<'_, str> {
    if text.lines().any(|line| line.trim_start().strip_prefix("```").is_some_and(|info| info.trim() == "rule")) {
        return Cow::Borrowed(text);
    }
    let (plain, is_source) = match uncommented(text) {
        Some(plain) => (Cow::Owned(plain), true),
        None => (Cow::Borrowed(text), false),
    };
    let form = Form { is_source, is_org: is_org(&plain), is_latex: plain.contains("\\section{") || plain.contains("\\item ") };
    let mut lines: Vec<String> = plain.lines().map(|line| form.line(line)).collect();
    tables(&mut lines);
    let mut own = lines.join("\n");
    own.push('\n');
    if own == text { Cow::Borrowed(text) } else { Cow::Owned(own) }
}

/// Marks with which the lines of a comment begin.
const LEADERS: &[&str] = &["--", "//", ";;", "#", "%", "*", "'", "REM "];
/// Lines that only open or close a comment.
const FENCES: &[&str] = &["/*", "/**", "*/", "**/", "{-", "{-|", "-}", "(*", "*)", "\"\"\"", "'''"];

/// Returns the text of comments, if most lines of a text are comments.
fn uncommented(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let has_fence = lines.iter().any(|line| FENCES.iter().any(|fence| line.trim().starts_with(fence)));
    let begins = |line: &str, leader: &str| {
        let rest = line.trim_start().strip_prefix(leader);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '|', '!']) || leader.ends_with(' '))
    };
    let leader = LEADERS.iter().find(|leader| {
        let count = lines.iter().filter(|line| begins(line, leader)).count();
        match **leader {
            "*" => has_fence && count * 3 > lines.len() * 2,
            // Headings of Markdown begin so as well.
            "#" | "'" => lines.len() > 4 && count * 10 > lines.len() * 9,
            _ => lines.len() > 2 && count * 4 > lines.len() * 3,
        }
    })?;
    let plain = text.lines().map(|line| {
        let trimmed = line.trim();
        if FENCES.contains(&trimmed) {
            return "";
        }
        let trimmed = FENCES.iter().find_map(|fence| trimmed.strip_prefix(fence)).unwrap_or(trimmed);
        let rest = trimmed.strip_prefix(leader).unwrap_or(trimmed);
        // Haddock and Rust have a mark of their own: "-- | Text", "//! Text".
        let rest = rest.strip_prefix('!').or_else(|| rest.strip_prefix(" |")).unwrap_or(rest);
        rest.strip_prefix(' ').unwrap_or(rest).trim_end()
    });
    Some(plain.collect::<Vec<_>>().join("\n"))
}

fn is_org(text: &str) -> bool {
    let has = |start: &str| text.lines().any(|line| line.starts_with(start));
    has("#+") || has("** ") && has("* ")
}

/// Marks that a text has besides those of Markdown.
#[derive(Clone, Copy, Debug)]
struct Form {
    is_source: bool,
    is_org: bool,
    is_latex: bool,
}

impl Form {
    fn line(self, line: &str) -> String {
        let mut line = line.to_owned();
        if self.is_source {
            line = coded(&line, "@", "@");
        }
        if self.is_org {
            let stars = line.len() - line.trim_start_matches('*').len();
            if stars > 0 && line.get(stars..).is_some_and(|rest| rest.starts_with(' ')) {
                let title = line.get(stars..).unwrap_or_default().trim();
                let title = ["TODO ", "DONE "].iter().find_map(|word| title.strip_prefix(word)).unwrap_or(title);
                line = format!("{} {title}", "#".repeat(stars.min(6)));
            } else if line.starts_with("#+") {
                return String::new();
            }
            line = coded(&coded(&line, "=", "="), "~", "~");
        }
        if self.is_latex {
            return latex(&line);
        }
        if line.contains("{{") {
            line = coded(&line, "{{", "}}");
        }
        // Textile: "h2. Title"
        if let Some((mark, title)) = line.split_once(". ")
            && let [b'h', level @ b'1'..=b'6'] = mark.as_bytes()
        {
            line = format!("{} {title}", "#".repeat(usize::from(level - b'0')));
        }
        line
    }
}

/// Replaces the marks around code by those of Markdown.
fn coded(line: &str, open: &str, close: &str) -> String {
    if line.contains('`') {
        return line.to_owned();
    }
    let (mut plain, mut rest) = (String::new(), line);
    while let Some((before, behind)) = rest.split_once(open) {
        plain.push_str(before);
        let is_start = before.chars().next_back().is_none_or(|c| !c.is_alphanumeric());
        let code = behind.split_once(close).filter(|(code, after)| {
            let is_end = after.chars().next().is_none_or(|c| !c.is_alphanumeric());
            is_start && is_end && !code.is_empty() && !code.starts_with(' ') && !code.ends_with(' ')
        });
        match code {
            Some((code, after)) => {
                plain.push_str(&format!("`{code}`"));
                rest = after;
            }
            None => {
                plain.push_str(open);
                rest = behind;
            }
        }
    }
    plain.push_str(rest);
    plain
}

/// Returns a line of LaTeX as Markdown.
fn latex(line: &str) -> String {
    let trimmed = line.trim();
    for (command, mark) in [("\\section", "## "), ("\\subsection", "### "), ("\\paragraph", "### ")] {
        let title = trimmed.strip_prefix(command).map(|rest| rest.trim_start_matches('*'));
        if let Some((title, rest)) = title.and_then(|rest| rest.strip_prefix('{')).and_then(|rest| rest.split_once('}')) {
            return format!("{mark}{title}{rest}");
        }
    }
    if trimmed.starts_with("\\begin") || trimmed.starts_with("\\end") || trimmed.starts_with("\\documentclass") {
        return String::new();
    }
    let line = trimmed.strip_prefix("\\item").map_or_else(|| trimmed.to_owned(), |rest| format!("- {}", rest.trim()));
    let line = ["\\texttt{", "\\verb|", "\\code{"].iter().fold(line, |line, open| {
        coded(&line, open, if open.ends_with('|') { "|" } else { "}" })
    });
    line.replace("\\textbf{", "").replace("\\emph{", "").replace("\\_", "_").replace("\\#", "#").replace('}', "")
}

/// Replaces tables with other marks by those of Markdown.
fn tables(lines: &mut Vec<String>) {
    let mut own: Vec<String> = Vec::with_capacity(lines.len());
    let mut open: Option<char> = None;
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
