//! Boundaries of an agent in its charter: the files that it may write and read, in a form for programs.
//!
//! ````text
//! ```boundaries
//! writes: [src/api/**, "docs/{api,rest}.md"]
//! reads:
//!   - src/**
//!   - docs/**
//! ```
//! ````
//!
//! The keys `writes` and `reads` of the front matter mean the same. Prose is no boundary.

use super::Charter;
use crate::text::{Document, Kind, lossy};

/// Language of the fenced block, and the key of the front matter.
const BLOCK: &str = "boundaries";

/// Files that an agent may write and read, as its charter has them. Several boundaries of one charter apply
/// together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WrittenBoundary {
    /// Patterns of files that the agent may write; `None` if the boundary does not limit writes.
    pub writes: Option<Vec<String>>,
    /// Patterns of files that the agent may read; `None` if the boundary does not limit reads.
    pub reads: Option<Vec<String>>,
    /// Number of the line in the charter, from 1.
    pub line: usize,
}

/// A boundary that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
#[non_exhaustive]
pub struct BoundaryProblem {
    /// Number of the line in the charter, from 1.
    pub line: usize,
    /// The problem, and how to solve it.
    pub problem: String,
}

impl Charter {
    /// Returns the boundaries in the charter, each with its line; an error for each that cannot be read. A
    /// charter without a block has none.
    ///
    /// ```
    /// use hooks_team::files::Charter;
    /// use hooks_team::text::Document;
    ///
    /// let text = "# Ada\n\n## What I Own\n\n- src/api\n\n```boundaries\nwrites: [src/api/**]\n```\n";
    /// let boundaries = Charter::new(Document::parse(text)).written_boundaries();
    /// let first = boundaries[0].as_ref().expect("it can be read");
    /// assert_eq!(first.writes.as_deref(), Some(&["src/api/**".to_owned()][..]));
    /// assert_eq!((&first.reads, first.line), (&None, 7));
    ///
    /// let wrong = Charter::new(Document::parse("```boundaries\nwrite: src\n```\n"));
    /// let problem = wrong.written_boundaries()[0].clone().unwrap_err();
    /// assert_eq!(problem.to_string(), "line 2: unknown key `write`; expected `writes` or `reads`");
    /// ```
    pub fn written_boundaries(&self) -> Vec<Result<WrittenBoundary, BoundaryProblem>> {
        let document = self.document();
        let blocks = document.fenced(BLOCK).into_iter().map(|code| {
            if !code.is_closed {
                return Err(problem(
                    code.line,
                    "the block is not closed, or does not begin its line; close it with three backticks",
                ));
            }
            let lines = code.text.lines().zip(code.line + 1..);
            let read = read(lines.map(|(text, line)| (line, text)), Unknown::IsAnError)?;
            read.map_or_else(
                || Err(problem(code.line, "the block is empty; write `writes` or `reads`")),
                |boundary| Ok(WrittenBoundary { line: code.line, ..boundary }),
            )
        });
        in_front_matter(document).into_iter().chain(blocks).collect()
    }
}

/// Reads the boundary in the front matter, if there is one.
fn in_front_matter(document: &Document) -> Option<Result<WrittenBoundary, BoundaryProblem>> {
    let texts = document.lines().iter().map(|line| (line.kind, lossy(document.line(*line)).into_owned()));
    let all: Vec<_> = texts.zip(1..).map(|((kind, text), line)| (kind, line, text)).collect();
    if all.first().is_none_or(|(.., text)| text.trim_end() != "---") {
        return None;
    }
    let is_matter = all.first().is_some_and(|(kind, ..)| *kind == Kind::FrontMatter);
    let within = all.iter().skip(1).take_while(|(kind, _, text)| match is_matter {
        true => *kind == Kind::FrontMatter && !matches!(text.trim_end(), "---" | "..."),
        false => !matches!(text.trim_end(), "---" | "..."),
    });
    let within: Vec<(usize, &str)> = within.map(|(_, line, text)| (*line, text.as_str())).collect();
    let is_key = |text: &str| key_of(text).is_some_and(|(key, _)| matches!(key, "writes" | "reads" | BLOCK));
    let (first, _) = *within.iter().find(|(_, text)| is_key(text))?;
    if !is_matter {
        return Some(Err(problem(first, "the front matter cannot be read; write keys and values only")));
    }
    let nested = within.iter().position(|(_, text)| key_of(text).is_some_and(|(key, _)| key == BLOCK));
    let read = match nested {
        Some(at) => {
            let below = within
                .iter()
                .skip(at + 1)
                .take_while(|(_, text)| text.starts_with([' ', '\t']) || text.trim().is_empty());
            let indent = |text: &str| text.len() - text.trim_start().len();
            let least =
                below.clone().filter(|(_, text)| !text.trim().is_empty()).map(|(_, text)| indent(text)).min();
            let least = least.unwrap_or_default();
            let below: Vec<_> =
                below.map(|(line, text)| (*line, text.get(least..).unwrap_or_default())).collect();
            read(below.into_iter(), Unknown::IsAnError)
        }
        None => read(within.into_iter(), Unknown::IsOther),
    };
    let line = |boundary: WrittenBoundary| WrittenBoundary { line: first, ..boundary };
    let missing = || problem(first, "the key has no boundary; write `writes` or `reads` below it");
    Some(read.and_then(|boundary| boundary.map(line).ok_or_else(missing)))
}

/// Treatment of keys that are not those of a boundary.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unknown {
    /// In a block of its own.
    IsAnError,
    /// In the front matter, which has other keys too.
    IsOther,
}

/// Reads lines, each with its number; `None` if there is no key of a boundary.
fn read<'t>(
    lines: impl Iterator<Item = (usize, &'t str)>,
    unknown: Unknown,
) -> Result<Option<WrittenBoundary>, BoundaryProblem> {
    let mut lines = lines.peekable();
    let mut boundary = WrittenBoundary::default();
    while let Some((line, text)) = lines.next() {
        if without_comment(text).trim().is_empty() {
            continue;
        }
        let Some((key, value)) = key_of(text) else {
            match unknown {
                Unknown::IsAnError => {
                    return Err(problem(line, "expected `writes:` or `reads:` with a list"));
                }
                Unknown::IsOther => continue,
            }
        };
        let list = match key {
            "writes" => &mut boundary.writes,
            "reads" => &mut boundary.reads,
            _ if unknown == Unknown::IsOther => continue,
            _ => return Err(problem(line, format!("unknown key `{key}`; expected `writes` or `reads`"))),
        };
        let mut value = without_comment(value).trim().to_owned();
        let mut below = Vec::new();
        while let Some((line, text)) = lines.next_if(|(_, text)| belongs_to_the_key(text)) {
            let text = without_comment(text).trim();
            if value.starts_with('[') && !is_closed(&value) {
                value.push(' ');
                value.push_str(text);
            } else if !text.is_empty() {
                below.push((line, text.to_owned()));
            }
        }
        let items = items(line, &value, &below)?;
        if list.replace(items).is_some() {
            return Err(problem(line, format!("`{key}` is there twice; write one list")));
        }
    }
    Ok((boundary.writes.is_some() || boundary.reads.is_some()).then_some(boundary))
}

/// Returns the key and the rest of a line that begins with a key.
fn key_of(text: &str) -> Option<(&str, &str)> {
    let (key, value) = text.split_once(':')?;
    let is_name =
        |key: &str| !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    let key = key.trim_end().trim_matches(['"', '\'']);
    (is_name(key) && (value.is_empty() || value.starts_with(char::is_whitespace))).then_some((key, value))
}

/// Returns whether a line is a part of the value of the key above.
fn belongs_to_the_key(text: &str) -> bool {
    text.trim().is_empty() || text.starts_with([' ', '\t', '-', '#', ']'])
}

/// Returns the items of a list: in brackets, below the key, or a single one.
fn items(line: usize, value: &str, below: &[(usize, String)]) -> Result<Vec<String>, BoundaryProblem> {
    if value.is_empty() {
        if below.is_empty() {
            return Err(problem(line, "the list is missing; write `[]` for no file"));
        }
        return below
            .iter()
            .map(|(line, text)| {
                let item = text.strip_prefix('-').filter(|item| item.starts_with(char::is_whitespace));
                let item = item.ok_or_else(|| problem(*line, "expected an item that begins with `- `"))?;
                pattern(*line, item)
            })
            .collect();
    }
    if let Some((line, _)) = below.first() {
        return Err(problem(*line, "this line belongs to no key; write one list for each key"));
    }
    let Some(inner) = value.strip_prefix('[') else { return Ok(vec![pattern(line, value)?]) };
    let inner = inner.strip_suffix(']').filter(|_| is_closed(value));
    let inner = inner.ok_or_else(|| problem(line, "the list is not closed; end it with `]`"))?;
    let mut parts = split(inner);
    // A comma after the last item.
    if parts.last().is_some_and(|last| last.trim().is_empty()) {
        parts.pop();
    }
    parts.iter().map(|part| pattern(line, part)).collect()
}

/// Returns a pattern without its quotes.
fn pattern(line: usize, text: &str) -> Result<String, BoundaryProblem> {
    let text = text.trim();
    let quoted = ['"', '\''].into_iter().find(|quote| text.starts_with(*quote));
    let inner = match quoted {
        Some(quote) => {
            let inner = text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote));
            let inner = inner.ok_or_else(|| problem(line, format!("{text} has an open quote")))?;
            if quote == '"' {
                inner.replace("\\\"", "\"").replace("\\\\", "\\")
            } else {
                inner.replace("''", "'")
            }
        }
        None => text.to_owned(),
    };
    if inner.trim().is_empty() || quoted.is_none() && matches!(&*inner, "~" | "null" | "|" | ">") {
        return Err(problem(
            line,
            format!("`{text}` is not a pattern of files; write one, or `[]` for no file"),
        ));
    }
    Ok(inner)
}

/// Returns a line up to its comment: a `#` at the beginning or after a space, outside of quotes.
fn without_comment(text: &str) -> &str {
    let (mut quote, mut before) = (None, ' ');
    for (at, c) in text.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '#' && before.is_whitespace() => return text.get(..at).unwrap_or_default(),
            None if matches!(c, '"' | '\'') && !before.is_alphanumeric() => quote = Some(c),
            None => {}
        }
        before = c;
    }
    text
}

/// Returns whether the brackets of a list are balanced outside of quotes.
fn is_closed(value: &str) -> bool {
    depths(value).last().is_none_or(|(_, depth)| depth == 0)
}

/// Splits at the commas that are in no quotes, braces or brackets.
fn split(inner: &str) -> Vec<&str> {
    let commas: Vec<_> =
        depths(inner).filter(|(c, depth)| c.1 == ',' && *depth == 0).map(|(c, _)| c.0).collect();
    let starts = std::iter::once(0).chain(commas.iter().map(|at| at + 1));
    let ends = commas.iter().copied().chain([inner.len()]);
    starts.zip(ends).filter_map(|(start, end)| inner.get(start..end)).collect()
}

/// Returns each character outside of quotes with its position, and the depth of brackets after it.
fn depths(text: &str) -> impl Iterator<Item = ((usize, char), i32)> {
    let (mut quote, mut depth, mut before) = (None, 0, ' ');
    text.char_indices().filter_map(move |(at, c)| {
        let is_outside = quote.is_none();
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') if !before.is_alphanumeric() => quote = Some(c),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth -= 1,
            (None, _) => {}
        }
        before = c;
        is_outside.then_some(((at, c), depth))
    })
}

fn problem(line: usize, problem: impl Into<String>) -> BoundaryProblem {
    BoundaryProblem { line, problem: problem.into() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn boundaries(text: &str) -> Vec<Result<WrittenBoundary, BoundaryProblem>> {
        Charter::new(Document::parse(text)).written_boundaries()
    }

    fn writes(block: &str) -> Vec<String> {
        let all = boundaries(&format!("# A\n\n```boundaries\n{block}\n```\n"));
        all.into_iter().next().unwrap().unwrap().writes.unwrap()
    }

    #[test]
    fn lists_are_read_in_every_form() {
        for block in [
            "writes: [a/**, \"b c\", 'd']",
            "writes:\n  - a/**\n  - \"b c\" # why\n  - d",
            "writes:\n- a/**\n- 'b c'\n\n- d\nreads: x",
            "# first\nwrites: [a/**, # one\n  b c,\n  d,\n]\n",
        ] {
            assert_eq!(writes(block), ["a/**", "b c", "d"], "{block}");
        }
        assert_eq!(writes("writes: [src/{a,b}/**, app/[id]/x]"), ["src/{a,b}/**", "app/[id]/x"]);
        assert_eq!(writes("writes: **/*.md"), ["**/*.md"]);
        assert_eq!(writes("writes: [a#b, it's]"), ["a#b", "it's"]);
        assert!(writes("writes: []").is_empty());
    }

    #[test]
    fn front_matter_is_a_boundary_too() {
        for text in [
            "---\nname: a\nwrites: [a]\nreads:\n  - b\n---\n# A\n",
            "---\nboundaries:\n  writes: [a]\n  reads: [b]\nname: a\n---\n# A\n",
        ] {
            let all = boundaries(text);
            let [Ok(one)] = &all[..] else { panic!("{text} {all:?}") };
            assert_eq!(one.writes.as_deref(), Some(&["a".to_owned()][..]), "{text}");
            assert_eq!(one.reads.as_deref(), Some(&["b".to_owned()][..]), "{text}");
        }
        assert_eq!(boundaries("---\nname: a\n---\n# A\n"), []);
        assert_eq!(boundaries("# A\n\nwrites: [a]\n"), [], "prose is none");
        assert_eq!(boundaries("---\nname: a\n---\n\n```boundaries\nwrites: [a]\n```\n").len(), 1);
    }

    #[test]
    fn a_boundary_that_cannot_be_read_is_reported() {
        for text in [
            "```boundaries\n```\n",
            "```boundaries\nwrites: [a\n",
            "```boundaries\nwrites: [a\n```\n",
            "```boundaries\nwrites:\n```\n",
            "```boundaries\nwrites: a\nwrites: b\n```\n",
            "```boundaries\nwrites:\n  a\n```\n",
            "```boundaries\nwrites: |\n  a\n```\n",
            "```boundaries\nwrites: [a, , b]\n```\n",
            "```boundaries\nwrites: \"a\n```\n",
            "```boundaries\nwrites: ~\n```\n",
            "```boundaries\nwrites: a\nmore: b\n```\n",
            "```boundaries\nsrc/**\n```\n",
            "---\nwrites: [a]\nwhat is this\n---\n",
            "---\nboundaries:\nname: a\n---\n",
        ] {
            let all = boundaries(text);
            assert!(matches!(&all[..], [Err(_), ..]), "{text:?} {all:?}");
        }
        let problem =
            boundaries("# A\n\n```boundaries\nwrites: [a]\nreeds: [b]\n```\n").remove(0).unwrap_err();
        assert_eq!(problem.line, 5);
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd(text in "[-a{}\\[\\]`:, \"'#\nwrites]{0,80}") {
            let _all = boundaries(&text);
            let _all = boundaries(&format!("```boundaries\n{text}\n```\n"));
            let _all = boundaries(&format!("---\nwrites: {text}\n---\n"));
        }
    }
}
