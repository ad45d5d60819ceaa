//! Licences of all that we depend on. `deny.toml` says the same to cargo-deny, for those who have it.

use crate::error::Result;
use crate::metadata::Metadata;
use crate::workspace;

/// Packages with a licence that `deny.toml` does not allow.
///
/// # Errors
/// Cargo or `deny.toml` cannot be read.
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

/// Whether one alternative of an SPDX expression is allowed in all its parts. Read from left to right with
/// `OR` weaker than `AND`, and with parentheses only around alternatives that all are allowed or all are not,
/// as they occur; what is read wrongly is refused and looked at by a person.
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
