//! Normal form of a path as text: no `.`, no `..`, no empty component.

/// Components of an absolute path. Does not use the file system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Components<'a>(pub(super) Vec<&'a str>);

impl<'a> Components<'a> {
    /// Returns the components of an absolute path, or of a relative one below `base`.
    pub(super) fn new(base: &Components<'a>, path: &'a str) -> Self {
        let mut components =
            if path.starts_with('/') || is_drive(path) { Self::default() } else { base.clone() };
        for component in path.split('/') {
            match component {
                "" | "." => {}
                ".." => {
                    // The parent of the file system's root, or of a drive, is itself.
                    let is_drive =
                        components.0.len() == 1 && components.0.first().is_some_and(|c| is_drive(c));
                    if !is_drive {
                        components.0.pop();
                    }
                }
                name => components.0.push(name),
            }
        }
        components
    }

    /// Returns the components below `root`, if the path is below it.
    pub(super) fn below(&self, root: &[String], same: impl Fn(&str, &str) -> bool) -> Option<&[&'a str]> {
        let start = self.0.get(..root.len())?;
        let inside = start.iter().zip(root).all(|(a, b)| same(a, b));
        inside.then(|| self.0.get(root.len()..)).flatten()
    }
}

/// Returns whether a path starts with a drive letter.
pub(super) fn is_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [letter, b':', rest @ ..] if letter.is_ascii_alphabetic() && matches!(rest, [] | [b'/', ..]))
}

/// Returns whether a path has the form of a directory.
pub(super) fn is_directory_form(path: &str) -> bool {
    matches!(path.rsplit('/').next(), Some("" | "." | ".."))
}
