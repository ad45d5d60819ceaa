//! Lines of a message that the user did not write: indented blocks and output of programs.

/// Starts of lines that programs print.
const LOG_HEADS: &[&str] = table!("log_heads");

/// Levels of log records, as programs write them.
const LEVELS: [&str; 9] = ["WARN", "WARNING", "ERROR", "ERR!", "INFO", "DEBUG", "FATAL", "TRACE", "NOTICE"];

/// Whether the line is the output of a program.
pub(super) fn is_log(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '\t']);
    match line.as_bytes().first() {
        None | Some(b'\n' | b'-' | b'*') => return false,
        Some(b'[') => {
            let inside = line.get(1..).unwrap_or_default();
            let tag = inside.split(']').next().unwrap_or_default().trim();
            let is_level = LEVELS.iter().any(|level| tag.eq_ignore_ascii_case(level));
            return is_level || is_stamp(inside);
        }
        Some(b'0'..=b'9') => return is_stamp(line),
        _ => {}
    }
    let end = line.find([' ', '\n']).unwrap_or(line.len());
    let (first, rest) = (line.get(..end).unwrap_or_default(), line.get(end..).unwrap_or_default());
    if let Some(name) = first.strip_suffix(':') {
        let is_named =
            name.len() > 8 && ["Warning", "Error", "Exception"].iter().any(|kind| name.ends_with(kind));
        return is_named || LEVELS.contains(&name) || LOG_HEADS.contains(&first);
    }
    let second = rest.trim_start().split([' ', '\n', ':']).next().unwrap_or_default();
    let is_program = first.bytes().all(|byte| byte.is_ascii_lowercase()) && LEVELS.contains(&second);
    let is_tool = first.bytes().filter(u8::is_ascii_uppercase).count() > 1 || first.contains([':', '/']);
    let warns = rest.trim_start().split(' ').next().is_some_and(|second| {
        matches!(
            second.trim_end_matches(':'),
            "Warning" | "Error" | "warning" | "error" | "WARNING" | "ERROR"
        ) && second.ends_with(':')
    });
    let is_raised =
        first.len() > 8 && (first.ends_with("Error") || first.ends_with("Exception")) && rest.contains(':');
    let is_marked = line.starts_with(['✖', '✗', '×', '⚠', '❌', '✘'])
        || line.starts_with("Caused by")
        || line.starts_with("Exception in ");
    if is_raised || is_marked {
        return true;
    }
    let is_dated =
        is_month(first) && rest.trim_start().starts_with(|c: char| c.is_ascii_digit()) && rest.contains(':');
    let is_pairs = first.starts_with("level=") || first.starts_with("time=") || first.starts_with("ts=");
    if (is_tool && warns) || is_dated || is_pairs {
        return true;
    }
    LEVELS.contains(&first) || is_program || line.starts_with("error[") || line.starts_with("Traceback (")
}

fn is_month(word: &str) -> bool {
    matches!(
        word,
        "Jan" | "Feb" | "Mar" | "Apr" | "May" | "Jun" | "Jul" | "Aug" | "Sep" | "Oct" | "Nov" | "Dec"
    )
}

/// Returns the end of the paragraph that begins on the line after `from`. A sentence that announces a text by a
/// colon is about that paragraph.
pub(super) fn paragraph_end(message: &str, from: usize) -> usize {
    let rest = message.get(from..).unwrap_or_default();
    let text = rest.trim_start();
    let start = from + (rest.len() - text.len());
    // A fence is a text of its own; what follows it is the user's.
    let fenced = text.strip_prefix("```").and_then(|inside| Some(start + 3 + inside.find("```")? + 3));
    fenced.or_else(|| Some(start + text.find("\n\n")?)).unwrap_or(message.len())
}

/// Whether the text begins with a time: `12.004]`, `12:40:03`, `2026-05-01T`.
fn is_stamp(text: &str) -> bool {
    let text = text.trim_start_matches(' ');
    let end =
        text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ':' | '-'))).unwrap_or(text.len());
    let stamp = text.get(..end).unwrap_or_default();
    let marks = stamp.matches([':', '-']).count();
    let is_seconds = text.as_bytes().get(end) == Some(&b']') && stamp.contains('.');
    stamp.starts_with(|c: char| c.is_ascii_digit()) && (marks >= 2 || is_seconds)
}

/// Whether the line at `at` belongs to an indented block. Such a block begins after an empty line or a colon,
/// and not in a list.
pub(super) fn is_code(message: &str, at: usize, was_code: bool) -> bool {
    let line = message.get(at..).unwrap_or_default();
    let is_indented = line.starts_with("    ") || line.starts_with('\t');
    let text = line.trim_start_matches([' ', '\t']);
    if !is_indented || text.is_empty() || text.starts_with('\n') {
        return was_code && text.starts_with('\n');
    }
    if was_code {
        return true;
    }
    let Some(before) = message.get(..at).and_then(|before| before.strip_suffix('\n')) else { return false };
    let above = before.trim_end();
    let is_apart = above.ends_with(':') || before.ends_with('\n');
    let above = above.rsplit('\n').next().unwrap_or_default().trim_start();
    let is_list = above.starts_with(['-', '*', '+', '•']) || above.starts_with(|c: char| c.is_ascii_digit());
    let is_item = text.starts_with(['-', '*', '+', '•']) || text.starts_with(|c: char| c.is_ascii_digit());
    is_apart && !is_list && !is_item && !above.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_have_times_and_levels() {
        for line in [
            "[ 12.004] wdt: always on",
            "12:40:03 never",
            "2026-05-01 12:00 never",
            "UserWarning: From now on x",
            "npm WARN deprecated",
            "hint: never do it",
            "ERROR never",
        ] {
            assert!(is_log(line), "{line}");
        }
        for line in
            ["Never push to main.", "2 rules: never push", "1. never push", "Note: always", "I WARN you"]
        {
            assert!(!is_log(line), "{line}");
        }
    }

    #[test]
    fn an_indented_block_is_no_wish() {
        let found = |text: &str| super::super::detect(text).len();
        assert_eq!(found("Use this text:\n\n    never push to main\n\n    always sign\n"), 0);
        assert_eq!(found("Notes:\n\n- a list\n\n    never push to main\n"), 1);
    }
}
