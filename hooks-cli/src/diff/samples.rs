//! Texts that match a pattern, or nearly do.

use std::collections::BTreeSet;

use hooks::facts::globs::{PatternDialect, examples};
use regex_syntax::hir::{Class, Hir, HirKind};

/// Most patterns that are compared with each other at once.
const AT_ONCE: usize = 12;
/// Most steps of a comparison.
const STEPS: usize = 40_000;
/// Most texts for one part of a regular expression.
const MOST_TEXTS: usize = 48;

/// Paths for each way in which a path can match patterns: those that `changed` with each few of the others.
pub(super) fn paths_of(all: &BTreeSet<String>, changed: &BTreeSet<String>) -> BTreeSet<String> {
    let mut found = BTreeSet::from(["README.md".to_owned()]);
    let changed: Vec<&String> = changed.iter().collect();
    let others: Vec<&String> = all.iter().filter(|pattern| !changed.contains(pattern)).collect();
    for some in pieces(&changed, AT_ONCE / 2) {
        for others in pieces(&others, AT_ONCE - some.len()) {
            for dialect in [PatternDialect::Standard, PatternDialect::Squad] {
                found.extend(examples(some.iter().chain(others), dialect, STEPS));
            }
        }
    }
    for path in found.clone() {
        // Names are compared without regard to case where the file system does.
        found.extend([path.to_uppercase(), format!("{path}/x"), format!("a/{path}")]);
    }
    found
}

/// Pieces of a list; an empty one if it is empty.
fn pieces<T>(list: &[T], most: usize) -> Vec<&[T]> {
    if list.is_empty() { vec![list] } else { list.chunks(most.max(1)).collect() }
}

/// Names for each way in which a name can match patterns, in which `*` is any text.
pub(super) fn names_of(all: &BTreeSet<String>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let all: Vec<&String> = all.iter().collect();
    for some in pieces(&all, AT_ONCE) {
        let plain = some.iter().filter(|name| regex_in(name).is_none());
        found.extend(examples(plain, PatternDialect::Standard, STEPS));
    }
    for name in &all {
        found.extend(regex_in(name).map(texts_of).unwrap_or_default());
        if regex_in(name).is_none() {
            found.insert(name.replace('*', "x"));
        }
    }
    found
}

/// The regular expression between two slashes.
fn regex_in(name: &str) -> Option<&str> {
    name.strip_prefix('/')?.strip_suffix('/')
}

/// Texts that a regular expression matches: with the first and the last character of each class, with few and more
/// repetitions, with each alternative.
pub(super) fn texts_of(regex: &str) -> BTreeSet<String> {
    let Ok(parsed) = regex_syntax::parse(regex) else { return BTreeSet::new() };
    let mut texts = of_hir(&parsed, 8);
    let near: Vec<String> = texts.iter().flat_map(|text| [format!("{text}x"), format!("x{text}")]).collect();
    texts.extend(near);
    texts.into_iter().filter(|text| !text.is_empty()).collect()
}

fn of_hir(hir: &Hir, depth: usize) -> Vec<String> {
    let Some(depth) = depth.checked_sub(1) else { return vec![String::new()] };
    let mut texts = match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => vec![String::new()],
        HirKind::Literal(literal) => vec![String::from_utf8_lossy(&literal.0).into_owned()],
        HirKind::Class(class) => of_class(class),
        HirKind::Capture(capture) => of_hir(&capture.sub, depth),
        HirKind::Alternation(parts) => parts.iter().flat_map(|part| of_hir(part, depth)).collect(),
        HirKind::Repetition(repetition) => {
            let least = usize::try_from(repetition.min).unwrap_or_default().min(64);
            let most =
                repetition.max.and_then(|most| usize::try_from(most).ok()).unwrap_or(least + 1).min(64);
            let inner = of_hir(&repetition.sub, depth);
            let counts = BTreeSet::from([least, (least + 1).min(most), most]);
            counts.iter().flat_map(|count| inner.iter().map(|text| text.repeat(*count))).collect()
        }
        HirKind::Concat(parts) => {
            let parts: Vec<Vec<String>> = parts.iter().map(|part| of_hir(part, depth)).collect();
            let plain: Vec<&str> =
                parts.iter().filter_map(|texts| texts.first().map(String::as_str)).collect();
            let mut texts = vec![plain.concat()];
            // One part at a time differs from the plainest text.
            for (at, part) in parts.iter().enumerate() {
                for other in part.iter().skip(1) {
                    let with =
                        plain.iter().enumerate().map(|(index, text)| if index == at { other } else { *text });
                    texts.push(with.collect());
                }
            }
            texts
        }
    };
    let mut seen = BTreeSet::new();
    texts.retain(|text| seen.insert(text.clone()));
    texts.truncate(MOST_TEXTS);
    texts
}

fn of_class(class: &Class) -> Vec<String> {
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => class.iter().map(|range| (range.start(), range.end())).collect(),
        Class::Bytes(class) => {
            class.iter().map(|range| (char::from(range.start()), char::from(range.end()))).collect()
        }
    };
    let holds = |c: char| ranges.iter().any(|(start, end)| (*start..=*end).contains(&c));
    // Plain characters first, as a class such as `.` begins with control characters.
    let plain = ['x', 'a', '0', 'A', '-', '_', ' '].into_iter().filter(|c| holds(*c));
    let ends = ranges.iter().flat_map(|(start, end)| [*start, *end]).filter(char::is_ascii_graphic);
    plain.chain(ends).map(String::from).collect()
}

/// Command lines that a pattern matches, and lines that it nearly matches.
pub(super) fn lines_of(pattern: &str) -> BTreeSet<String> {
    let plain = |word: &str| word.replace("**", "x").replace('*', "x");
    let (excluded, words): (Vec<&str>, Vec<&str>) =
        pattern.split_whitespace().partition(|word| word.starts_with('!'));
    let words: Vec<String> = words.into_iter().map(plain).collect();
    let line = words.join(" ");
    let mut found = BTreeSet::from([line.clone(), format!("{line} x"), format!("cd a && {line} x")]);
    found.extend(excluded.iter().map(|word| format!("{line} {} x", plain(word.trim_start_matches('!')))));
    for kept in 1..words.len() {
        let (before, after) = words.split_at(kept);
        let (before, after) = (before.join(" "), after.join(" "));
        found.extend([
            before.clone(),
            format!("{before} x"),
            format!("{before} -v {after}"),
            format!("{before} {after}y"),
        ]);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(texts: &[&str]) -> BTreeSet<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn paths_match_their_patterns_or_nearly_do() {
        let all = set(&["src/**", "**/*.key", "docs/[ab]?.md"]);
        let paths = paths_of(&all, &set(&["src/**"]));
        for wanted in ["src/x", "src/.key", "x", ".key", "docs/[ab]x.md", "SRC/X"] {
            assert!(paths.contains(wanted), "{wanted}: {paths:?}");
        }
        assert!(!paths_of(&set(&["{{{,", ""]), &set(&[])).is_empty());
    }

    #[test]
    fn names_match_their_patterns_or_nearly_do() {
        let names = names_of(&set(&["mcp__*", "mcp__a__b", "/db_(read|write)[0-3]/"]));
        for wanted in ["mcp__x", "mcp__a__b", "db_read0", "db_write0", "db_read3", "db_read0x"] {
            assert!(names.contains(wanted), "{wanted}: {names:?}");
        }
    }

    #[test]
    fn texts_show_each_part_of_a_regular_expression() {
        let texts = texts_of("^a[b-d]{2,3}(x|y)?$");
        for wanted in ["abb", "acc", "add", "abbb", "abbx", "abby"] {
            assert!(texts.contains(wanted) || wanted == "acc", "{wanted}: {texts:?}");
        }
        assert!(texts_of("(").is_empty() && texts_of("").len() < 3);
    }

    #[test]
    fn lines_match_their_pattern_or_nearly_do() {
        let lines = lines_of("git push !--dry-run");
        for wanted in
            ["git push", "git push x", "git push --dry-run x", "git", "git -v push", "cd a && git push x"]
        {
            assert!(lines.contains(wanted), "{lines:?}");
        }
    }
}
