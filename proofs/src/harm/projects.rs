//! `cargo xtask harm --projects`: the tests of three real projects, with and without the sandbox, under the first rules that `hooks init`
//! writes. Their results have to be the same.
//!
//! Sources and what they need come from the registries before, as on the machine of any developer; then the tests find both in the
//! caches of the user.

use std::fs;
use std::path::{Path, PathBuf};

use super::world::{RULES, command, environment, failed};
use crate::error::{Error, Result};

/// A project of a registry.
struct Project {
    name: &'static str,
    needs: &'static str,
    /// Brings the sources into the folder `repo`, and what they need into the caches.
    prepare: &'static str,
    test: &'static str,
    /// Beginnings of the lines with the results, and the words before what differs in each run.
    results: [&'static str; 2],
    varies: &'static str,
}

const PROJECTS: [Project; 3] = [
    Project {
        name: "`cargo test` of semver",
        needs: "cargo",
        prepare: "mkdir -p ../get/src && cd ../get && echo '[package]\nname = \"get\"\nedition = \"2021\"\n[dependencies]\nsemver = \"1\"' > Cargo.toml \
            && touch src/lib.rs && cargo -q fetch && cp -r ~/.cargo/registry/src/*/semver-1*/. ../repo && cd ../repo && cargo -q fetch",
        test: "cargo test 2>&1",
        results: ["test result:", "test result:"],
        varies: " finished in",
    },
    Project {
        name: "`npm ci && npm test` of duplexify",
        needs: "npm",
        prepare: "cd .. && npm pack --silent duplexify@4 && tar xzf duplexify-*.tgz && cp -r package/. repo && cd repo && npm install --silent \
            && rm -rf node_modules",
        test: "npm ci && npm test 2>&1",
        results: ["# tests", "# pass"],
        varies: "\n",
    },
    Project {
        name: "`pytest` of packaging",
        needs: "python3",
        prepare: "cd .. && python3 -m pip -q download --no-deps --no-binary :all: packaging && tar xzf packaging-*.tar.gz \
            && cp -r packaging-*/. repo && cd repo && python3 -m venv .venv && .venv/bin/pip -q install . pytest pretend tomli_w hypothesis",
        test: ".venv/bin/python -m pytest -q -p no:cacheprovider > build-results 2>&1; status=$?; tail -n 1 build-results; exit $status",
        results: ["", ""],
        varies: " in ",
    },
];

/// Runs the tests of all projects.
///
/// # Errors
/// Returns an error if a project cannot be fetched, its tests fail, or their results differ in the sandbox.
pub(super) fn run(hooks: &Path) -> Result {
    let mut wrong = Vec::new();
    for project in &PROJECTS {
        let folder =
            tempfile::Builder::new().prefix("hooks-projects-").tempdir_in("/var/tmp").map_err(failed)?;
        let repository = folder.path().join("home/repo");
        fs::create_dir_all(&repository).map_err(failed)?;
        let place = Checkout { folder: folder.path(), hooks };
        if !place.shell(&format!("command -v {}", project.needs), None)?.1 {
            wrong.push(format!("{}: `{}` is not installed", project.name, project.needs));
            continue;
        }
        let (why, is_there) = place.shell(&format!("git init -q && {}", project.prepare), None)?;
        if !is_there {
            return Err(Error::new(format!("{} cannot be fetched: {why}", project.name)));
        }
        fs::write(repository.join("hooks.yaml"), RULES).map_err(failed)?;
        // Each run begins with the same files, and builds everything.
        let (why, is_copied) = place.shell("cp -a . ../again", None)?;
        if !is_copied {
            return Err(Error::new(format!("{} cannot be copied: {why}", project.name)));
        }
        let bare = place.shell(project.test, None)?;
        let (why, is_anew) = place.shell("cd .. && rm -rf repo && mv again repo", None)?;
        if !is_anew {
            return Err(Error::new(format!("{} cannot be restored: {why}", project.name)));
        }
        let held = place.shell(project.test, Some("hooks.yaml"))?;
        let [bare_results, held_results] = [&bare, &held].map(|(output, _)| project.results(output));
        let is_same = bare.1 && held.1 && !bare_results.is_empty() && bare_results == held_results;
        println!("{}: {}", project.name, held_results.join("; "));
        if !is_same {
            wrong.push(format!(
                "{} differs\n  without: {}\n  in the sandbox: {}",
                project.name, bare.0, held.0
            ));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(Error::new(wrong.join("\n"))) }
}

impl Project {
    /// The lines of an output with results, without what differs in each run.
    fn results(&self, output: &str) -> Vec<String> {
        let is_result = |line: &&str| self.results.iter().any(|beginning| line.starts_with(beginning));
        let lines = output.lines().filter(|line| !line.is_empty()).filter(is_result);
        lines
            .map(|line| {
                line.split(self.varies).next().unwrap_or(line).trim_end_matches([';', ' ']).to_owned()
            })
            .collect()
    }
}

/// A throw-away home with a repository.
struct Checkout<'p> {
    folder: &'p Path,
    hooks: &'p Path,
}

impl Checkout<'_> {
    /// Runs a script in the repository, under rules in the sandbox; returns its output, and whether it succeeded.
    fn shell(&self, script: &str, rules: Option<&str>) -> Result<(String, bool)> {
        let program = if rules.is_some() { self.hooks.to_path_buf() } else { PathBuf::from("sh") };
        let mut shell = command(program, None);
        if let Some(rules) = rules {
            shell.args(["exec", "--config", rules, "--", "sh"]);
        }
        shell.args(["-c", script]);
        environment(&mut shell, self.folder);
        let done = shell.output().map_err(failed)?;
        let text = String::from_utf8_lossy(&done.stdout) + String::from_utf8_lossy(&done.stderr);
        Ok((text.into_owned(), done.status.success()))
    }
}
