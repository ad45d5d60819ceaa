//! Other forms of text as Markdown: comments of a source file, Org, Textile, LaTeX, and tables of other kinds.
//!
//! ```
//! use hooks_team_rules::decisions::Decisions;
//!
//! let decisions = Decisions::parse("/*\n * Rules of the firmware\n *\n * - Never use moment.\n */\n");
//! let mut rules = decisions.all().iter().flat_map(|it| &it.rules);
//! assert_eq!(rules.next().map(|rule| rule.packages[0].as_str()), Some("moment"));
//! ```

use std::borrow::Cow;

mod code;
mod html;
mod parts;
mod tables;
mod values;

use self::code::{coded, is_latex, latex};
use self::parts::{Part, parts};
use self::tables::tables;

/// Returns a text as Markdown. A text with a rule block is Markdown already, and keeps its lines.
pub(super) fn markdown(text: &str) -> Cow<'_, str> {
    let is_rule = |line: &str| {
        let line = line.trim_start();
        let info =
            line.strip_prefix("```").or_else(|| line.strip_prefix("~~~")).map(|info| info.trim_matches('`'));
        info.is_some_and(|info| info.split_whitespace().next() == Some("rule"))
    };
    if text.lines().any(is_rule) {
        return Cow::Borrowed(text);
    }
    if text.trim_start().starts_with(['[', '{'])
        && let Some(plain) = values::json(text)
    {
        return Cow::Owned(plain);
    }
    if values::is_table(text) {
        let mut section = String::new();
        let lines: Vec<String> = text.lines().map(|line| values::table_line(line, &mut section)).collect();
        return Cow::Owned(lines.join("\n") + "\n");
    }
    let (plain, is_source) = match uncommented(text) {
        Some(plain) => (Cow::Owned(plain), true),
        None => (Cow::Borrowed(text), false),
    };
    let parts = parts(&plain);
    let prose: String = parts.iter().filter(|part| !part.is_code).map(|part| part.text).collect();
    let form = Form { is_source, is_org: is_org(&prose), is_latex: is_latex(&prose) };
    let mut own = String::with_capacity(plain.len() + 1);
    for line in parts.iter().flat_map(|part| form.part(*part)) {
        own.push_str(&line);
        own.push('\n');
    }
    if own == text { Cow::Borrowed(text) } else { Cow::Owned(own) }
}

/// Words that a line of a list with columns has behind the name: "moment    no".
const VERDICTS: &[&str] = &[
    "no",
    "no,",
    "yes",
    "yes,",
    "banned",
    "forbidden",
    "prohibited",
    "allowed",
    "ok",
    "kept",
    "never",
    "hold",
    "blocked",
];

/// Makes items of lines that each stand alone: those with an arrow, with a verdict in columns, or with a number in a section.
fn items(lines: &mut [String]) {
    let has_arrow = |line: &str| [" -> ", " → ", " => ", " ⇒ "].iter().any(|arrow| line.contains(arrow));
    let is_plain =
        |line: &str| line.trim_start().starts_with(|c: char| c.is_alphanumeric() || c == '`' || c == '@');
    let sub = |line: &str| {
        let first = line.trim_start().split(' ').next().unwrap_or_default().trim_end_matches('.');
        let (section, number) = first.split_once('.').unwrap_or((first, ""));
        let is_number =
            |text: &str| (1..=2).contains(&text.len()) && text.chars().all(|c| c.is_ascii_digit());
        (is_number(section) && is_number(number)).then_some(first.len())
    };
    let has_sections = lines.iter().any(|line| sub(line).is_some());
    for at in 0..lines.len() {
        let line = lines.get(at).cloned().unwrap_or_default();
        if !is_plain(&line) {
            continue;
        }
        let near = [at.checked_sub(1), Some(at + 1)];
        let beside = || near.iter().flatten().filter_map(|at| lines.get(*at)).any(|line| has_arrow(line));
        let row = row(&line);
        let heading = line.split_once(". ").filter(|(number, title)| {
            has_sections
                && number.chars().all(|c| c.is_ascii_digit())
                && title.split(' ').count() <= 4
                && !title.ends_with('.')
        });
        let next_is_sub = lines.get(at + 1).is_some_and(|line| sub(line).is_some());
        let own = match heading {
            Some((_, title)) if next_is_sub => Some(format!("## {title}")),
            _ if row.is_some() => row,
            _ if has_arrow(&line) && beside() => Some(format!("- {}", line.trim_start())),
            _ => sub(&line).filter(|_| line.split(' ').count() <= 3).map(|end| {
                format!(
                    "- {}",
                    line.trim_start().get(end..).unwrap_or_default().trim_start_matches(['.', ' '])
                )
            }),
        };
        if let (Some(own), Some(line)) = (own, lines.get_mut(at)) {
            *line = own;
        }
    }
}

/// Returns a line with a verdict in columns as an item: "moment    no".
fn row(line: &str) -> Option<String> {
    let cells: Vec<&str> = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
    let (name, rest) = cells.split_first()?;
    let verdict = rest.first()?.split(' ').next().unwrap_or_default().to_lowercase();
    VERDICTS.contains(&verdict.as_str()).then(|| format!("- {name}: {}", rest.join(", ")))
}

/// Removes the marks of quotations that begin with a bold label: they are decisions.
fn quotes(lines: &mut [String]) {
    let mut is_open = false;
    for line in lines {
        let inner = line.strip_prefix('>').map(str::trim_start);
        is_open = inner.is_some_and(|inner| is_open || inner.starts_with("**"));
        if let Some(inner) = inner.filter(|_| is_open) {
            *line = inner.to_owned();
        }
    }
}

/// Replaces the lines below headings by the mark before them.
fn underlined(lines: &mut [String]) {
    for at in 1..lines.len() {
        let title = lines.get(at - 1).map(String::as_str).unwrap_or_default();
        let before = at.checked_sub(2).and_then(|at| lines.get(at)).is_none_or(|line| line.trim().is_empty());
        let rule = lines.get(at).map(|line| line.trim_end()).unwrap_or_default();
        let mark = rule.chars().next().unwrap_or(' ');
        let is_rule = rule.len() > 2
            && rule.len() + 6 > title.len()
            && "=-~^".contains(mark)
            && rule.chars().all(|c| c == mark);
        let is_title = title.starts_with(|c: char| c.is_alphanumeric())
            && title.split(' ').count() <= 10
            && !title.ends_with(['.', '!', '?', ',', ';', ':']);
        if before && is_rule && is_title {
            let level = if mark == '=' { "#" } else { "##" };
            let title = format!("{level} {title}");
            if let Some(line) = lines.get_mut(at - 1) {
                *line = title;
            }
            if let Some(line) = lines.get_mut(at) {
                line.clear();
            }
        }
    }
}

/// Makes items of the lines that are indented below a label: "banned:" and "  moment" below it.
fn indented(lines: &mut [String]) {
    let mut label: Option<usize> = None;
    for line in lines {
        let trimmed = line.trim();
        let indent = line.len() - line.trim_start().len();
        if trimmed.is_empty() {
            continue;
        }
        let is_plain = trimmed.starts_with(|c: char| c.is_alphanumeric() || c == '`' || c == '@');
        match label {
            Some(open)
                if indent > open
                    && is_plain
                    && trimmed.split(' ').count() <= 6
                    && !trimmed.ends_with(':') =>
            {
                *line = format!("- {trimmed}");
            }
            _ => {
                let is_label = trimmed.ends_with(':') && is_plain && trimmed.split(' ').count() <= 16;
                label = is_label.then_some(indent);
            }
        }
    }
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
    /// Returns the lines of a part. Fenced code has no marks.
    fn part(self, part: Part<'_>) -> Vec<String> {
        if part.is_code {
            return part.text.lines().map(str::to_owned).collect();
        }
        let text = html::tables(part.text);
        let mut lines: Vec<String> = text.lines().map(|line| self.line(line)).collect();
        tables(&mut lines);
        items(&mut lines);
        quotes(&mut lines);
        underlined(&mut lines);
        indented(&mut lines);
        lines
    }

    fn line(self, line: &str) -> String {
        let mut line = line.to_owned();
        if self.is_source {
            line = coded(&line, "@", "@");
        }
        if self.is_org {
            let stars = line.len() - line.trim_start_matches('*').len();
            if stars > 0 && line.get(stars..).is_some_and(|rest| rest.starts_with(' ')) {
                let title = line.get(stars..).unwrap_or_default().trim();
                let title =
                    ["TODO ", "DONE "].iter().find_map(|word| title.strip_prefix(word)).unwrap_or(title);
                line = format!("{} {title}", "#".repeat(stars.min(6)));
            } else if line.starts_with("#+") {
                return String::new();
            }
            line = coded(&coded(&line, "=", "="), "~", "~");
        }
        if self.is_latex {
            return latex(&line);
        }
        // "moment ......... no"
        if let Some((name, rest)) = line.split_once("....")
            && !name.trim().is_empty()
            && !rest.trim_matches(['.', ' ']).is_empty()
        {
            return format!("- {}: {}", name.trim(), rest.trim_matches(['.', ' ']));
        }
        // "banned: [a, b]"
        if let Some((key, list)) = line.split_once(": [")
            && let Some(list) = list.trim_end().strip_suffix(']')
            && key
                .trim()
                .trim_start_matches("- ")
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' '))
            && !list.contains(']')
        {
            return format!("{key}: {list}");
        }
        // Fields of reStructuredText and AsciiDoc: ":Status: accepted", "Status:: accepted"
        let field =
            line.strip_prefix(':').and_then(|rest| rest.split_once(": ")).or_else(|| line.split_once(":: "));
        if let Some((name, value)) =
            field.filter(|(name, _)| name.len() < 20 && name.chars().all(|c| c.is_alphabetic() || c == ' '))
        {
            return format!("**{}:** {value}", name.trim());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_that_is_only_mentioned_or_stands_in_code_is_kept() {
        for text in [
            "Write `\\item ` in LaTeX.\n  Never `catch (e) {}`.\n",
            "| Form | Verdict |\n|---|---|\n| `|| true` | no |\n",
            "A list:\n\n```\na -> b\nc -> d\nbanned: [x]\nx    no\n```\n",
            "No `<tr>` or `<td>` for layout.\n\nNever use moment.\n",
            "~~~\n<table><tr><td>x</td></tr></table>\n~~~\n",
        ] {
            assert_eq!(markdown(text), text);
        }
    }

    #[test]
    fn a_text_with_a_rule_block_keeps_its_lines() {
        for fence in ["```rule", "~~~rule x", "  ```` rule"] {
            let text = format!("Abc\n===\n\n{fence}\ncalls: [a, b]\n```\n");
            assert_eq!(markdown(&text), text);
        }
        assert_eq!(markdown("Abc\n===\n\n- b: [x, y]\n"), "# Abc\n\n\n- b: x, y\n");
    }
}
