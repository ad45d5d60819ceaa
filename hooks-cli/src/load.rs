//! Loads a configuration, or says everything that is wrong with it.

use std::fs;
use std::path::Path;

use hooks::config::{Config, ConfigReader, Profile};
use hooks::store::Answering;

use crate::failure::{Failure, Status};
use crate::snippet;

/// The configuration at `path`.
pub(crate) fn config(path: &Path, profile: Option<Profile>) -> Result<Config, Failure> {
    // Told apart from what is wrong inside, which is a finding for `check`.
    if let Err(error) = fs::metadata(path) {
        return Err(Failure::said(format!("`{}` cannot be read: {error}", path.display())));
    }
    reader(profile).read(path).map_err(|errors| match snippet::write(&mut anstream::stderr(), &errors) {
        Ok(()) => Failure::Shown(Status::Usage),
        Err(error) => error.into(),
    })
}

/// A reader for a profile that was asked for.
pub(crate) fn reader(profile: Option<Profile>) -> ConfigReader {
    // One thing after the other, and what was answered is done when the process ends.
    let reader = ConfigReader::default().answering(Answering::AtOnce);
    match profile {
        Some(profile) => reader.profile(profile),
        None => reader,
    }
}
