//! `grep` and `sed` as the scripts use them, in a UTF-8 locale.

/// Bytes that a pipe holds, and that `grep` reads at once.
const PIPE: usize = 64 << 10;

/// Returns whether `echo TEXT | grep -q` finds a line under `pipefail`.
///
/// `grep` ends at its first match. If more text is left than the pipe holds, `echo` fails, and the match counts as
/// none. Near this size the answer of the scripts varies from run to run.
pub(super) fn echoed_line_matches(text: &str, is_match: impl Fn(&str) -> bool) -> bool {
    let mut end = 0;
    for line in text.split('\n') {
        end += line.len() + 1;
        if is_match(line) {
            let consumed = end.div_ceil(PIPE) * PIPE;
            return (text.len() + 1).saturating_sub(consumed) <= PIPE;
        }
    }
    false
}

/// Matches `\bgit\b.*\bWORD\b`.
pub(super) fn has_git_and(line: &str, word: &str) -> bool {
    end_of_word(line, "git").is_some_and(|end| words(line, word).any(|start| start >= end))
}

/// Matches `\bgit\b.*(checkout|switch).*\b(main|master)\b`.
pub(super) fn has_git_to_main(line: &str) -> bool {
    let Some(git) = end_of_word(line, "git") else { return false };
    let verb = |verb: &str| Some(git + line.get(git..)?.find(verb)? + verb.len());
    let Some(verb) = verb("checkout").into_iter().chain(verb("switch")).min() else { return false };
    ["main", "master"].iter().any(|branch| words(line, branch).any(|start| start >= verb))
}

/// Removes the pieces in single quotes from each line, then those in double quotes.
pub(super) fn without_quoted(text: &str) -> String {
    let stripped = |line: &str| without_pairs(&without_pairs(line, '\''), '"');
    text.split('\n').map(stripped).collect::<Vec<_>>().join("\n")
}

/// Returns whether a text holds one of the words, in any case and also within other words.
pub(super) fn holds_any(line: &str, upper_case: &[&str]) -> bool {
    let folded: String = line.chars().map(folded).collect();
    upper_case.iter().any(|word| folded.contains(word))
}

/// Matches `phase-complete[[:space:]]+[^[:space:]]+[[:space:]]+post-to-source` and returns the second word of it.
pub(super) fn completed_workspace(line: &str) -> Option<String> {
    const START: &str = "phase-complete";
    line.match_indices(START).find_map(|(at, _)| {
        let behind = line.get(at + START.len()..)?;
        let path = behind.trim_start_matches(is_space);
        let path_end = path.find(is_space)?;
        let last = path.get(path_end..)?.trim_start_matches(is_space);
        let is_match = path.len() < behind.len() && path_end > 0 && last.starts_with("post-to-source");
        let whole = line.get(at..line.len() - last.len())?;
        is_match.then(|| {
            whole.split([' ', '\t']).filter(|word| !word.is_empty()).nth(1).unwrap_or_default().to_owned()
        })
    })
}

/// The class `[[:space:]]`, which has no space that forbids a break.
fn is_space(c: char) -> bool {
    c.is_whitespace() && !matches!(c, '\u{85}' | '\u{a0}' | '\u{2007}' | '\u{202f}')
}

/// Maps a letter to the upper-case one that `grep -i` takes for the same.
fn folded(c: char) -> char {
    match c {
        '\u{17f}' => 'S',
        '\u{131}' | '\u{130}' => 'I',
        '\u{212a}' => 'K',
        c => c.to_ascii_uppercase(),
    }
}

fn without_pairs(line: &str, quote: char) -> String {
    let mut rest = line;
    let mut kept = String::with_capacity(line.len());
    while let Some((before, behind)) = rest.split_once(quote) {
        let Some((_, after)) = behind.split_once(quote) else { break };
        kept.push_str(before);
        rest = after;
    }
    kept + rest
}

/// Returns the end of the first occurrence of `word` as a whole word.
fn end_of_word(line: &str, word: &str) -> Option<usize> {
    words(line, word).next().map(|start| start + word.len())
}

/// Returns the positions of `word` between word boundaries.
fn words<'l>(line: &'l str, word: &'l str) -> impl Iterator<Item = usize> + 'l {
    let starts = (0..line.len()).filter(move |at| line.get(*at..).is_some_and(|rest| rest.starts_with(word)));
    starts.filter(move |at| {
        let before = line.get(..*at).and_then(|text| text.chars().next_back());
        let behind = line.get(at + word.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(is_word) && !behind.is_some_and(is_word)
    })
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_at_letters_of_every_script() {
        assert!(has_git_to_main("git checkout main"));
        assert!(has_git_to_main("git checkout main.2026") && has_git_to_main("git add src/checkout/main.rs"));
        for line in
            ["git checkout mainé", "git checkout main_", "xgit checkout main", "git show main:checkout"]
        {
            assert!(!has_git_to_main(line), "{line}");
        }
        assert!(has_git_and("git commit-graph", "commit") && !has_git_and("git committed", "commit"));
        assert!(!has_git_and("commit git", "commit"));
    }

    #[test]
    fn single_quotes_are_cut_before_double_quotes() {
        assert_eq!(without_quoted("a 'b' \"c\" d"), "a   d");
        assert_eq!(without_quoted("it's; git; it's"), "its");
        assert_eq!(without_quoted("\"it's\"; x; \"it's\" y"), " y");
        assert_eq!(without_quoted("a 'b\nc' d"), "a 'b\nc' d");
    }

    #[test]
    fn a_match_before_much_text_is_lost() {
        let text = format!("git checkout main\n# {}", "x".repeat(300_000));
        assert!(!echoed_line_matches(&text, has_git_to_main));
        let text = format!("# {}\ngit checkout main", "x".repeat(300_000));
        assert!(echoed_line_matches(&text, has_git_to_main));
    }

    #[test]
    fn the_completed_workspace_is_the_second_word() {
        let find = |line| completed_workspace(line);
        assert_eq!(find("x phase-complete \t a/b  post-to-sources").as_deref(), Some("a/b"));
        assert_eq!(find("phase-complete a b phase-complete c post-to-source").as_deref(), Some("c"));
        assert_eq!(find("phase-complete post-to-source"), None);
        assert_eq!(find("phase-completea b post-to-source"), None);
    }

    #[test]
    fn case_is_folded_as_grep_folds_it() {
        assert!(holds_any("bypa\u{17f}s", &["PASS"]) && holds_any("rev\u{131}se", &["REVISE"]));
        assert!(!holds_any("Übertrag", &["PASS"]));
    }
}
