//! Cargo's metadata of the workspace: packages, features, examples, licences.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::process::Program;

/// The part of `cargo metadata` that the commands need.
#[derive(Debug, Deserialize)]
pub(crate) struct Metadata {
    /// Packages of the workspace, or these with all their dependencies.
    pub(crate) packages: Vec<Package>,
    /// The table `[workspace.metadata]`.
    #[serde(default)]
    pub(crate) metadata: Option<Custom>,
}

/// Metadata of the workspace for its own commands.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Custom {
    /// The commit that the public API is compared with as long as there is no release.
    #[serde(default, rename = "semver-baseline")]
    pub(crate) semver_baseline: Option<String>,
}

/// A package.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    /// Name of the package.
    pub(crate) name: String,
    /// Path of its manifest.
    manifest_path: String,
    /// Version of the package.
    pub(crate) version: String,
    /// Registries it may be published to; an empty list means a package for developers alone.
    publish: Option<Vec<String>>,
    /// Licence, as an SPDX expression.
    pub(crate) license: Option<String>,
    /// Oldest Rust version that the package supports.
    pub(crate) rust_version: Option<String>,
    /// Direct dependencies.
    pub(crate) dependencies: Vec<Dependency>,
    /// Features, each with those that it enables.
    pub(crate) features: BTreeMap<String, Vec<String>>,
    /// Build targets.
    pub(crate) targets: Vec<Target>,
}

/// A dependency on another package.
#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    /// Name of the other package.
    pub(crate) name: String,
    /// Kind: `dev` or `build`; `None` for a normal dependency.
    pub(crate) kind: Option<String>,
}

/// A build target.
#[derive(Debug, Deserialize)]
pub(crate) struct Target {
    /// Name of the target.
    pub(crate) name: String,
    /// Kinds: `lib`, `bin`, `example`.
    pub(crate) kind: Vec<String>,
}

impl Package {
    /// Whether users can depend on the package.
    pub(crate) fn is_published(&self) -> bool {
        self.publish.as_ref().is_none_or(|registries| !registries.is_empty())
    }

    /// The name of its folder.
    pub(crate) fn folder(&self) -> &str {
        let folder = Path::new(&self.manifest_path).parent().and_then(Path::file_name);
        folder.and_then(|name| name.to_str()).unwrap_or_default()
    }

    /// Whether the package is published and has an API.
    pub(crate) fn is_published_library(&self) -> bool {
        self.is_published() && self.targets.iter().any(|target| target.kind.iter().any(|kind| kind == "lib"))
    }
}

impl Metadata {
    /// The packages of the workspace.
    ///
    /// # Errors
    /// Returns an error if `cargo metadata` fails or its output cannot be parsed.
    pub(crate) fn of_workspace() -> Result<Self> {
        Self::read(["metadata", "--format-version=1", "--no-deps"])
    }

    /// The packages of the workspace and all their dependencies.
    ///
    /// # Errors
    /// Returns an error if `cargo metadata` fails or its output cannot be parsed.
    pub(crate) fn with_dependencies() -> Result<Self> {
        Self::read(["metadata", "--format-version=1", "--all-features"])
    }

    fn read<const N: usize>(arguments: [&str; N]) -> Result<Self> {
        let printed = Program::cargo(arguments).output()?;
        serde_json::from_str(&printed).map_err(|cause| Error::doing("`cargo metadata`", cause))
    }
}
