//! Homes of users: `~` in a pattern stands for each of them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::profile::Profile;

/// Most homes in which patterns are looked up.
const MOST: usize = 10_000;

/// Homes of other users, and whether these are all.
#[derive(Debug)]
pub(super) struct OtherHomes {
    pub(super) homes: Vec<PathBuf>,
    pub(super) are_all: bool,
}

/// Looks for homes in the usual folders and in the list of users.
///
/// A home that this process may not enter belongs to another user, and the command may not enter it either.
pub(super) fn others(profile: &Profile) -> OtherHomes {
    let below = |folder: &str| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let named = users.lines().filter_map(home_of);
    let mut homes: Vec<PathBuf> =
        below("/home").chain(below("/Users")).chain([PathBuf::from("/root")]).chain(named).collect();
    homes.retain(|home| {
        Some(home) != profile.home.as_ref()
            && fs::symlink_metadata(home.join(".")).is_ok_and(|of| of.is_dir())
    });
    homes.sort();
    homes.dedup();
    let are_all = homes.len() <= MOST;
    homes.truncate(MOST);
    OtherHomes { homes, are_all }
}

/// The home of a user who can sign in, by a line of the list of users.
fn home_of(line: &str) -> Option<PathBuf> {
    let mut fields = line.split(':').skip(5);
    let (home, shell) = (fields.next()?, fields.next()?);
    let signs_in = !shell.ends_with("/nologin") && !shell.ends_with("/false") && !shell.ends_with("/sync");
    let is_home = home.starts_with('/') && Path::new(home).components().count() > 2;
    (signs_in && is_home).then(|| PathBuf::from(home))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn homes_of_users_who_sign_in() {
        assert_eq!(home_of("ada:x:1000:1000::/srv/people/ada:/bin/bash"), Some("/srv/people/ada".into()));
        for line in ["daemon:x:1:1::/usr/sbin:/usr/sbin/nologin", "x:x:2:2::/:/bin/sh", "broken"] {
            assert_eq!(home_of(line), None, "{line}");
        }
    }
}
