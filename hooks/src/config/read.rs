//! From a file to a configuration.

use std::io;
use std::path::Path;

use hooks_policies::config::PolicyConfig;
use hooks_policies::squad::SquadPolicy;

use super::document::{self, Document, Profile};
use super::error::{ConfigErrors, Mistakes, Place};
use super::tree::Kind;
use super::{protect, source, squad, yaml};

/// A configuration that was read and makes sense.
#[derive(Clone, Debug)]
pub struct Config {
    name: String,
    settings: Settings,
}

/// What the profiles are configured by.
#[derive(Clone, Debug)]
enum Settings {
    Strict(PolicyConfig),
    /// The policy, and what is protected beside it.
    SquadCompat(SquadPolicy, PolicyConfig),
}

impl Config {
    /// Reads the file at `path`; unless it says otherwise, it protects itself.
    ///
    /// # Errors
    /// Everything that is wrong with the file.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, ConfigErrors> {
        Self::read_as(path, None)
    }

    /// The same, under a profile of the caller's choice, whatever the file says.
    ///
    /// # Errors
    /// Everything that is wrong with the file.
    pub fn read_as(path: impl AsRef<Path>, profile: Option<Profile>) -> Result<Self, ConfigErrors> {
        let path = path.as_ref();
        let name = path.to_string_lossy();
        match source::read(path) {
            Ok(bytes) => from_bytes(&bytes, &name, Some(path), profile),
            Err(error) => Err(unreadable(&name, &error)),
        }
    }

    /// Reads `text`; `name` stands for it in reports, and its extension tells a program from a policy.
    ///
    /// # Errors
    /// Everything that is wrong with the text.
    pub fn parse(text: &str, name: &str) -> Result<Self, ConfigErrors> {
        Self::parse_as(text, name, None)
    }

    /// The same, under a profile of the caller's choice, whatever the text says.
    ///
    /// # Errors
    /// Everything that is wrong with the text.
    pub fn parse_as(text: &str, name: &str, profile: Option<Profile>) -> Result<Self, ConfigErrors> {
        from_bytes(text.as_bytes(), name, None, profile)
    }

    /// The name it was read under.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Which engine judges.
    pub const fn profile(&self) -> Profile {
        match self.settings {
            Settings::Strict(_) => Profile::Strict,
            Settings::SquadCompat(..) => Profile::SquadCompat,
        }
    }

    /// The strict policies' configuration; under `squad-compat`, what is protected beside Squad's policies.
    pub const fn policy(&self) -> &PolicyConfig {
        match &self.settings {
            Settings::Strict(policy) | Settings::SquadCompat(_, policy) => policy,
        }
    }
}

fn from_bytes(
    bytes: &[u8],
    name: &str,
    path: Option<&Path>,
    profile: Option<Profile>,
) -> Result<Config, ConfigErrors> {
    let mut mistakes = Mistakes::default();
    let Some(text) = source::decode(bytes, name, &mut mistakes) else {
        let shown = String::from_utf8_lossy(bytes);
        return Err(ConfigErrors::new(name, &shown, mistakes.into_errors()));
    };
    let settings = from_text(text, path, profile, &mut mistakes);
    match settings {
        Some(settings) if mistakes.is_empty() => Ok(Config { name: name.to_owned(), settings }),
        _ => Err(ConfigErrors::new(name, text, mistakes.into_errors())),
    }
}

fn from_text(
    text: &str,
    path: Option<&Path>,
    profile: Option<Profile>,
    mistakes: &mut Mistakes,
) -> Option<Settings> {
    let root = match yaml::parse(text, mistakes) {
        Some(root) if !matches!(root.kind, Kind::Null) => root,
        _ => {
            if mistakes.is_empty() {
                mistakes.add_with_hint(&Place::START, "", "the file is empty", "begin with `version: 1`");
            }
            return None;
        }
    };
    let mut protected = path.map(protect::itself).unwrap_or_default();
    protected.extend(path.into_iter().flat_map(|_| protect::client_settings()));
    if squad::is_meant(&root) {
        let file = squad::read(&root, mistakes)?;
        let settings = match profile.or(file.profile).unwrap_or_default() {
            Profile::Strict => {
                Settings::Strict(PolicyConfig { protected, ..squad::into_strict(&file.policy) })
            }
            Profile::SquadCompat => {
                Settings::SquadCompat(file.policy, PolicyConfig { protected, ..PolicyConfig::default() })
            }
        };
        return Some(settings);
    }
    let Document { self_protection, mut policy } = document::read(&root, mistakes)?;
    if profile == Some(Profile::SquadCompat) {
        mistakes.add_with_hint(
            &Place::START,
            "",
            "`squad-compat` judges by Squad's own policies, and this is a `hooks.yaml`",
            "leave the profile out, or name a Squad policy",
        );
    }
    if self_protection {
        policy.protected.append(&mut protected);
    }
    Some(Settings::Strict(policy))
}

fn unreadable(name: &str, error: &io::Error) -> ConfigErrors {
    let mut mistakes = Mistakes::default();
    mistakes.add(&Place::START, "", format!("the file cannot be read: {error}"));
    ConfigErrors::new(name, "", mistakes.into_errors())
}
