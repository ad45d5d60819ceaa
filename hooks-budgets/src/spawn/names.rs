//! Lists of names in the configuration: without regard to case, `*` for any text.

use hooks_core::PolicyErrors;
use hooks_facts::names;

/// Compiled names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names(Vec<Vec<char>>);

impl Names {
    /// Compiles `names`; an empty one is reported as an item of `field`.
    pub(super) fn compile(names: &[String], field: &str, errors: &mut PolicyErrors) -> Self {
        for (index, name) in names.iter().enumerate() {
            if name.trim().is_empty() {
                errors.push(format!("{field}[{index}]"), "the name is empty", "write a name, or `*` for all");
            }
        }
        Self(names.iter().map(|name| folded(name)).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether one of the names matches `name`.
    pub(super) fn has(&self, name: &str) -> bool {
        let name = folded(name);
        self.0.iter().any(|pattern| matches(pattern, &name))
    }

    /// Returns whether the list is empty, or one of the names matches `name`.
    pub(super) fn covers(&self, name: Option<&str>) -> bool {
        self.is_empty() || name.is_some_and(|name| self.has(name))
    }
}

/// Returns a name in the form in which names are compared.
pub(super) fn folded(name: &str) -> Vec<char> {
    names::folded(name).chars().collect()
}

/// Returns whether `pattern` matches the whole of `name`. Takes at most as many steps as the product of their
/// lengths; the pattern is written by the operator.
fn matches(pattern: &[char], name: &[char]) -> bool {
    let (mut at, mut place) = (0, 0);
    // Position to return to if the text after the last star does not fit.
    let mut star: Option<(usize, usize)> = None;
    while let Some(letter) = name.get(place) {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at + 1, place));
                at += 1;
            }
            Some(wanted) if wanted == letter => (at, place) = (at + 1, place + 1),
            _ => match &mut star {
                Some((behind, from)) => {
                    *from += 1;
                    (at, place) = (*behind, *from);
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(at).all(|rest| *rest == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_text() {
        for (pattern, name, fits) in [
            ("Backend", " backend", true),
            ("back", "backend", false),
            ("*", "", true),
            ("sec*", "Security", true),
            ("*review*", "code-reviewer", true),
            ("a*b*c", "axxbyybc", true),
            ("a*b", "a", false),
            ("*b", "ab ", true),
            ("", "a", false),
        ] {
            let names = Names::compile(&[pattern.to_owned()], "x", &mut PolicyErrors::default());
            assert_eq!(names.has(name), fits, "{pattern} {name}");
        }
        assert!(Names::default().covers(None) && !Names::default().has("a"));
    }
}
