//! Patterns of files, in the case that applies to a call.

use hooks_core::PolicyErrors;
use hooks_facts::calls::{Call, CallReader, NamedPath};
use hooks_facts::globs::{Gap, GlobOptions, Globs};

/// Most patterns that a reason shows.
const SHOWN: usize = 5;

/// Compiled patterns.
#[derive(Clone, Debug, Default)]
pub(crate) struct FilePatterns {
    exact: Globs,
    folded: Globs,
    texts: Vec<String>,
}

impl FilePatterns {
    /// Compiles `patterns`.
    ///
    /// # Errors
    /// Returns the index and the problem of each pattern that cannot be used.
    pub(crate) fn new(patterns: &[String], reader: &CallReader) -> Result<Self, Vec<(usize, String)>> {
        let compile = |case_insensitive| {
            let root = reader.fixed_root().map(str::to_owned);
            let options = GlobOptions { dialect: reader.dialect(), case_insensitive, root };
            Globs::compile(patterns, &options)
        };
        let problems = |errors: Vec<hooks_facts::globs::PatternError>| {
            errors.into_iter().map(|error| (error.index, error.problem.to_string())).collect::<Vec<_>>()
        };
        let (exact, folded) = (compile(false).map_err(problems)?, compile(true).map_err(problems)?);
        Ok(Self { exact, folded, texts: patterns.to_vec() })
    }

    /// Compiles `patterns`; each that cannot be used is reported as an item of `field`.
    pub(crate) fn compile(
        patterns: &[String],
        field: &str,
        reader: &CallReader,
        errors: &mut PolicyErrors,
    ) -> Self {
        Self::new(patterns, reader).unwrap_or_else(|problems| {
            for (index, problem) in problems {
                errors.push_text(format!("{field}[{index}]"), &problem, "check the pattern");
            }
            Self::default()
        })
    }

    /// Returns whether a pattern matches everything that the reading of a place stands for.
    pub(crate) fn allow(&self, call: Call<'_>, place: &NamedPath, reading: &str) -> bool {
        let globs = self.globs(call);
        match place.is_partial() {
            true => globs.covers(&self.cased(call, reading)),
            false => globs.is_match(reading),
        }
    }

    /// Returns whether one pattern matches everything below a folder.
    pub(crate) fn allow_below(&self, call: Call<'_>, folder: &str) -> bool {
        let anything = format!("{folder}/{}{}", Gap::Folders.stand_in(), Gap::Name.stand_in());
        self.globs(call).covers(&self.cased(call, &anything))
    }

    /// Returns the first pattern that a reading matches or may match. With `below`, also one that matches, or may match,
    /// something below it.
    pub(crate) fn meet(&self, call: Call<'_>, reading: &str, below: bool) -> Option<&str> {
        let (globs, reading) = (self.globs(call), self.cased(call, reading.trim_end_matches('/')));
        let met = || (!reading.is_empty()).then(|| globs.meets(&reading, true)).flatten();
        let anything = || {
            let lead = if reading.is_empty() { String::new() } else { format!("{reading}/") };
            let text = format!("{lead}{}{}", Gap::Folders.stand_in(), Gap::Name.stand_in());
            let hidden = format!("{lead}{}.{}", Gap::Folders.stand_in(), Gap::Name.stand_in());
            globs.meets(&text, true).or_else(|| globs.meets(&hidden, true))
        };
        let index = met().or_else(|| below.then(anything).flatten())?;
        self.texts.get(index).map(String::as_str)
    }

    /// Returns the first patterns as text for a reason.
    pub(crate) fn summary(&self) -> String {
        let shown: Vec<_> = self.texts.iter().take(SHOWN).map(|text| format!("`{text}`")).collect();
        match self.texts.len().saturating_sub(SHOWN) {
            0 => shown.join(", "),
            more => format!("{} and {more} more", shown.join(", ")),
        }
    }

    /// Returns the first pattern as text.
    pub(crate) fn first(&self) -> Option<&str> {
        self.texts.first().map(String::as_str)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    fn globs(&self, call: Call<'_>) -> &Globs {
        if call.ignores_case() { &self.folded } else { &self.exact }
    }

    /// Returns an outline in the case of the patterns; a whole path is folded by the matcher.
    fn cased(&self, call: Call<'_>, outline: &str) -> String {
        match call.ignores_case() {
            true => outline.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect(),
            false => outline.to_owned(),
        }
    }
}

/// Returns the outline of a pattern: `*` and `**` become gaps. Alternatives in braces become a gap too, so it may stand for
/// more than the pattern matches.
pub(crate) fn outline_of(pattern: &str) -> String {
    let mut outline = String::new();
    let (mut characters, mut depth) = (pattern.chars().peekable(), 0_usize);
    while let Some(c) = characters.next() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    outline.push(Gap::Any.stand_in());
                }
            }
            _ if depth > 0 => {}
            '\\' => outline.extend(characters.next()),
            '?' => outline.push(Gap::One.stand_in()),
            '*' if characters.next_if_eq(&'*').is_some() => match characters.next_if_eq(&'/') {
                Some(_) => outline.push(Gap::Folders.stand_in()),
                None => outline.extend([Gap::Folders.stand_in(), Gap::Name.stand_in()]),
            },
            '*' => outline.push(Gap::Name.stand_in()),
            c => outline.push(c),
        }
    }
    outline
}

/// Describes a path, with its resolved form if that differs.
pub(crate) fn stands_for(given: &str, resolved: &str) -> String {
    match resolved {
        "" => format!("`{given}` stands for the root, which"),
        _ if resolved == given => format!("`{given}`"),
        _ => format!("`{given}` stands for `{resolved}`, which"),
    }
}
