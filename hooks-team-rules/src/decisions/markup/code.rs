//! Code with other marks than those of Markdown, and lines of LaTeX.
//!
//! ```
//! use hooks_team_rules::decisions::Decisions;
//!
//! let decisions = Decisions::parse("\\section{Dates}\n\\texttt{moment} is forbidden.\n");
//! assert_eq!(decisions.all()[0].rules[0].packages[0], "moment");
//! ```

/// Replaces the marks around code by those of Markdown.
pub(super) fn coded(line: &str, open: &str, close: &str) -> String {
    if line.contains('`') {
        return line.to_owned();
    }
    // The ends are found once: a search behind each opening would read a long line again and again.
    let mut ends = line.match_indices(close).map(|(at, _)| at).peekable();
    let (mut plain, mut from) = (String::new(), 0);
    for (at, _) in line.match_indices(open) {
        let start = at + open.len();
        if at < from {
            continue;
        }
        while ends.next_if(|end| *end < start).is_some() {}
        let Some(end) = ends.peek().copied() else { break };
        if is_code(line, at, start..end, end + close.len()) {
            plain.push_str(line.get(from..at).unwrap_or_default());
            plain.push_str(&format!("`{}`", line.get(start..end).unwrap_or_default()));
            from = end + close.len();
        }
    }
    plain.push_str(line.get(from..).unwrap_or_default());
    plain
}

/// Whether `code` between a mark that starts at `before` and one that ends at `after` is code of its own.
fn is_code(line: &str, before: usize, code: std::ops::Range<usize>, after: usize) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let (code, before) = (line.get(code).unwrap_or_default(), line.get(..before).unwrap_or_default());
    let after = line.get(after..).unwrap_or_default();
    !is_word(before.chars().next_back())
        && !is_word(after.chars().next())
        && !code.is_empty()
        && !code.starts_with(' ')
        && !code.ends_with(' ')
}

/// Whether a text is LaTeX: a line begins with one of its commands, which a text about LaTeX only mentions.
pub(super) fn is_latex(text: &str) -> bool {
    const COMMANDS: &[&str] = &["\\documentclass", "\\begin{", "\\section{", "\\section*{", "\\item "];
    text.lines().any(|line| COMMANDS.iter().any(|command| line.trim_start().starts_with(command)))
}

/// Returns a line of LaTeX as Markdown.
pub(super) fn latex(line: &str) -> String {
    let trimmed = line.trim();
    for (command, mark) in [("\\section", "## "), ("\\subsection", "### "), ("\\paragraph", "### ")] {
        let title = trimmed.strip_prefix(command).map(|rest| rest.trim_start_matches('*'));
        if let Some((title, rest)) =
            title.and_then(|rest| rest.strip_prefix('{')).and_then(|rest| rest.split_once('}'))
        {
            return format!("{mark}{title}{rest}");
        }
    }
    if trimmed.starts_with("\\begin")
        || trimmed.starts_with("\\end")
        || trimmed.starts_with("\\documentclass")
    {
        return String::new();
    }
    let line = trimmed
        .strip_prefix("\\item")
        .map_or_else(|| trimmed.to_owned(), |rest| format!("- {}", rest.trim()));
    let line = ["\\texttt{", "\\verb|", "\\code{"]
        .iter()
        .fold(line, |line, open| coded(&line, open, if open.ends_with('|') { "|" } else { "}" }));
    line.replace("\\textbf{", "")
        .replace("\\emph{", "")
        .replace("\\_", "_")
        .replace("\\#", "#")
        .replace('}', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_stand_around_code() {
        assert_eq!(coded("a {{b}}, {{ c }} and x{{d}}", "{{", "}}"), "a `b`, {{ c }} and x{{d}}");
        assert_eq!(coded("use =a= not =b=", "=", "="), "use `a` not `b`");
        assert_eq!(coded("a = b", "=", "="), "a = b");
        assert_eq!(coded("`a` @b@", "@", "@"), "`a` @b@");
    }

    #[test]
    fn a_long_line_is_read_once() {
        for (line, close) in [("{{", "}}"), (" {{x", "}}y"), ("x{{", "}}")] {
            let line = line.repeat(300_000) + close;
            assert!(coded(&line, "{{", "}}").len() + 2 >= line.len());
        }
    }
}
