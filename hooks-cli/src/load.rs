//! Loads a configuration, or says everything that is wrong with it.

use std::fs;
use std::path::Path;

use hooks::config::{Config, ConfigReader, Profile};
use hooks::store::{Answering, Engine};

use crate::failure::{Failure, Status};
use crate::snippet;

/// The configuration at `path`, to be asked about: what is asked did not happen, and is not put on the record.
pub(crate) fn config(path: &Path, profile: Option<Profile>) -> Result<Config, Failure> {
    read(&reader(profile).recording_in_teams().recording_nothing(), path)
}

/// The configuration at `path`, which governs what is asked.
pub(crate) fn governing(path: &Path, profile: Option<Profile>) -> Result<Config, Failure> {
    read(&reader(profile).recording_in_teams(), path)
}

/// The configuration at `path`, to be tried out: what is counted ends with this process, unless the file says
/// otherwise.
pub(crate) fn on_trial(path: &Path) -> Result<Config, Failure> {
    read(&ConfigReader::default().answering(Answering::AtOnce).recording_nothing(), path)
}

fn read(reader: &ConfigReader, path: &Path) -> Result<Config, Failure> {
    // Told apart from what is wrong inside, which is a finding for `check`.
    if let Err(error) = fs::metadata(path) {
        return Err(Failure::said(format!("`{}` cannot be read: {error}", path.display())));
    }
    reader.read(path).map_err(|errors| match snippet::write(&mut anstream::stderr(), &errors) {
        Ok(()) => Failure::Shown(Status::Usage),
        Err(error) => error.into(),
    })
}

/// A reader for a profile that was asked for.
pub(crate) fn reader(profile: Option<Profile>) -> ConfigReader {
    // One thing after the other, and what was answered is done when the process ends. What was counted outlives it,
    // unless the file says otherwise.
    let reader = ConfigReader::default().answering(Answering::AtOnce).storing_in(Engine::File);
    match profile {
        Some(profile) => reader.profile(profile),
        None => reader,
    }
}
