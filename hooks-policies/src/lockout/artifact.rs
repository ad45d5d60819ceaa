//! Names of artifacts: each artifact has one name in locking, clearing and judging, whatever its spelling.

use std::borrow::Cow;
use std::fmt;

use crate::artifacts::folded;

/// Error in the name of an artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArtifactError {
    /// Name as it was given.
    pub name: String,
    /// Description of the error.
    pub problem: String,
    /// Advice on how to correct it.
    pub hint: String,
}

impl fmt::Display for ArtifactError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, problem, hint } = self;
        write!(f, "`{name}` names no artifact: {problem}; {hint}")
    }
}

impl std::error::Error for ArtifactError {}

/// Returns the normal form of an artifact's name: `./src//auth.rs` and `src\auth.rs` are `src/auth.rs`.
///
/// # Errors
/// Returns an error if the name has control characters, starts with `~`, has a part `..`, or names only the
/// root. A lockout under such a name would lock everything or nothing.
///
/// ```
/// use hooks_policies::artifact_name;
///
/// assert_eq!(artifact_name("./src//auth.rs").as_deref(), Ok("src/auth.rs"));
/// let error = artifact_name("../other/main.rs").expect_err("it is outside of the root");
/// assert_eq!(
///     error.to_string(),
///     "`../other/main.rs` names no artifact: it goes up by `..`; write the path from the root, or from the top",
/// );
/// ```
pub fn artifact_name(name: &str) -> Result<String, ArtifactError> {
    let refused = |problem: &str, hint: &str| {
        let (name, problem, hint) = (name.to_owned(), problem.to_owned(), hint.to_owned());
        Err(ArtifactError { name, problem, hint })
    };
    let slashed = name.trim().replace('\\', "/");
    if slashed.chars().any(char::is_control) {
        return refused("there are control characters in it", "write the path as it is");
    }
    if slashed.starts_with('~') {
        return refused(
            "the owner of the folder `~` is unknown",
            "write the path from the top, such as `/home/me/x`",
        );
    }
    let parts: Vec<_> = slashed.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    if parts.contains(&"..") {
        return refused("it goes up by `..`", "write the path from the root, or from the top");
    }
    if parts.is_empty() {
        return refused("it is the root itself", "write `**` to lock everything");
    }
    let top = if slashed.starts_with('/') { "/" } else { "" };
    Ok(format!("{top}{}", parts.join("/")))
}

/// Returns whether two names stand for the same artifact, without regard to case.
///
/// ```
/// use hooks_policies::is_same_artifact;
///
/// assert!(is_same_artifact("src\\Auth.rs", "./src/auth.rs"));
/// assert!(!is_same_artifact("/src/auth.rs", "src/auth.rs"));
/// ```
pub fn is_same_artifact(one: &str, other: &str) -> bool {
    compared(one) == compared(other)
}

/// Returns a name in the form in which names are compared; one that is invalid, unchanged.
fn compared(name: &str) -> Cow<'_, str> {
    match artifact_name(name) {
        Ok(name) => Cow::Owned(folded(&name).into_owned()),
        Err(_) => folded(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_artifact_has_one_name() {
        for name in ["src/auth.rs", "./src/auth.rs", " src//./auth.rs/ ", "src\\auth.rs", ".\\src\\auth.rs"] {
            assert_eq!(artifact_name(name).as_deref(), Ok("src/auth.rs"), "{name}");
        }
        assert_eq!(artifact_name("/a//b/").as_deref(), Ok("/a/b"));
        assert_eq!(artifact_name("**").as_deref(), Ok("**"));
        assert!(
            is_same_artifact("./SRC/Auth.rs", "src/auth.rs")
                && !is_same_artifact("/src/auth.rs", "src/auth.rs")
        );
    }

    #[test]
    fn what_cannot_be_told_is_no_artifact() {
        for name in
            ["", " ", ".", "./", "/", "../up", "a/../b", "a/..", "~", "~/x", "~root/x", "a\nb", "\u{0}"]
        {
            let error = artifact_name(name).unwrap_err();
            assert!(!error.problem.is_empty() && !error.hint.is_empty(), "{name}");
        }
        assert!(artifact_name("src/..rs").is_ok() && artifact_name("src/a~").is_ok());
    }
}
