//! Files that a program loads from an address: `wget -P FOLDER ADDRESS`, `curl --output-dir FOLDER -O ADDRESS`.

use super::{Changes, inside};
use crate::by_key::ByKey;
use crate::commands::access::AccessKind;
use crate::commands::argument::Argument;
use crate::commands::walk::Stream;
use crate::globs::Gap;

/// Letters with a value, and options: for the folder, for a name, for the name in the address, for no such name, for computed
/// names.
pub(super) struct Download {
    pub(super) values: &'static str,
    folder: &'static [&'static str],
    name: &'static [&'static str],
    takes: &'static [&'static str],
    instead: &'static [&'static str],
    computed: &'static [&'static str],
}

pub(super) static DOWNLOADS: ByKey<Download> = table!("downloads");

/// Words of such a program.
#[derive(Default)]
struct Given<'w> {
    /// Options, each with its value if it has one.
    options: Vec<(String, Option<Argument>)>,
    operands: Vec<&'w Argument>,
}

impl Changes<'_> {
    /// Notes the files that a program of the table writes.
    pub(super) fn downloaded(&mut self, name: &str, words: &[Argument]) {
        let Some(Download { values, folder, name: names, takes, instead, computed }) = DOWNLOADS.get(name)
        else {
            return;
        };
        let given = Given::read(words, values, &[*folder, *names, *instead, *computed]);
        let folder = given.value_of(folder);
        if let Some(folder) = &folder {
            let is_inside = |file: &&Argument| file.literal() != Some("-") && !file.prefix().starts_with('/');
            for file in given.values_of(names).filter(is_inside) {
                self.loaded(&inside(folder, file));
            }
        }
        if !(*takes == ["*"] || given.has(takes)) || given.has(instead) {
            return;
        }
        let mut is_computed = given.has(computed);
        for address in &given.operands {
            match name_in(address) {
                Some(name) => {
                    self.loaded(&folder.as_ref().map_or(name.clone(), |folder| inside(folder, &name)));
                }
                None => is_computed |= address.literal().is_none(),
            }
        }
        // A file with any name in a folder that is not the one in which the text starts.
        if is_computed && (folder.is_some() || !self.walk.folders.is_start()) {
            let folder = folder.unwrap_or_else(|| Argument::from("."));
            let any = Argument::of_outline(&Gap::Any.stand_in().to_string());
            self.walk.keeps(&inside(&folder, &any), &Stream::Unknown);
            self.fills(&folder);
        }
    }

    fn loaded(&mut self, file: &Argument) {
        self.one(file, AccessKind::Changed);
        self.walk.keeps(file, &Stream::Unknown);
    }
}

impl<'w> Given<'w> {
    /// Reads words; the long options in `with_value` take the next word.
    fn read(words: &'w [Argument], letters: &str, with_value: &[&[&str]]) -> Self {
        let mut given = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let text = word.prefix();
            if text == "--" {
                given.operands.extend(words);
                break;
            }
            let Some(bundle) = text.strip_prefix('-').filter(|bundle| !bundle.is_empty()) else {
                given.operands.push(word);
                continue;
            };
            if bundle.starts_with('-') {
                let name = text.split('=').next().unwrap_or(text);
                let attached = word.strip_prefix(&format!("{name}="));
                let takes_next = attached.is_none()
                    && takes_value(name)
                    && with_value.iter().any(|list| list.contains(&name));
                let value = if takes_next { words.next().cloned() } else { attached };
                given.options.push((name.to_owned(), value));
                continue;
            }
            for (at, letter) in bundle.char_indices() {
                let behind = 1 + at + letter.len_utf8();
                let value = letters.contains(letter).then(|| {
                    let attached = text.get(..behind).and_then(|start| word.strip_prefix(start));
                    attached.filter(|value| value.len() > 0).or_else(|| words.next().cloned())
                });
                let ends = value.is_some();
                given.options.push((format!("-{letter}"), value.flatten()));
                if ends {
                    break;
                }
            }
        }
        given
    }

    fn has(&self, options: &[&str]) -> bool {
        self.options.iter().any(|(name, _)| options.contains(&name.as_str()))
    }

    fn values_of(&self, options: &[&str]) -> impl Iterator<Item = &Argument> {
        let own = self.options.iter().filter(|(name, _)| options.contains(&name.as_str()));
        own.filter_map(|(_, value)| value.as_ref())
    }

    /// The last of several values counts.
    fn value_of(&self, options: &[&str]) -> Option<Argument> {
        self.values_of(options).last().cloned()
    }
}

/// Returns whether a long option of the table has a value.
fn takes_value(name: &str) -> bool {
    !matches!(name, "--spider" | "--content-disposition" | "--trust-server-names" | "--remote-header-name")
}

/// Returns the last part of an address, with or without a scheme; `None` for a word that is no address or has no such part.
fn name_in(address: &Argument) -> Option<Argument> {
    let outline = address.outline();
    let place = match outline.split_once("://") {
        Some((_, place)) => place,
        None if begins_with_host(&outline) => outline.as_str(),
        None => return None,
    };
    // The shell treats the `?` of a query as a wildcard.
    let place = place.split(['?', '#', Gap::One.stand_in()]).next().unwrap_or_default();
    let (_, name) = place.rsplit_once('/').filter(|(_, name)| !name.is_empty())?;
    Some(Argument::of_outline(name))
}

/// Returns whether a text begins with the name of a host and a slash: `a.example/x`, `localhost:80/x`.
fn begins_with_host(text: &str) -> bool {
    let Some((host, _)) = text.split_once('/') else { return false };
    let (host, port) = host.split_once(':').unwrap_or((host, "80"));
    let is_name = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    port.parse::<u16>().is_ok() && (host.contains('.') || host == "localhost") && host.split('.').all(is_name)
}
