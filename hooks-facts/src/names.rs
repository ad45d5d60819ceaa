//! Comparison of names: of agents, artifacts, tools and child kinds.

use std::borrow::Cow;

use hooks_core::PolicyErrors;

/// Returns a name in the form in which all sections compare it: without space around it and in lower case.
///
/// ```
/// use hooks_facts::names::folded;
///
/// assert_eq!(folded(" Backend "), "backend");
/// assert_ne!(folded("back end"), folded("backend"));
/// ```
pub fn folded(name: &str) -> Cow<'_, str> {
    // Most names are in this form already.
    if name.bytes().all(|byte| byte.is_ascii_graphic() && !byte.is_ascii_uppercase()) {
        return Cow::Borrowed(name);
    }
    let name = name.trim();
    if name.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        return Cow::Borrowed(name);
    }
    if name.is_ascii() {
        return Cow::Owned(name.to_ascii_lowercase());
    }
    // Letter by letter: the lower case of a letter must not depend on its position (as with a final sigma).
    Cow::Owned(name.chars().flat_map(char::to_lowercase).collect())
}

/// Returns names in the compared form, without duplicates and sorted, so that the order of a list makes no
/// difference.
///
/// ```
/// use hooks_facts::names::all_folded;
///
/// let names = ["tester", " Backend", "BACKEND"].map(str::to_owned);
/// assert_eq!(all_folded(&names), ["backend", "tester"]);
/// ```
pub fn all_folded(names: &[String]) -> Vec<String> {
    let mut names: Vec<_> = names.iter().map(|name| folded(name).into_owned()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Names in a rule, without regard to case. An empty list matches every name.
///
/// ```
/// use hooks_core::PolicyErrors;
/// use hooks_facts::names::NamePatterns;
///
/// let mut errors = PolicyErrors::default();
/// let tools = NamePatterns::prefixes(&["mcp__*".to_owned(), "Fetch".to_owned()], "tools", &mut errors);
/// assert!(tools.match_name("MCP__mail__send") && tools.match_name("fetch") && !tools.match_name("fetch_all"));
///
/// let agents = NamePatterns::whole(&["back*".to_owned()], "agents", &mut errors);
/// assert_eq!(errors.to_string(), "`agents[0]`: `back*` is not a name; write the whole name");
/// # let _ = agents;
/// ```
#[derive(Clone, Debug, Default)]
pub struct NamePatterns {
    names: Vec<String>,
    beginnings: Vec<String>,
}

impl NamePatterns {
    /// Compiles names that may end in one star. Each that cannot be used is reported as an item of `field`.
    ///
    /// ```
    /// use hooks_core::PolicyErrors;
    /// use hooks_facts::names::NamePatterns;
    ///
    /// let mut errors = PolicyErrors::default();
    /// let agents = NamePatterns::prefixes(&["lead".to_owned(), "back*".to_owned()], "agents", &mut errors);
    /// assert!(agents.match_name("Backend") && agents.match_name("lead"));
    /// assert!(!agents.match_name("leader"));
    /// ```
    pub fn prefixes(names: &[String], field: &str, errors: &mut PolicyErrors) -> Self {
        check(names, field, "write a name; it may end in one `*`", |star, end| star + 1 < end, errors);
        let (beginnings, names) =
            all_folded(names).into_iter().partition::<Vec<_>, _>(|name| name.ends_with('*'));
        let cut = |mut name: String| {
            name.pop();
            name
        };
        Self { names, beginnings: beginnings.into_iter().map(cut).collect() }
    }

    /// Compiles whole names. Each that cannot be used is reported as an item of `field`.
    pub fn whole(names: &[String], field: &str, errors: &mut PolicyErrors) -> Self {
        check(names, field, "write the whole name", |_, _| true, errors);
        Self { names: all_folded(names), beginnings: Vec::new() }
    }

    /// Returns whether the list is empty or one of its names matches.
    ///
    /// ```
    /// use hooks_core::PolicyErrors;
    /// use hooks_facts::names::NamePatterns;
    ///
    /// let mut errors = PolicyErrors::default();
    /// let every_agent = NamePatterns::whole(&[], "agents", &mut errors);
    /// assert!(every_agent.match_name("tester"));
    /// let lead = NamePatterns::whole(&["lead".to_owned()], "agents", &mut errors);
    /// assert!(lead.match_name("Lead") && !lead.match_name("tester"));
    /// ```
    pub fn match_name(&self, name: &str) -> bool {
        if self.names.is_empty() && self.beginnings.is_empty() {
            return true;
        }
        let name = folded(name);
        self.names.binary_search_by(|known| known.as_str().cmp(&name)).is_ok()
            || self.beginnings.iter().any(|beginning| name.starts_with(beginning.as_str()))
    }
}

/// Reports empty names, and those with a star at a position for which `is_wrong` holds.
fn check(
    names: &[String],
    field: &str,
    hint: &str,
    is_wrong: impl Fn(usize, usize) -> bool,
    errors: &mut PolicyErrors,
) {
    for (at, name) in names.iter().enumerate() {
        let star = name.find('*').is_some_and(|star| is_wrong(star, name.len()));
        if name.trim().is_empty() || star {
            errors.push(format!("{field}[{at}]"), format!("`{name}` is not a name"), hint);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_neither_case_nor_space_around() {
        for (one, other) in [("Backend", " backend\t"), ("ÄRGER", "ärger"), ("ΟΔΟΣ", "οδοσ"), ("", "  ")]
        {
            assert_eq!(folded(one), folded(other));
        }
        assert_ne!(folded("back end"), folded("backend"));
        assert_eq!(all_folded(&["b".to_owned(), " A".to_owned(), "B ".to_owned()]), ["a", "b"]);
    }
}
