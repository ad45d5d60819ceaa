//! Packages and images that a program installs.

use super::super::change::Run;
use super::super::manifest::bare;
use super::super::tables;
use super::Matcher;

impl Matcher {
    /// Returns a forbidden package that a program installs.
    pub(super) fn installed(&self, run: &Run) -> Option<String> {
        if self.libraries.is_empty() && self.images.is_empty() && self.imports.is_empty() {
            return None;
        }
        let installer = tables::installer(&run.program)?;
        let is_docker = ["docker", "podman", "nerdctl", "kubectl"].contains(&run.program.as_str());
        if is_docker {
            let image = image_of(run, installer.verbs)?;
            return self.forbids_image(&image).then_some(image);
        }
        let words: Vec<&str> =
            run.words.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
        let names: Vec<&str> = if installer.verbs.contains(&"*") {
            words.first().copied().into_iter().collect()
        } else {
            let all: Vec<&str> = run.words.iter().map(String::as_str).collect();
            installer.verbs.iter().filter_map(|verb| after(&words, &all, verb)).max_by_key(Vec::len)?
        };
        for name in names.into_iter().flat_map(|name| name.split(',')) {
            if let Some(package) = sources(name).map(bare).find(|package| self.forbids_source(package)) {
                return Some(package.to_owned());
            }
            let is_open = run.open.iter().any(|open| open == name) && bare(name) == name.trim();
            if is_open && self.may_forbid(name) {
                return Some(format!("{name}…"));
            }
        }
        None
    }

    /// Returns the image of a container program if a pattern of images forbids it: `docker run x:latest`.
    pub(super) fn patterned_image(&self, run: &Run) -> Option<String> {
        let is_docker = ["docker", "podman", "nerdctl", "kubectl"].contains(&run.program.as_str());
        let installer = tables::installer(&run.program).filter(|_| is_docker)?;
        let image = image_of(run, installer.verbs)?;
        self.content.iter().any(|(_, pattern)| pattern.is_of_image(&image)).then_some(image)
    }

    fn forbids_source(&self, package: &str) -> bool {
        !package.starts_with("./") && !package.starts_with('/') && self.forbids(package)
    }

    /// Whether a package with this beginning may be forbidden: the rest is not known before running (law 4).
    fn may_forbid(&self, beginning: &str) -> bool {
        let allows = !self.allowed_words.is_empty() && self.libraries.is_empty();
        !allows && (beginning.is_empty() || self.libraries.iter().any(|library| library.may_be(beginning)))
    }
}

/// Returns the words after `verb`, which are the names of packages and the values of options.
pub(super) fn after<'w>(words: &[&'w str], all: &[&'w str], verb: &str) -> Option<Vec<&'w str>> {
    let wanted: Vec<&str> = verb.split(' ').collect();
    if verb.starts_with('-') {
        let at = all.iter().position(|word| *word == verb)?;
        return Some(all.get(at + 1..)?.to_vec());
    }
    let at = words.windows(wanted.len()).position(|window| window == wanted.as_slice())?;
    Some(words.get(at + wanted.len()..)?.to_vec())
}

/// Returns the image that a container program pulls or runs.
pub(super) fn image_of(run: &Run, verbs: &[&str]) -> Option<String> {
    const PLAIN: &[&str] = &[
        "-d",
        "-i",
        "-t",
        "-it",
        "-ti",
        "-dit",
        "-itd",
        "--rm",
        "--detach",
        "--init",
        "--privileged",
        "-q",
        "--quiet",
        "-P",
        "--interactive",
        "--tty",
    ];
    if let Some(image) = run.words.iter().find_map(|word| word.strip_prefix("--image=")) {
        return Some(image.to_owned());
    }
    let mut words = run.words.iter();
    words.find(|word| verbs.iter().any(|verb| verb.split(' ').next_back() == Some(word.as_str())))?;
    while let Some(word) = words.next() {
        if !word.starts_with('-') {
            return Some(word.clone());
        }
        if !word.contains('=') && !PLAIN.contains(&word.as_str()) {
            words.next();
        }
    }
    None
}

/// Returns the names under which a word of an installer may name a package: an alias has one behind `npm:`, and an
/// address ends with it.
fn sources(word: &str) -> impl Iterator<Item = &str> {
    let alias = word.split_once("@npm:").map(|(_, package)| package);
    let address = word.split_once("://").map(|(_, rest)| rest);
    let address = address.or_else(|| word.strip_prefix("github:")).map(|rest| rest.trim_end_matches(".git"));
    std::iter::once(word).chain(alias).chain(address)
}
