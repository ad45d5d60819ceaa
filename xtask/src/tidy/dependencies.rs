//! Licences of all dependencies. `deny.toml` has the same list for cargo-deny, for developers who have it
//! installed.

use crate::error::Result;
use crate::metadata::Metadata;
use crate::workspace;

/// Packages with a licence that `deny.toml` does not allow.
///
/// # Errors
/// Returns an error if cargo's metadata or `deny.toml` cannot be read.
pub(super) fn check() -> Result<Vec<String>> {
    let allowed = allowed(&workspace::read("deny.toml")?);
    let mut found = Vec::new();
    for package in Metadata::with_dependencies()?.packages {
        let license = package.license.as_deref().unwrap_or_default();
        if !is_allowed(license, &allowed) {
            found.push(format!(
                "{} {}: the licence `{license}` is not in deny.toml",
                package.name, package.version
            ));
        }
    }
    Ok(found)
}

/// The names in the list `allow` of `deny.toml`.
fn allowed(text: &str) -> Vec<String> {
    let list = text.split_once("allow = [").and_then(|(_, rest)| rest.split_once(']'));
    let list = list.map_or("", |(list, _)| list);
    list.split(',')
        .map(|name| name.trim().trim_matches('"').to_owned())
        .filter(|name| !name.is_empty())
        .collect()
}

/// Whether one alternative of an SPDX expression is allowed in all its parts. The expression is read from
/// left to right, with `OR` weaker than `AND`. Parentheses are only read correctly around alternatives that
/// are all allowed or all not, as they occur. An expression that is read wrongly is refused, so that a
/// developer looks at it.
fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    let known = |name: &str| allowed.iter().any(|allowed| allowed == name.trim().trim_matches(['(', ')']));
    let expression = expression.replace('/', " OR ");
    expression.split(" OR ").any(|alternative| alternative.split(" AND ").all(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_alternative_is_enough() {
        let allowed = allowed("[licenses]\nallow = [\n  \"MIT\",\n  \"Unicode-3.0\",\n]\n");
        for license in ["MIT", "MIT/Apache-2.0", "GPL-3.0 OR MIT", "(MIT OR Apache-2.0) AND Unicode-3.0"] {
            assert!(is_allowed(license, &allowed), "{license}");
        }
        for license in ["", "GPL-3.0", "MIT AND GPL-3.0"] {
            assert!(!is_allowed(license, &allowed), "{license}");
        }
    }
}
