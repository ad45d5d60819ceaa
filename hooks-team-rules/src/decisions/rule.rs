//! Rules that decisions stand for: what is forbidden, where, and what to use instead.

use std::fmt;

use serde::Serialize;

/// A rule of a decision. Empty lists have no effect.
///
/// ```
/// use hooks_team_rules::decisions::DecisionRule;
///
/// let rule = DecisionRule::parse("packages: [moment]\nexcept: [src/legacy/**]\ninstead: date-fns")?;
/// assert_eq!(rule.packages, ["moment"]);
/// assert_eq!(rule.to_string(), "packages: [moment]\nexcept: [src/legacy/**]\ninstead: date-fns\n");
/// # Ok::<(), hooks_team_rules::decisions::RuleError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DecisionRule {
    /// Libraries and technologies: their packages, imports, images, scripts, and well-known clients.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub packages: Vec<String>,
    /// Beginnings of the names of imported modules, with `*` for any text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub imports: Vec<String>,
    /// Functions that must not be called.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<String>,
    /// Tokens of source text, outside of comments and strings; `_` is any name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub content: Vec<String>,
    /// Commands, as in `git push --force`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    /// Container images.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<String>,
    /// Files that must not be created, changed or removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Files that must not be created or changed; removing them is right.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Files that must not be created.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub new_files: Vec<String>,
    /// Files that must not be changed or removed once they exist.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub existing_files: Vec<String>,
    /// Languages of `content` and `calls`; all if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// Words that a command must have as well, with `*` for any text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<String>,
    /// Files that the rule is for; all if empty.
    #[serde(rename = "in", skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<String>,
    /// Files that the rule is not for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub except: Vec<String>,
    /// Packages, commands and files that stay allowed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<String>,
    /// Replacement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instead: Option<String>,
    /// Calls that the rule must deny.
    #[serde(rename = "match", skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<String>,
    /// Calls that the rule must not deny.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub no_match: Vec<String>,
}

/// Mistake in a rule block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleError {
    /// Line of the block, from 1.
    pub line: usize,
    /// Problem, and the way out.
    pub problem: String,
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of the rule: {}", self.line, self.problem)
    }
}

impl std::error::Error for RuleError {}

impl DecisionRule {
    /// Keys of a block, in order.
    pub const KEYS: [&'static str; 18] = [
        "packages",
        "imports",
        "calls",
        "content",
        "commands",
        "images",
        "paths",
        "files",
        "new_files",
        "existing_files",
        "languages",
        "with",
        "in",
        "except",
        "allow",
        "instead",
        "match",
        "no_match",
    ];

    /// Parses a rule block: lines of `key: value` or `key: [value, value]`, or a key with `- value` lines below it. A
    /// value that contains a comma or starts with a quote stands in quotes. Lines that start with `#` are comments;
    /// the word `deny:` on a line of its own is allowed before the keys.
    ///
    /// # Errors
    /// Returns the first line with an unknown key, a value without a key, an unclosed list or quote; and a block that
    /// forbids nothing.
    ///
    /// ```
    /// use hooks_team_rules::decisions::DecisionRule;
    ///
    /// let error = DecisionRule::parse("packages: [moment]\nexcpet: [src/**]").expect_err("an unknown key");
    /// assert!(error.to_string().starts_with("line 2 of the rule: unknown key `excpet`"));
    /// ```
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        let mut rule = Self::default();
        let mut open: Option<String> = None;
        for (line, number) in text.lines().zip(1..) {
            let error = |problem: String| RuleError { line: number, problem };
            let trimmed = line.trim();
            if trimmed.is_empty() || trimmed.starts_with('#') || trimmed == "---" || trimmed == "deny:" {
                continue;
            }
            if let Some(item) = trimmed.strip_prefix("- ") {
                let Some(key) = &open else {
                    return Err(error(format!("`{item}` belongs to no key; write `packages:` before it")));
                };
                rule.add(key, vec![unquoted(item)]).map_err(error)?;
                continue;
            }
            let (key, value) = trimmed
                .split_once(':')
                .ok_or_else(|| error(format!("expected `key: value`, found `{trimmed}`")))?;
            let (key, value) = (key.trim().trim_matches('"'), value.trim());
            rule.add(key, values(value).map_err(error)?).map_err(error)?;
            open = value.is_empty().then(|| key.to_owned());
        }
        if rule.except.iter().any(|glob| ["**", "**/*"].contains(&glob.as_str())) {
            return Err(RuleError {
                line: 1,
                problem:
                    "`except` contains every file, so it forbids nothing; name the files that are excepted"
                        .to_owned(),
            });
        }
        if rule.forbids_nothing() {
            return Err(RuleError {
                line: 1,
                problem: "it forbids nothing; add `packages`, `calls`, `commands` or `files`".to_owned(),
            });
        }
        Ok(rule)
    }

    fn add(&mut self, key: &str, values: Vec<String>) -> Result<(), String> {
        if key == "instead" {
            self.instead = values.into_iter().next();
            return Ok(());
        }
        let Some(list) = self.list_mut(key) else {
            return Err(format!("unknown key `{key}`; expected one of {}", Self::KEYS.join(", ")));
        };
        list.extend(values);
        Ok(())
    }

    fn list_mut(&mut self, key: &str) -> Option<&mut Vec<String>> {
        Some(match key {
            "packages" => &mut self.packages,
            "imports" => &mut self.imports,
            "calls" => &mut self.calls,
            "content" => &mut self.content,
            "commands" => &mut self.commands,
            "images" => &mut self.images,
            "paths" => &mut self.paths,
            "files" => &mut self.files,
            "new_files" => &mut self.new_files,
            "existing_files" => &mut self.existing_files,
            "languages" => &mut self.languages,
            "with" => &mut self.with,
            "in" => &mut self.within,
            "except" => &mut self.except,
            "allow" => &mut self.allow,
            "match" => &mut self.matches,
            "no_match" => &mut self.no_match,
            _ => return None,
        })
    }

    /// Whether no key of the rule forbids anything.
    ///
    /// ```
    /// use hooks_team_rules::decisions::DecisionRule;
    ///
    /// assert!(DecisionRule::default().forbids_nothing());
    /// assert!(!DecisionRule::parse("packages: [moment]")?.forbids_nothing());
    /// # Ok::<(), hooks_team_rules::decisions::RuleError>(())
    /// ```
    pub fn forbids_nothing(&self) -> bool {
        self.forbidden().iter().all(|(_, list)| list.is_empty())
    }

    /// Returns the lists of what is forbidden, by key.
    pub(super) fn forbidden(&self) -> [(&'static str, &[String]); 10] {
        [
            ("packages", &self.packages),
            ("imports", &self.imports),
            ("calls", &self.calls),
            ("content", &self.content),
            ("commands", &self.commands),
            ("images", &self.images),
            ("paths", &self.paths),
            ("files", &self.files),
            ("new_files", &self.new_files),
            ("existing_files", &self.existing_files),
        ]
    }
}

impl fmt::Display for DecisionRule {
    /// Formats the rule as a block.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let others = [
            ("languages", &self.languages),
            ("with", &self.with),
            ("in", &self.within),
            ("except", &self.except),
            ("allow", &self.allow),
        ];
        let others = others.map(|(key, list)| (key, list.as_slice()));
        for (key, list) in self.forbidden().into_iter().chain(others).filter(|(_, list)| !list.is_empty()) {
            writeln!(
                f,
                "{key}: [{}]",
                list.iter().map(|value| quoted(value)).collect::<Vec<_>>().join(", ")
            )?;
        }
        if let Some(instead) = &self.instead {
            writeln!(f, "instead: {}", quoted(instead))?;
        }
        for (key, list) in [("match", &self.matches), ("no_match", &self.no_match)] {
            for (number, value) in list.iter().enumerate() {
                if number == 0 {
                    writeln!(f, "{key}:")?;
                }
                writeln!(f, "- {}", quoted(value))?;
            }
        }
        Ok(())
    }
}

/// Reads a value or a list of values.
fn values(text: &str) -> Result<Vec<String>, String> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let Some(inner) = text.strip_prefix('[') else { return Ok(vec![unquoted(text)]) };
    let inner =
        inner.strip_suffix(']').ok_or_else(|| format!("the list `{text}` is not closed; end it with `]`"))?;
    let mut found = Vec::new();
    let mut rest = inner.trim();
    while !rest.is_empty() {
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (value, behind) = match quote {
            Some(quote) => {
                let end = close(rest, quote)
                    .ok_or_else(|| format!("the text {rest} is not closed; end it with {quote}"))?;
                let (value, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
                (unquoted(value), behind)
            }
            None => {
                let (value, behind) =
                    rest.split_at_checked(rest.find(',').unwrap_or(rest.len())).unwrap_or((rest, ""));
                (value.trim().to_owned(), behind)
            }
        };
        found.push(value);
        rest = behind.trim_start().trim_start_matches(',').trim_start();
    }
    Ok(found)
}

/// Returns the end of the text in quotes that `text` begins with.
fn close(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' if quote == '"' => escaped = true,
            _ if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

fn unquoted(text: &str) -> String {
    let text = text.trim();
    if let Some(inner) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        let mut value = String::new();
        let mut chars = inner.chars();
        while let Some(c) = chars.next() {
            match (c, c == '\\') {
                (_, true) => match chars.next() {
                    Some('n') => value.push('\n'),
                    Some('t') => value.push('\t'),
                    Some(other) => value.push(other),
                    None => value.push('\\'),
                },
                (c, false) => value.push(c),
            }
        }
        return value;
    }
    text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')).unwrap_or(text).to_owned()
}

/// Quotes a value where a list needs it.
fn quoted(value: &str) -> String {
    let is_plain = !value.is_empty()
        && value.trim() == value
        && !value.starts_with(['"', '\'', '[', '#', '-'])
        && !value.contains([',', ']', '"', '\\', '\n', '\t']);
    if is_plain {
        value.to_owned()
    } else {
        format!(
            "\"{}\"",
            value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\t', "\\t")
        )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn mistakes_name_their_line() {
        for (text, wanted) in [
            ("packages: [moment", "line 1 of the rule: the list `[moment` is not closed; end it with `]`"),
            ("packages: [a]\nexcpet: [b]", "line 2 of the rule: unknown key `excpet`"),
            ("- a", "line 1 of the rule: `a` belongs to no key"),
            ("in: [src/**]", "line 1 of the rule: it forbids nothing"),
            ("moment", "line 1 of the rule: expected `key: value`"),
            ("packages: [a]\nexcept: [src/**, \"**\"]", "line 1 of the rule: `except` contains every file"),
        ] {
            let error = DecisionRule::parse(text).unwrap_err().to_string();
            assert!(error.starts_with(wanted), "{error}");
        }
    }

    proptest! {
        /// A rule that is shown is read again as it was.
        #[test]
        fn blocks_are_read_as_they_are_written(values in prop::collection::vec("[ -~]{1,12}", 1..4), instead in prop::option::of("[ -~]{1,12}")) {
            let trimmed = |values: Vec<String>| values.into_iter().map(|value| value.trim().to_owned()).collect::<Vec<_>>();
            let rule = DecisionRule { content: trimmed(values.clone()), matches: trimmed(values), instead, ..DecisionRule::default() };
            prop_assert_eq!(DecisionRule::parse(&rule.to_string()), Ok(rule));
        }
    }
}
