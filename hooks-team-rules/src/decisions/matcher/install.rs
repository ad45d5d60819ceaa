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
        let given = names
            .into_iter()
            .flat_map(|name| name.split(','))
            .map(bare)
            .filter(|name| !name.starts_with("./") && !name.starts_with('/'));
        given.map(str::to_owned).find(|name| self.forbids(name))
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
