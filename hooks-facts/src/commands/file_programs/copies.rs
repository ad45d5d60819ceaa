//! Files written by copying, moving and linking: names in a folder, a given name, or everything that a folder
//! holds.

use super::{Changes, has, operands, value, wildcards};
use crate::commands::access::AccessKind;
use crate::commands::argument::Argument;
use crate::globs::Gap;

/// Copied, moved or linked file or folder.
enum Source {
    /// A file or folder with this name.
    Named(Argument),
    /// The contents of a folder: `a/.`.
    Contents,
}

impl Changes<'_> {
    /// `cp A… TO`, `mv A… TO`, `ln A… TO`, and each with `-t TO`.
    pub(super) fn copies(&mut self, name: &str, words: &[Argument]) {
        let mut sources = operands(words, short_values(name), LONG_VALUES);
        if name == "install" && has(words, 'd', "--directory") {
            return self.all(&sources, AccessKind::Changed);
        }
        let folder = target_folder(name, words);
        let target = match &folder {
            Some(folder) => folder.clone(),
            // A link with one operand gets the operand's name, in this folder.
            None if name == "ln" && sources.len() == 1 => Argument::from("."),
            None => match sources.pop() {
                Some(target) => target.clone(),
                None => return,
            },
        };
        if name == "rsync" && has_long(words, "--remove-s") {
            self.all(&sources, AccessKind::Removed);
        }
        if is_remote(name, &target) {
            return;
        }
        let tree = takes_trees(name, words);
        let ends_in_slash = target.outline().ends_with('/');
        let is_folder = folder.is_some()
            || sources.len() > 1
            || matches!(target.literal(), Some("." | ".."))
            || ends_in_slash;
        let in_it = if tree { AccessKind::Filled } else { AccessKind::Changed };
        // With these options, an existing folder is treated as the target itself.
        let exact = has(words, 'T', "--no-target-directory")
            || (name == "ln" && (has(words, 'n', "--no-dereference") || has(words, 'h', "--no-dereference")));
        if !is_folder {
            let kind = match (tree, exact) {
                (true, true) => AccessKind::Filled,
                (true, false) => AccessKind::Named,
                (false, _) => AccessKind::Changed,
            };
            self.one(&target, kind);
        } else if tree && ends_in_slash && folder.is_none() {
            // A folder that does not exist yet gets the name of the target.
            self.maybe(&target, AccessKind::Named);
        }
        let keeps_backup = has(words, 'b', "--backup") && matches!(name, "cp" | "mv" | "ln" | "install");
        if keeps_backup && !is_folder {
            let suffix =
                value(words, 'S', "--suffix").map_or_else(|| "~".to_owned(), |suffix| suffix.outline());
            self.one(&Argument::of_outline(&format!("{}{suffix}", target.outline())), AccessKind::Changed);
        }
        let keeps_parents = name == "cp" && has(words, '\0', "--parents");
        for source in sources {
            // The name of the target is part of each name, so many of them would be too long.
            if self.walk.is_spent() {
                return;
            }
            if name == "mv" {
                self.one(source, AccessKind::Removed);
            }
            match source_of(name, source) {
                _ if keeps_parents => self.maybe(&target, AccessKind::Filled),
                Source::Contents if is_folder => self.fills(&target),
                Source::Contents => self.maybe(&target, AccessKind::Filled),
                Source::Named(own) if is_folder => self.one(&inside(&target, &own), in_it),
                Source::Named(own) => self.maybe(&inside(&target, &own), in_it),
            }
            match name {
                "ln" => self.linked(words, source, &target, is_folder),
                "cp" if makes_links(words) => self.one(source, AccessKind::Linked),
                _ => {}
            }
        }
    }

    /// `aws s3 cp A TO`: the words of a program of a store, as those of `scp`.
    pub(super) fn fetches(&mut self, name: &str, words: &[Argument]) {
        let Some((_, verbs, trees)) = STORES.iter().find(|(program, ..)| *program == name) else { return };
        let all = operands(words, if name == "kubectl" { "cn" } else { "" }, STORE_VALUES);
        let is_verb = |word: &&&Argument| word.literal().is_some_and(|word| verbs.contains(&word));
        let Some(verb) = all.iter().find(is_verb) else { return };
        let behind = all.iter().skip_while(|word| !is_verb(word)).skip(1).copied();
        let [source, .., target] = &*behind.collect::<Vec<_>>() else { return };
        let is_of_contents = verb.literal().is_some_and(|verb| trees.contains(&verb))
            || name == "aws" && has(words, '\0', "--recursive");
        let mut copied = vec![match is_of_contents {
            true => inside(source, &Argument::from(".")),
            false => (*source).clone(),
        }];
        copied.push((*target).clone());
        if is_of_contents || name == "kubectl" || takes_trees(name, words) {
            copied.push(Argument::from("-r"));
        }
        self.copies("scp", &copied);
    }

    /// Notes the file that a new link points to, as seen from here. Only the name in a symbolic link is
    /// relative to the link's folder.
    fn linked(&mut self, words: &[Argument], source: &Argument, target: &Argument, is_folder: bool) {
        let seen = Seen::from_words(words);
        if seen.from_here {
            self.one(source, AccessKind::Linked);
        }
        if seen.from_the_link {
            self.linked_from(source, target, is_folder);
        }
    }

    /// Notes the file that the name in a symbolic link stands for.
    fn linked_from(&mut self, source: &Argument, target: &Argument, is_folder: bool) {
        let (Some(target), Some(text)) = (target.literal(), source.literal()) else {
            return self.maybe(source, AccessKind::Linked);
        };
        let folder =
            if is_folder { target } else { target.rsplit_once('/').map_or("", |(folder, _)| folder) };
        let is_absolute = text.starts_with(['/', '~']) || (folder.is_empty() && !target.starts_with('/'));
        let to = if is_absolute { source.clone() } else { inside(&Argument::from(folder), source) };
        self.one(&to, AccessKind::Linked);
    }
}

/// Programs that copy from a store, their words in front of the source and the target, and those that copy the contents of a folder.
const STORES: &[(&str, &[&str], &[&str])] = &[
    ("rclone", &["copy", "sync", "move"], &["copy", "sync", "move"]),
    ("aws", &["cp", "mv", "sync"], &["sync"]),
    ("gsutil", &["cp", "mv", "rsync"], &["rsync"]),
    ("gcloud", &["cp", "mv", "rsync"], &["rsync"]),
    ("kubectl", &["cp"], &[]),
];

/// Common options of these programs that take the next word.
const STORE_VALUES: &[&str] = &[
    "profile",
    "region",
    "exclude",
    "include",
    "endpoint-url",
    "project",
    "account",
    "config",
    "filter",
    "transfers",
    "checkers",
    "bwlimit",
    "max-size",
    "context",
    "namespace",
    "container",
    "kubeconfig",
];

/// Folder from which `ln` resolves the name of a source.
struct Seen {
    from_here: bool,
    from_the_link: bool,
}

impl Seen {
    fn from_words(words: &[Argument]) -> Self {
        let symbolic = has(words, 's', "") || has_long(words, "--sy");
        let relative = has(words, 'r', "") || has_long(words, "--r");
        // Their values look like options: the suffix in `-Ss` does not make a symbolic link.
        let has_value =
            has(words, 'S', "") || has(words, 't', "") || has_long(words, "--su") || has_long(words, "--t");
        Self {
            from_here: !symbolic || relative || has_value,
            from_the_link: symbolic && (!relative || has_value),
        }
    }
}

/// Returns whether `cp` links the files instead of copying them.
fn makes_links(words: &[Argument]) -> bool {
    has(words, 'l', "") || has(words, 's', "") || has_long(words, "--l") || has_long(words, "--sy")
}

/// Returns whether a long option is given, also if it is abbreviated.
fn has_long(words: &[Argument], start: &str) -> bool {
    words.iter().any(|word| word.prefix().starts_with(start))
}

/// Returns a name in a folder.
pub(in crate::commands) fn inside(folder: &Argument, name: &Argument) -> Argument {
    let folder = folder.outline();
    match folder.trim_end_matches('/') {
        "" if folder.is_empty() => name.clone(),
        trimmed => Argument::of_outline(&format!("{trimmed}/{}", name.outline())),
    }
}

/// Returns the name that a source has in the target folder.
fn source_of(program: &str, source: &Argument) -> Source {
    let text = source.outline();
    // For rsync, a slash at the end makes a difference.
    if program == "rsync" && text.ends_with('/') {
        return Source::Contents;
    }
    let is_remote = is_remote(program, source);
    let own = text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    // Another machine resolves wildcards, also quoted ones.
    let there = is_remote.then(|| wildcards(own.rsplit(':').next().unwrap_or_default()));
    let own = there.as_deref().unwrap_or(own);
    if matches!(own, "" | "." | "..") {
        return Source::Contents;
    }
    // Only the last part of the name is kept, whatever is before it.
    let own: String = own
        .chars()
        .map(|c| if Gap::from_char(c).is_some_and(Gap::is_deep) { Gap::Name.stand_in() } else { c })
        .collect();
    Source::Named(Argument::of_outline(&own))
}

/// Returns whether the program may write a folder with everything below it.
fn takes_trees(name: &str, words: &[Argument]) -> bool {
    match name {
        "mv" | "ln" => true,
        "install" => false,
        _ => has(words, 'r', "--recursive") || has(words, 'R', "--recursive") || has(words, 'a', "--archive"),
    }
}

/// Long options that take the next word.
pub(in crate::commands) const LONG_VALUES: &[&str] = table!("program_words_copy_values");

/// Short options that take the next word.
pub(in crate::commands) fn short_values(name: &str) -> &'static str {
    match name {
        "install" => "tSmog",
        "rsync" => "efTBM",
        "scp" => "cDFiJloPSX",
        _ => "tS",
    }
}

/// Returns whether a target is on another machine.
pub(in crate::commands) fn is_remote(name: &str, target: &Argument) -> bool {
    let host = target.prefix().split_once(':').map(|(host, _)| host);
    matches!(name, "rsync" | "scp") && host.is_some_and(|host| !host.contains('/'))
}

/// Returns the folder of `-t` and `--target-directory`.
pub(in crate::commands) fn target_folder(name: &str, words: &[Argument]) -> Option<Argument> {
    if matches!(name, "rsync" | "scp") {
        return None;
    }
    words.iter().enumerate().find_map(|(at, word)| {
        let text = word.prefix();
        let bundle = text.starts_with('-') && !text.starts_with("--");
        let (option, attached) = text.split_once('=').map_or((text, false), |(option, _)| (option, true));
        // Long options may be abbreviated.
        let is_long = option.len() > "--".len() && "--target-directory".starts_with(option);
        match word.strip_prefix(&format!("{option}=")) {
            Some(folder) if is_long => Some(folder),
            _ if (is_long && !attached) || (bundle && text.ends_with('t')) => words.get(at + 1).cloned(),
            _ => word.strip_prefix("-t"),
        }
    })
}
