//! Matches the names of tools.

use regex::Regex;

use super::pattern::from_go;

/// A pattern that matches the complete name of a tool.
#[derive(Clone, Debug, Default)]
pub struct Matcher(Option<Regex>);

impl Matcher {
    /// Compiles a pattern. `*` and an empty pattern match every tool.
    ///
    /// # Errors
    /// Returns an error if docker-agent does not support the pattern: no look-around, no globs, no doubled
    /// repetition.
    ///
    /// ```
    /// use hooks_command::config::Matcher;
    ///
    /// let matcher = Matcher::new("edit|write_.*")?;
    /// assert!(matcher.matches("edit") && matcher.matches("write_file"));
    /// assert!(!matcher.matches("edit_all"), "the complete name has to match");
    /// assert!(Matcher::new("*")?.matches("anything"));
    /// assert_eq!(Matcher::new("a**").err().as_deref(), Some("`**` repeats a repetition"));
    /// # Ok::<(), String>(())
    /// ```
    pub fn new(pattern: &str) -> Result<Self, String> {
        if pattern.is_empty() || pattern == "*" {
            return Ok(Self(None));
        }
        let pattern = from_go(pattern)?;
        // The pattern alone is compiled first, so that `a)(b` cannot close the group around it.
        Regex::new(&pattern)
            .and_then(|_| Regex::new(&format!("^(?:{pattern})$")))
            .map(|regex| Self(Some(regex)))
            .map_err(|error| last_line(&error.to_string()))
    }

    /// Whether the pattern matches a tool.
    pub fn matches(&self, tool: &str) -> bool {
        self.0.as_ref().is_none_or(|regex| regex.is_match(tool))
    }
}

fn last_line(text: &str) -> String {
    let last = text.lines().last().unwrap_or_default();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_matches_whole() {
        for (pattern, tool, matches) in [
            ("shell", "shell", true),
            ("shell", "shell_background", false),
            ("read|write_file", "read_file", false),
            ("read|write_file", "write_file", true),
            ("", "anything", true),
            ("*", "", true),
            ("(?i)SHELL", "shell", true),
            ("Shell", "shell", false),
            ("mcp:.*", "mcp:github:list", true),
            ("a$|^b", "b", true),
            ("[*+]?", "*", true),
            (r"a\**", "a**", true),
            ("(?:a|b)+?", "ab", true),
            ("f{x}", "f{x}", true),
            ("a{2,}", "aaa", true),
            ("a{,2}", "a{,2}", true),
            ("a{", "a{", true),
            (r"\Qa.b\E+", "a.bbb", true),
            (r"\Qa.b", "axb", false),
            ("[a&&b]+", "a&b", true),
            ("[[a]]", "[]", true),
            ("[[:alpha:]_]+", "a_b", true),
            ("[[:]", ":", true),
            (r"[\W]", "é", true),
            (r"\w+", "é", false),
            (r"\p{Latin}+\x{2d}\pL", "é-x", true),
            (r"\bx\b", "x", true),
            ("(?P<a>x)(?<b>y)(?i-s:z)", "xyZ", true),
        ] {
            assert_eq!(Matcher::new(pattern).unwrap().matches(tool), matches, "{pattern} on {tool}");
        }
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for pattern in [
            "a{2}{3}",
            "x{1001}",
            "(?x)a b",
            "(?u:a)",
            r"\u0041",
            "{2}",
            "a{2,1}",
            "shell(",
            "*_file",
            "(?!shell).*",
            "src/**",
            "a++",
            "a?*",
            "a)(b",
            "[",
            r"\",
            "(?<=x)y",
            "+",
        ] {
            assert!(Matcher::new(pattern).is_err(), "{pattern}");
        }
        assert!(!Matcher::new("a)|(b").is_ok_and(|matcher| matcher.matches("a")));
    }
}
