//! What the command line asks for.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::params::Params;
use super::policy::{CONTENDERS, Contender, NAIVE, Role};
use crate::error::{Error, Result};
use crate::workspace;

/// Where the storms are that run when none is named.
const FOLDER: &str = "storms";

/// The arguments.
#[derive(Debug, Default)]
pub(super) struct Options {
    files: Vec<PathBuf>,
    policies: Vec<String>,
    seed: Option<u64>,
    is_short: bool,
    pub(super) svg: Option<PathBuf>,
    pub(super) json: bool,
    /// Many seeds, and a table of the worst of each storm.
    pub(super) is_nightly: bool,
}

impl Options {
    /// Reads the arguments.
    ///
    /// # Errors
    /// One is not known, or its value is missing or no number.
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
                "--json" => options.json = true,
                "--short" => options.is_short = true,
                "--nightly" => options.is_nightly = true,
                other => return Err(Error::new(format!("unknown option `{other}`; see `cargo xtask help`"))),
            }
        }
        Ok(options)
    }

    /// Whether everything runs, so that everything is judged.
    pub(super) fn is_whole(&self) -> bool {
        self.files.is_empty() && self.policies.is_empty()
    }

    /// The storms to run: those that are named, or all there are.
    ///
    /// # Errors
    /// A file cannot be read or makes no sense.
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
    /// One is not known.
    pub(super) fn contenders(&self) -> Result<Vec<&'static Contender>> {
        if self.policies.is_empty() {
            // Of what is commonly written nothing has to hold; three naive tries are what ours is compared with.
            let is_judged = |it: &&Contender| !self.is_short || it.role != Role::Common || it.key == NAIVE;
            return Ok(CONTENDERS.iter().filter(is_judged).collect());
        }
        let named = |key: &String| {
            CONTENDERS.iter().find(|contender| contender.key == key).ok_or_else(|| {
                let known: Vec<&str> = CONTENDERS.iter().map(|contender| contender.key).collect();
                Error::new(format!("unknown policy `{key}`; known are {}", known.join(", ")))
            })
        };
        self.policies.iter().map(named).collect()
    }
}

fn storm_files() -> Result<Vec<PathBuf>> {
    let is_storm =
        |path: &Path| path.starts_with(FOLDER) && path.extension().is_some_and(|end| end == "json");
    let mut files: Vec<PathBuf> = workspace::files()?.into_iter().filter(|path| is_storm(path)).collect();
    files.sort();
    Ok(files)
}
