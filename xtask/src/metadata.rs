//! What cargo knows about the workspace: packages, features, examples, licences.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::process::Program;

/// The part of `cargo metadata` that the commands need.
#[derive(Debug, Deserialize)]
pub(crate) struct Metadata {
    /// Packages: of the workspace, or with all that they depend on.
    pub(crate) packages: Vec<Package>,
}

/// A package.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    /// Its name.
    pub(crate) name: String,
    /// Its version.
    pub(crate) version: String,
    /// Registries it may be published to: none, if it is for developers alone.
    publish: Option<Vec<String>>,
    /// Its licence, as an SPDX expression.
    pub(crate) license: Option<String>,
    /// The oldest Rust it promises to build with.
    pub(crate) rust_version: Option<String>,
    /// What it depends on directly.
    pub(crate) dependencies: Vec<Dependency>,
    /// Its features, and what they switch on.
    pub(crate) features: BTreeMap<String, Vec<String>>,
    /// What can be built of it.
    pub(crate) targets: Vec<Target>,
}

/// An edge to another package.
#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    /// The other package's name.
    pub(crate) name: String,
    /// What it is for: `dev`, `build`, or nothing special.
    pub(crate) kind: Option<String>,
}

/// Something that can be built.
#[derive(Debug, Deserialize)]
pub(crate) struct Target {
    /// Its name.
    pub(crate) name: String,
    /// What it is: `lib`, `bin`, `example`.
    pub(crate) kind: Vec<String>,
    /// Features without which it is not built.
    #[serde(default, rename = "required-features")]
    pub(crate) required_features: Vec<String>,
}

impl Package {
    /// Whether users can depend on it.
    pub(crate) fn is_published(&self) -> bool {
        self.publish.as_ref().is_none_or(|registries| !registries.is_empty())
    }

    /// Whether it is published and has an API.
    pub(crate) fn is_published_library(&self) -> bool {
        self.is_published() && self.targets.iter().any(|target| target.kind.iter().any(|kind| kind == "lib"))
    }
}

impl Metadata {
    /// The packages of the workspace.
    ///
    /// # Errors
    /// Cargo cannot tell.
    pub(crate) fn of_workspace() -> Result<Self> {
        Self::read(["metadata", "--format-version=1", "--no-deps"])
    }

    /// The packages of the workspace and all that they depend on.
    ///
    /// # Errors
    /// Cargo cannot tell.
    pub(crate) fn with_dependencies() -> Result<Self> {
        Self::read(["metadata", "--format-version=1", "--all-features"])
    }

    fn read<const N: usize>(arguments: [&str; N]) -> Result<Self> {
        let printed = Program::cargo(arguments).output()?;
        serde_json::from_str(&printed).map_err(|cause| Error::doing("`cargo metadata`", cause))
    }
}
