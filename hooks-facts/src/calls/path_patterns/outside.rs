//! Readings of a place from the top of the file system, and from the homes of users.

use super::super::call::Call;
use super::super::places::NamedPath;

/// A reading outside of the root, or of any file as seen from outside.
pub(super) enum Outside {
    /// From the top of the file system, without the first slash.
    Top(String),
    /// From the home of a user.
    Home(String),
}

/// Returns the readings of a place from the top and from the home folders that it is in.
pub(super) fn each_outside<'a>(call: Call<'a>, place: &'a NamedPath) -> impl Iterator<Item = Outside> + 'a {
    let readings = place.from_top(call).unwrap_or_default();
    readings.iter().flat_map(move |reading| {
        let below = below_home(call, reading).map(|below| Outside::Home(below.to_owned()));
        std::iter::once(Outside::Top(reading.trim_start_matches('/').to_owned())).chain(below)
    })
}

/// Returns the part of a reading below the home of a user: the one of this process, or one where systems have them.
pub(super) fn below_home<'t>(call: Call<'_>, reading: &'t str) -> Option<&'t str> {
    let reading = reading.trim_start_matches('/');
    let own = call.request().context().environment.home.as_deref().map(|home| home.trim_matches('/'));
    let below = |home: &str| {
        let rest = reading.strip_prefix(home)?;
        if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
    };
    if let Some(rest) = own.filter(|home| !home.is_empty()).and_then(below) {
        return Some(rest);
    }
    if let Some(rest) = below("root").or_else(|| below("var/root")) {
        return Some(rest);
    }
    let rest =
        ["home/", "Users/", "users/", "export/home/"].iter().find_map(|folder| reading.strip_prefix(folder));
    let drive = || reading.get(1..)?.strip_prefix(":/")?.strip_prefix("Users/");
    let user = rest.or_else(drive)?;
    Some(user.split_once('/').map_or("", |(_, rest)| rest)).filter(|_| !user.is_empty())
}

/// Returns the part of a reading below the home of the user of this process.
pub(super) fn below_own_home<'t>(call: Call<'_>, reading: &'t str) -> Option<&'t str> {
    let home = call.request().context().environment.home.as_deref()?.trim_matches('/');
    reading.trim_start_matches('/').strip_prefix(home)?.strip_prefix('/')
}

/// Returns whether a folder contains the home of the user, or the homes of all users.
pub(super) fn is_above_a_home(call: Call<'_>, reading: &str) -> bool {
    let folder = reading.trim_matches('/');
    let own = call.request().context().environment.home.as_deref().map(|home| home.trim_matches('/'));
    let holds = |home: &str| {
        let rest = home.strip_prefix(folder);
        folder.is_empty() || rest.is_some_and(|rest| rest.starts_with('/'))
    };
    own.is_some_and(holds) || matches!(folder, "" | "home" | "Users")
}
