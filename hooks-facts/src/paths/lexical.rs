//! The normal form of a path as text: no `.`, no `..`, no empty component.

/// An absolute path as its components. Never asks the file system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Components<'a>(pub(super) Vec<&'a str>);

impl<'a> Components<'a> {
    /// The components of an absolute path, or of a relative one below `base`.
    pub(super) fn new(base: &Components<'a>, path: &'a str) -> Self {
        let mut components =
            if path.starts_with('/') || is_drive(path) { Self::default() } else { base.clone() };
        for component in path.split('/') {
            match component {
                "" | "." => {}
                ".." => {
                    // Above the file system's root, or a drive, is that root.
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

    /// What is left below `root`, where the path is below it.
    pub(super) fn below(&self, root: &[String], same: impl Fn(&str, &str) -> bool) -> Option<&[&'a str]> {
        let start = self.0.get(..root.len())?;
        let inside = start.iter().zip(root).all(|(a, b)| same(a, b));
        inside.then(|| self.0.get(root.len()..)).flatten()
    }
}

/// Whether a path begins with a drive letter.
pub(super) fn is_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [letter, b':', rest @ ..] if letter.is_ascii_alphabetic() && matches!(rest, [] | [b'/', ..]))
}

/// Whether a path is meant to be a directory by its form.
pub(super) fn is_directory_form(path: &str) -> bool {
    matches!(path.rsplit('/').next(), Some("" | "." | ".."))
}
