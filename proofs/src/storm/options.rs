//! Options of the command line.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::params::Params;
use super::policy::{CONTENDERS, Contender, NAIVE, Role};
use crate::error::{Error, Result};
use crate::workspace;

/// Folder of the storms that run if no file is named.
const FOLDER: &str = "storms";

/// The arguments.
#[derive(Debug, Default)]
pub(super) struct Options {
    files: Vec<PathBuf>,
    policies: Vec<String>,
    seed: Option<u64>,
    pub(super) is_short: bool,
    pub(super) svg: Option<PathBuf>,
    pub(super) json: bool,
    /// Many seeds, and a table of the worst of each storm.
    pub(super) is_nightly: bool,
    /// Seeds instead of those of every night, for choosing settings.
    pub(super) seeds: Option<RangeInclusive<u64>>,
}

impl Options {
    /// Reads the arguments.
    ///
    /// # Errors
    /// Returns an error if an argument is unknown, its value is missing or invalid, or `--seeds` stands
    /// without `--nightly`.
    pub(super) fn parse(arguments: &[&str]) -> Result<Self> {
        let mut options = Self::default();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value =
                || arguments.next().ok_or_else(|| Error::new(format!("`{argument}` needs a value")));
            match *argument {
                "--params" => options.files.push(PathBuf::from(value()?)),
                "--policy" => options.policies.push((*value()?).to_owned()),
                "--svg" => options.svg = Some(PathBuf::from(value()?)),
                "--seed" => {
                    let text = value()?;
                    let seed = text.parse().map_err(|cause| Error::doing(format!("`{text}`"), cause))?;
                    options.seed = Some(seed);
                }
                "--seeds" => options.seeds = Some(seeds(value()?)?),
                "--json" => options.json = true,
                "--short" => options.is_short = true,
                "--nightly" => options.is_nightly = true,
                other => return Err(Error::new(format!("unknown option `{other}`; see `cargo xtask help`"))),
            }
        }
        if options.seeds.is_some() && !options.is_nightly {
            return Err(Error::new("`--seeds` is for `--nightly`; one seed is given by `--seed`"));
        }
        Ok(options)
    }

    /// Whether everything runs, so that everything is judged.
    pub(super) fn is_whole(&self) -> bool {
        self.files.is_empty() && self.policies.is_empty()
    }

    /// Whether these are the runs of every night: their table stands in the page.
    pub(super) fn is_every_night(&self) -> bool {
        self.is_whole() && self.seeds.is_none()
    }

    /// The storms to run: those that are named, or all there are.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or is invalid.
    pub(super) fn storms(&self) -> Result<Vec<Arc<Params>>> {
        let all;
        let files = if self.files.is_empty() {
            all = storm_files()?;
            &all
        } else {
            &self.files
        };
        let read = |path: &PathBuf| {
            let mut params = Params::read(path)?;
            params.seed = self.seed.unwrap_or(params.seed);
            if self.is_short {
                params.days = params.short_days;
            }
            Ok(Arc::new(params))
        };
        files.iter().map(read).collect()
    }

    /// The policies to compare: those that are named, or all there are.
    ///
    /// # Errors
    /// Returns an error if a policy is unknown.
    pub(super) fn contenders(&self) -> Result<Vec<&'static Contender>> {
        if self.policies.is_empty() {
            // Common policies have no gates to hold, so a short run leaves them out; it keeps the three naive
            // tries, because ours is compared with them.
            let is_judged = |it: &&Contender| !self.is_short || it.role != Role::Common || it.key == NAIVE;
            return Ok(CONTENDERS.iter().filter(is_judged).collect());
        }
        self.policies.iter().map(|key| Contender::find(key)).collect()
    }
}

/// A range of seeds, such as `1-20`.
fn seeds(text: &str) -> Result<RangeInclusive<u64>> {
    let ends = text.split_once('-').map(|(first, last)| (first.parse(), last.parse()));
    match ends {
        Some((Ok(first), Ok(last))) if first <= last => Ok(first..=last),
        _ => Err(Error::new(format!("`{text}` is not a range of seeds; give one such as `1-20`"))),
    }
}

fn storm_files() -> Result<Vec<PathBuf>> {
    let is_storm =
        |path: &Path| path.starts_with(FOLDER) && path.extension().is_some_and(|end| end == "json");
    let mut files: Vec<PathBuf> = workspace::files()?.into_iter().filter(|path| is_storm(path)).collect();
    files.sort();
    Ok(files)
}
