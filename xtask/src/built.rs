//! Programs that two commands build for all steps of CI, found by cargo's messages: the test command, and one build for
//! speed.
//!
//! Cargo unites the features of all packages that a command selects, so every other selection would build most of the
//! workspace again.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::process::Program;

/// The programs and examples of the workspace, as the test command builds them.
#[derive(Debug)]
pub(crate) struct Built {
    programs: BTreeMap<String, String>,
    examples: BTreeMap<String, String>,
}

/// The part of a message of cargo that names a program.
#[derive(Debug, Deserialize)]
struct Artifact {
    target: Target,
    profile: Profile,
    executable: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Target {
    kind: Vec<String>,
    name: String,
}

#[derive(Debug, Deserialize)]
struct Profile {
    test: bool,
}

impl Built {
    /// Builds what the test command builds, once in a process. Takes a second if that command has run.
    ///
    /// # Errors
    /// Returns an error if the workspace does not build.
    pub(crate) fn for_tests() -> Result<&'static Self> {
        static BUILT: OnceLock<Built> = OnceLock::new();
        if let Some(built) = BUILT.get() {
            return Ok(built);
        }
        let arguments = ["test", "--quiet", "--workspace", "--no-run", "--message-format=json"];
        let built = Self::read(&Program::cargo(arguments).output()?);
        Ok(BUILT.get_or_init(|| built))
    }

    /// Builds for speed what CI runs so: the cases whose instructions are counted, and the storms, without the dependencies of
    /// anything else.
    ///
    /// # Errors
    /// Returns an error if a program does not build.
    pub(crate) fn for_speed() -> Result<Self> {
        let packages = ["--package", "benches", "--package", "proofs", "--no-default-features"];
        let programs = ["--bin", "counted", "--bin", "proofs"];
        let build = ["build", "--quiet", "--profile", "fast", "--message-format=json"];
        Ok(Self::read(&Program::cargo(build.into_iter().chain(packages).chain(programs)).output()?))
    }

    /// Builds `hooks` for speed.
    ///
    /// # Errors
    /// Returns an error if it does not build.
    pub(crate) fn hooks_for_speed() -> Result<Self> {
        let program = ["--package", "tower-hooks-cli", "--bin", "hooks"];
        let build = ["build", "--quiet", "--profile", "fast", "--message-format=json"];
        Ok(Self::read(&Program::cargo(build.into_iter().chain(program)).output()?))
    }

    fn read(messages: &str) -> Self {
        let mut built = Self { programs: BTreeMap::new(), examples: BTreeMap::new() };
        // Messages without a target are about the build, not about a result of it.
        for artifact in messages.lines().filter_map(|line| serde_json::from_str::<Artifact>(line).ok()) {
            let Some(path) = artifact.executable.filter(|_| !artifact.profile.test) else { continue };
            let is = |kind: &str| artifact.target.kind.iter().any(|it| it == kind);
            if is("bin") {
                built.programs.insert(artifact.target.name, path);
            } else if is("example") {
                built.examples.insert(artifact.target.name, path);
            }
        }
        built
    }

    /// The path of a program.
    ///
    /// # Errors
    /// Returns an error if the test command does not build it.
    pub(crate) fn program(&self, name: &str) -> Result<&str> {
        found(&self.programs, name)
    }

    /// The path of an example.
    ///
    /// # Errors
    /// Returns an error if the test command does not build it.
    pub(crate) fn example(&self, name: &str) -> Result<&str> {
        found(&self.examples, name)
    }
}

fn found<'a>(paths: &'a BTreeMap<String, String>, name: &str) -> Result<&'a str> {
    let path = paths.get(name).map(String::as_str);
    path.ok_or_else(|| Error::new(format!("the test command does not build `{name}`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_and_examples_are_told_from_tests() {
        let line = |kind: &str, name: &str, test: bool| {
            format!(
                r#"{{"reason":"compiler-artifact","target":{{"kind":["{kind}"],"name":"{name}"}},"profile":{{"test":{test}}},"executable":"/t/{name}"}}"#
            )
        };
        let lines = [
            line("bin", "hooks", false),
            line("bin", "proofs", true),
            line("example", "spawn", false),
            r#"{"reason":"build-finished","success":true}"#.to_owned(),
        ];
        let built = Built::read(&lines.join("\n"));
        assert_eq!(built.program("hooks").unwrap(), "/t/hooks");
        assert_eq!(built.example("spawn").unwrap(), "/t/spawn");
        assert!(built.program("proofs").is_err(), "a test of a program is not the program");
        assert!(built.example("hooks").is_err());
    }
}
