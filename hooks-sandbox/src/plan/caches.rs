//! Caches that are missing before a command: a folder that does not exist cannot be opened for writing.

use std::fs;
use std::io;
use std::path::Path;

use crate::profile::{Places, made_caches};

/// Makes the usual caches of the installed programs, where they are missing. One that cannot be made stays closed. They stay after the
/// command, as another one may use them by then.
///
/// ```
/// use hooks_sandbox::{Places, make_caches};
///
/// let home = tempfile::tempdir()?;
/// let places = Places { home: Some(home.path().to_path_buf()), ..Places::default() };
/// make_caches(&places, |program| program == "npm");
/// assert!(home.path().join(".npm").is_dir() && !home.path().join("go").exists());
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn make_caches(places: &Places, is_installed: impl Fn(&str) -> bool) {
    // A home that does not exist is not made.
    if !places.home.as_ref().is_some_and(|home| home.is_dir()) {
        return;
    }
    for (cache, program) in made_caches(places) {
        if fs::symlink_metadata(&cache).is_err() && is_installed(program) {
            // The command reports what it cannot write.
            drop(make(&cache));
        }
    }
}

/// Makes a folder and those above it, for this user alone, as the base directory specification of freedesktop.org has it.
fn make(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_caches_of_installed_programs_are_made_and_nothing_else() {
        let home = tempfile::tempdir().unwrap();
        let places = Places { home: Some(home.path().to_path_buf()), ..Places::default() };
        fs::write(home.path().join(".npm"), "a file").unwrap();
        make_caches(&places, |program| ["go", "npm"].contains(&program));
        make_caches(&places, |program| ["go", "npm"].contains(&program));
        assert_eq!(fs::read_to_string(home.path().join(".npm")).unwrap(), "a file");
        let made: Vec<_> =
            fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(made.len() == 2 && home.path().join("go/pkg").is_dir(), "{made:?}");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let rights = fs::metadata(home.path().join("go")).unwrap().permissions().mode();
            assert_eq!(rights & 0o777, 0o700);
        }
        let nowhere = home.path().join("nowhere");
        make_caches(&Places { home: Some(nowhere.clone()), ..Places::default() }, |_| true);
        assert!(!nowhere.exists());
    }
}
