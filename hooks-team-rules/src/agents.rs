//! Names of agents as rules compare them.

use std::collections::BTreeMap;

use hooks_core::PolicyErrors;
use hooks_facts::names;
use hooks_team::Name;

/// Values by agent. A name matches without regard to case and space around it, and as the folder that the team keeps for
/// it: `Fact Checker` is `fact-checker`.
#[derive(Clone, Debug)]
pub(crate) struct ByAgent<T> {
    values: BTreeMap<String, T>,
    folders: BTreeMap<String, String>,
}

impl<T> Default for ByAgent<T> {
    fn default() -> Self {
        Self { values: BTreeMap::new(), folders: BTreeMap::new() }
    }
}

impl<T> ByAgent<T> {
    /// Adds a value. Returns false if the agent has one, which stays.
    pub(crate) fn insert(&mut self, agent: &str, value: T) -> bool {
        if self.get(agent).is_some() {
            return false;
        }
        let name = names::folded(agent).into_owned();
        if let Ok(folder) = Name::of_agent(agent) {
            self.folders.insert(folder.as_str().to_owned(), name.clone());
        }
        self.values.insert(name, value);
        true
    }

    /// Adds the values of a section, and reports empty names and names that are there twice as keys of `field`.
    pub(crate) fn compile<C>(
        section: &BTreeMap<String, C>,
        field: &str,
        errors: &mut PolicyErrors,
        mut compile: impl FnMut(&str, &C, &mut PolicyErrors) -> T,
    ) -> Self {
        let mut all = Self::default();
        for (agent, config) in section {
            let field = format!("{field}.{agent}");
            let value = compile(&field, config, errors);
            if agent.trim().is_empty() {
                errors.push(field, "the name is empty", "write the name of an agent");
            } else if !all.insert(agent, value) {
                errors.push(
                    field,
                    format!("`{agent}` is another spelling of an agent above"),
                    "join the two",
                );
            }
        }
        all
    }

    /// Returns the value of an agent.
    pub(crate) fn get(&self, agent: &str) -> Option<&T> {
        self.values.get(&*names::folded(agent)).or_else(|| {
            let folder = Name::of_agent(agent).ok()?;
            self.values.get(self.folders.get(folder.as_str())?)
        })
    }
}

/// Returns whether two names are one agent.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    if names::folded(one) == names::folded(other) {
        return true;
    }
    match (Name::of_agent(one), Name::of_agent(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// Returns whether a name matches a pattern: without regard to case, `*` for any text.
pub(crate) fn is_like(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return is_same(pattern, name) };
    let like = |name: &str| {
        let (first, rest) = (names::folded(first).into_owned(), names::folded(rest).into_owned());
        let Some(mut name) = name.strip_prefix(&*first) else { return false };
        let mut parts: Vec<&str> = rest.split('*').collect();
        let Some(last) = parts.pop() else { return true };
        for part in parts {
            let Some((_, behind)) = name.split_once(part) else { return false };
            name = behind;
        }
        name.ends_with(last)
    };
    like(&names::folded(name)) || Name::of_agent(name).is_ok_and(|folder| like(folder.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_have_one_value_in_every_spelling() {
        let mut all = ByAgent::default();
        assert!(all.insert("Fact Checker 🔎", 1) && all.insert("ada", 2));
        assert!(!all.insert("fact-checker", 3), "the first stays");
        for (name, wanted) in [
            ("fact checker 🔎", Some(1)),
            ("@Fact-Checker", Some(1)),
            (" ADA ", Some(2)),
            ("", None),
            ("../ada", None),
        ] {
            assert_eq!(all.get(name).copied(), wanted, "{name}");
        }
    }

    #[test]
    fn a_star_is_any_text() {
        for (pattern, name, wanted) in [
            ("*", "", true),
            ("review*", "Reviewer", true),
            ("*er", "Reviewer", true),
            ("r*w*r", "reviewer", true),
            ("a*a", "a", false),
            ("fact*", "Fact Checker", true),
            ("fact-*", "Fact Checker", true),
            ("Backend", " backend", true),
            ("back", "backend", false),
        ] {
            assert_eq!(is_like(pattern, name), wanted, "{pattern} {name}");
        }
    }
}
