//! A compiled rule, and what of a call it forbids.

mod command;
mod files;
mod inline_tests;
mod install;
mod like;
mod run;
mod text;

use hooks_core::Evidence;

use self::command::{Command, command};
use self::files::{Files, last_parts};
use self::inline_tests::are_tests;
pub(super) use self::like::is_like;
pub(super) use self::text::Text;
use super::change::Changes;
use super::index::key;
use super::library::Library;
use super::pattern::Pattern;
use super::rule::DecisionRule;
use super::tables;

/// A compiled rule.
#[derive(Clone, Debug)]
pub(super) struct Matcher {
    libraries: Vec<Library>,
    imports: Vec<String>,
    content: Vec<(String, Pattern)>,
    commands: Vec<Command>,
    images: Vec<Library>,
    files: Vec<(Mode, Files)>,
    languages: Vec<String>,
    with: Vec<String>,
    within: Option<Files>,
    except: Files,
    /// Whether the rule spares tests.
    spares_tests: bool,
    allowed: Vec<Library>,
    allowed_words: Vec<String>,
    allowed_files: Files,
    /// Last parts of the folders in `in` and `except`, by which commands name a part of the project.
    within_names: Vec<String>,
    except_names: Vec<String>,
    /// Whether `in` names nothing but kinds of files, such as `**/*.ts`.
    is_of_languages: bool,
}

/// Changes of a file that a rule forbids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Any,
    Keep,
    New,
    Existing,
}

/// Something that a rule forbids, in a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Violation {
    /// Description, as in "imports `moment`".
    pub(super) message: String,
    pub(super) evidence: Option<Evidence>,
}

impl Matcher {
    /// Compiles a rule.
    ///
    /// # Errors
    /// Returns the first glob or command that cannot be used.
    pub(super) fn new(rule: &DecisionRule) -> Result<Self, String> {
        let library = |name: &String| Library::new(name);
        let mut content = Vec::new();
        for text in &rule.content {
            let pattern = Pattern::parse(text)
                .ok_or_else(|| format!("`{text}` has no tokens; write a part of a program"))?;
            content.push((text.clone(), pattern));
        }
        for name in &rule.calls {
            let pattern =
                Pattern::call(name).ok_or_else(|| format!("`{name}` is not the name of a function"))?;
            content.push((name.clone(), pattern));
        }
        let is_known =
            |name: &str| ["*", "-", "ts"].contains(&name) || tables::language_called(name).is_some();
        if let Some(name) = rule.languages.iter().find(|name| !is_known(name)) {
            return Err(format!("`{name}` is not a language that is read; write `*` for all"));
        }
        let commands = rule.commands.iter().map(|text| command(text)).collect::<Result<_, _>>()?;
        let mut files = Vec::new();
        for (mode, patterns) in [
            (Mode::Any, &rule.paths),
            (Mode::Keep, &rule.files),
            (Mode::New, &rule.new_files),
            (Mode::Existing, &rule.existing_files),
        ] {
            if !patterns.is_empty() {
                files.push((mode, Files::new(patterns)?));
            }
        }
        let within = if rule.within.is_empty() { None } else { Some(Files::new(&rule.within)?) };
        let mut allowed: Vec<Library> = rule.allow.iter().map(library).collect();
        allowed.extend(rule.instead.iter().map(|name| Library::new(name)));
        Ok(Self {
            libraries: rule.packages.iter().map(library).collect(),
            imports: rule.imports.clone(),
            content,
            commands,
            images: rule.images.iter().map(library).collect(),
            files,
            languages: rule.languages.clone(),
            with: rule.with.clone(),
            within,
            except: Files::new(&rule.except)?,
            spares_tests: are_tests(&rule.except),
            allowed,
            allowed_words: rule.allow.clone(),
            allowed_files: Files::new(&rule.allow).unwrap_or_default(),
            within_names: last_parts(&rule.within),
            except_names: last_parts(&rule.except),
            is_of_languages: !rule.within.is_empty()
                && rule.within.iter().all(|glob| {
                    glob.starts_with("**/*.") || super::manifest::Manifest::at_path(glob).is_some()
                }),
        })
    }

    /// Returns what of a call the rule forbids.
    pub(super) fn find(&self, changes: &Changes, texts: &[Text<'_>]) -> Option<Violation> {
        let touch = || changes.touches.iter().find_map(|touch| self.in_touch(touch, changes));
        let text = || texts.iter().find_map(|text| self.in_text(text, changes));
        let run = || changes.runs.iter().find_map(|run| self.in_run(run, changes));
        touch().or_else(text).or_else(run).or_else(|| self.in_pipe(changes))
    }

    /// Whether the rule is about files.
    pub(super) fn protects_files(&self) -> bool {
        !self.files.is_empty()
    }

    /// Returns keys of which a call has one if it breaks the rule; `None` if some part has no key.
    pub(super) fn keys(&self) -> Option<Vec<String>> {
        let mut keys = Vec::new();
        for library in self.libraries.iter().chain(&self.images) {
            keys.extend(library.keys()?);
        }
        for pattern in &self.imports {
            keys.push(key(pattern)?);
        }
        for (_, pattern) in &self.content {
            keys.push(pattern.key()?);
        }
        for command in &self.commands {
            keys.push(command.key()?);
        }
        for (_, files) in &self.files {
            keys.extend(files.keys()?);
        }
        Some(keys)
    }

    fn covers<'p>(&self, mut paths: impl Iterator<Item = &'p str> + Clone, changes: &Changes) -> bool {
        let is_within = |within: &Files| paths.clone().any(|path| within.is_match(path, changes));
        self.within.as_ref().is_none_or(is_within) && !paths.any(|path| self.except.is_match(path, changes))
    }

    /// Whether the rule is for kinds of files that packages of these kinds of files are for.
    fn is_for_language(&self, endings: &[&str], changes: &Changes) -> bool {
        let is_named = |ending: &&str| {
            let file = format!("x{ending}");
            self.within.as_ref().is_some_and(|within| within.is_match(&file, changes))
        };
        self.is_of_languages && endings.iter().any(is_named)
    }

    fn is_allowed(&self, package: &str) -> bool {
        let is_longer = |allowed: &&Library| allowed.is(package);
        // A replacement with a name below the forbidden one stays allowed.
        self.allowed.iter().any(|allowed| is_longer(&allowed))
            || self.allowed_words.iter().any(|pattern| {
                is_like(pattern, package)
                    || package.rsplit(':').next().is_some_and(|name| is_like(pattern, name))
                    || is_like(&format!("*{pattern}*"), package) && pattern.contains('*')
            })
    }

    /// Whether a forbidden library is itself a part of a replacement: `io` allows nothing of `io/ioutil`.
    fn is_below(&self, library: &Library) -> bool {
        self.allowed.iter().any(|allowed| allowed.contains(library))
    }

    /// Whether a package is forbidden.
    fn forbids(&self, package: &str) -> bool {
        if package.starts_with('.') {
            return false;
        }
        let is_library =
            |library: &Library| library.has(package) && (self.is_below(library) || !self.is_allowed(package));
        self.libraries.iter().any(is_library) || self.imports.iter().any(|pattern| is_like(pattern, package))
    }
}

impl Violation {
    fn new(message: String, text: &str) -> Self {
        Self { message, evidence: Some(Evidence::Span { start: 0, end: text.len(), text: text.to_owned() }) }
    }
}
