//! A compiled rule, and what of a call it forbids.

use hooks_core::Evidence;
use hooks_facts::commands::BlockedPattern;
use hooks_facts::globs::{GlobOptions, Globs};

use super::change::{Changes, Edit, Effect, Run, Touch};
use super::imports::Imports;
use super::lex::Lexed;
use super::library::Library;
use super::manifest::{Manifest, bare};
use super::pattern::{Pattern, images};
use super::rule::DecisionRule;
use super::tables::{self, Language};

/// A compiled rule.
#[derive(Clone, Debug)]
pub(super) struct Matcher {
    libraries: Vec<Library>,
    imports: Vec<String>,
    content: Vec<(String, Pattern)>,
    commands: Vec<Command>,
    images: Vec<Library>,
    files: Vec<(Mode, Globs)>,
    languages: Vec<String>,
    with: Vec<String>,
    within: Option<Globs>,
    except: Globs,
    allowed: Vec<Library>,
    allowed_words: Vec<String>,
    allowed_files: Globs,
    /// Last parts of the folders in `in` and `except`, by which commands name a part of the project.
    within_names: Vec<String>,
    except_names: Vec<String>,
}

/// Changes of a file that a rule forbids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Any,
    Keep,
    New,
    Existing,
}

#[derive(Clone, Debug)]
enum Command {
    /// A program with its first words and options.
    Blocked(String, BlockedPattern),
    /// A word that any program must not have.
    Option(String),
    /// Words with `*` for any words.
    Words(Vec<String>),
}

/// Something that a rule forbids, in a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Violation {
    /// Description, as in "imports `moment`".
    pub(super) message: String,
    pub(super) evidence: Option<Evidence>,
}

/// Words with which a program only shows something.
const SHOWING: &[&str] = &["--version", "-v", "-V", "version", "--help", "-h", "help"];

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
                files.push((mode, globs(patterns)?));
            }
        }
        let within = if rule.within.is_empty() { None } else { Some(globs(&rule.within)?) };
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
            except: globs(&rule.except)?,
            allowed,
            allowed_words: rule.allow.clone(),
            allowed_files: globs(&rule.allow).unwrap_or_default(),
            within_names: last_parts(&rule.within),
            except_names: last_parts(&rule.except),
        })
    }

    /// Returns what of a call the rule forbids.
    pub(super) fn find(&self, changes: &Changes, texts: &[Text<'_>]) -> Option<Violation> {
        let touch = changes.touches.iter().find_map(|touch| self.in_touch(touch));
        let text = || texts.iter().find_map(|text| self.in_text(text));
        touch.or_else(text).or_else(|| changes.runs.iter().find_map(|run| self.in_run(run)))
    }

    fn covers<'p>(&self, mut paths: impl Iterator<Item = &'p str> + Clone) -> bool {
        let within =
            self.within.as_ref().is_none_or(|within| paths.clone().any(|path| within.is_match(path)));
        within && !paths.any(|path| self.except.is_match(path))
    }

    fn in_touch(&self, touch: &Touch) -> Option<Violation> {
        let paths = || touch.paths.iter().map(String::as_str);
        let (_, _) = self.files.iter().find(|(mode, globs)| {
            let is_meant = match (mode, touch.effect) {
                (Mode::Any, _)
                | (Mode::Keep, Effect::Created | Effect::Changed)
                | (Mode::New, Effect::Created) => true,
                (Mode::Existing, Effect::Changed | Effect::Removed) => true,
                (Mode::Keep | Mode::New | Mode::Existing, _) => false,
            };
            let below = |path: &str| {
                touch.effect == Effect::Removed && *mode != Mode::New && globs.find_below(path).is_some()
            };
            is_meant && paths().any(|path| globs.is_match(path) || below(path))
        })?;
        if !self.covers(paths()) || paths().any(|path| self.allowed_files.is_match(path)) {
            return None;
        }
        let resolved = touch.paths.first().cloned().unwrap_or_default();
        let verb = match touch.effect {
            Effect::Created => "creates",
            Effect::Changed => "changes",
            Effect::Removed => "removes",
        };
        Some(Violation {
            message: format!("{verb} `{}`", touch.given),
            evidence: Some(Evidence::Path { given: touch.given.clone(), resolved }),
        })
    }

    fn in_text(&self, text: &Text<'_>) -> Option<Violation> {
        if !self.covers(text.paths.iter().map(String::as_str)) {
            return None;
        }
        if let Some(package) = text.brought.packages.iter().find(|name| self.forbids(name)) {
            return Some(Violation::new(format!("adds the package `{package}`"), package));
        }
        if let Some(module) = text.brought.modules.iter().find(|name| self.forbids_import(name)) {
            return Some(Violation::new(format!("imports `{module}`"), module));
        }
        if let Some(url) =
            text.brought.urls.iter().find(|url| {
                self.libraries.iter().any(|library| library.has_url(url)) && !self.is_allowed(url)
            })
        {
            return Some(Violation::new(format!("loads `{url}`"), url));
        }
        if let Some(image) = text.brought.images.iter().find(|image| self.forbids_image(image)) {
            return Some(Violation::new(format!("uses the image `{image}`"), image));
        }
        let (language, new, old) = (text.language.as_ref()?, text.new.as_ref()?, text.old.as_ref()?);
        let speaks = |name: &str| {
            self.languages.is_empty()
                || self.languages.iter().any(|wanted| {
                    wanted == name
                        || wanted == "*"
                        || (wanted == "js" && name == "vue")
                        || (wanted == "ts" && is_typed(name, &text.edit.path))
                        || (wanted == "html" && ["vue", "js"].contains(&name))
                        || (wanted == "docker" && name == "yaml")
                        || (wanted == "css" && ["vue", "html"].contains(&name))
                })
        };
        for (shown, pattern) in &self.content {
            if !speaks(language.name) {
                continue;
            }
            if pattern.count(&text.edit.new, new, language) > pattern.count(&text.edit.old, old, language) {
                return Some(Violation::new(format!("contains {}", described(shown)), shown));
            }
        }
        if self.languages.iter().any(|name| name == "sql") && language.name != "sql" {
            return self.in_queries(new, old);
        }
        None
    }

    /// Judges the SQL in the strings of a program.
    fn in_queries(&self, new: &Lexed, old: &Lexed) -> Option<Violation> {
        let sql = tables::language_called("sql")?;
        let count = |pattern: &Pattern, lexed: &Lexed| {
            let queries =
                lexed.tokens.iter().filter_map(super::lex::Token::text).filter(|text| is_query(text));
            queries.map(|text| pattern.count(text, &Lexed::new(text, &sql), &sql)).sum::<usize>()
        };
        let (shown, _) =
            self.content.iter().find(|(_, pattern)| count(pattern, new) > count(pattern, old))?;
        Some(Violation::new(format!("contains {}", described(shown)), shown))
    }

    fn in_run(&self, run: &Run) -> Option<Violation> {
        if !self.runs_within(run)
            || !self.with.iter().all(|wanted| {
                (wanted.starts_with('$') && run.has_gaps)
                    || run.words.iter().any(|word| is_like(wanted, word.rsplit('=').next().unwrap_or(word)))
            })
        {
            return None;
        }
        let evidence = || {
            let argv = std::iter::once(&run.program).chain(&run.words).cloned().collect();
            Some(Evidence::Command { argv })
        };
        if let Some(name) = self.installed(run) {
            return Some(Violation { message: format!("installs `{name}`"), evidence: evidence() });
        }
        let lists = run.program == "git"
            && run.words.first().is_some_and(|word| word == "tag")
            && run.words.iter().skip(1).all(|word| {
                ["-l", "--list", "-n", "--contains", "--points-at", "--sort", "-v", "--verify"]
                    .iter()
                    .any(|option| word.starts_with(option))
            });
        let shows =
            lists || !run.words.is_empty() && run.words.iter().all(|word| SHOWING.contains(&word.as_str()));
        let is_allowed = run.words.iter().any(|word| self.allowed_words.contains(word))
            || self.allowed_words.iter().any(|allowed| is_start(allowed, run));
        if shows || is_allowed {
            return None;
        }
        let command = self.commands.iter().find(|command| command.is_run_by(run))?;
        Some(Violation { message: format!("runs `{}`", command.shown()), evidence: evidence() })
    }

    fn runs_within(&self, run: &Run) -> bool {
        if !run.file.is_empty() {
            return self.covers(std::iter::once(run.file.as_str()));
        }
        let places = places(run);
        let named = |names: &[String]| {
            run.words.iter().any(|word| {
                names
                    .iter()
                    .any(|name| name == word.trim_start_matches('@').rsplit('/').next().unwrap_or(word))
            })
        };
        let is_in = |globs: &Globs| {
            places.iter().any(|place| globs.is_match(place) || globs.is_match(&format!("{place}/x")))
        };
        let within = self.within.as_ref().is_none_or(|within| is_in(within) || named(&self.within_names));
        within && !is_in(&self.except) && !named(&self.except_names)
    }

    /// Returns a forbidden package that a program installs.
    fn installed(&self, run: &Run) -> Option<String> {
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

    /// Whether a package is forbidden.
    fn forbids(&self, package: &str) -> bool {
        if package.starts_with('.') {
            return false;
        }
        (self.libraries.iter().any(|library| library.has(package)) && !self.is_allowed(package))
            || self.imports.iter().any(|pattern| is_like(pattern, package))
    }

    fn forbids_import(&self, module: &str) -> bool {
        let is_own =
            module.starts_with(['.', '#', '~']) || module.starts_with("@/") || module.starts_with('/');
        self.imports
            .iter()
            .any(|pattern| is_like(pattern, module) || is_like(&format!("{pattern}/*"), module))
            || (!is_own
                && self
                    .libraries
                    .iter()
                    .any(|library| library.has(module.strip_prefix("node:").unwrap_or(module)))
                && !self.is_allowed(module))
    }

    fn forbids_image(&self, image: &str) -> bool {
        let mut libraries = self.libraries.iter().chain(&self.images);
        libraries.any(|library| library.has_image(image))
            && !self.allowed.iter().any(|library| library.has_image(image))
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
}

impl Violation {
    fn new(message: String, text: &str) -> Self {
        Self { message, evidence: Some(Evidence::Span { start: 0, end: text.len(), text: text.to_owned() }) }
    }
}

impl Command {
    fn is_run_by(&self, run: &Run) -> bool {
        match self {
            Self::Blocked(_, pattern) => {
                run.analysis.find(std::slice::from_ref(pattern)).is_some() || {
                    let words: Vec<&str> = std::iter::once(run.program.as_str())
                        .chain(run.words.iter().map(String::as_str))
                        .collect();
                    hooks_facts::commands::Analysis::of_words(
                        &words,
                        &hooks_facts::commands::Options::default(),
                    )
                    .find(std::slice::from_ref(pattern))
                    .is_some()
                }
            }
            Self::Option(option) => run.words.iter().any(|word| {
                word == option || word.strip_prefix(option.as_str()).is_some_and(|rest| rest.starts_with('='))
            }),
            Self::Words(wanted) => {
                let words: Vec<&str> = std::iter::once(run.program.as_str())
                    .chain(run.words.iter().map(String::as_str))
                    .collect();
                fits(wanted, &words)
            }
        }
    }

    fn shown(&self) -> String {
        match self {
            Self::Blocked(text, _) | Self::Option(text) => text.clone(),
            Self::Words(words) => words.join(" "),
        }
    }
}

/// New text of a file, and what it brings in beyond the replaced text.
#[derive(Debug)]
pub(super) struct Text<'c> {
    edit: &'c Edit,
    paths: Vec<String>,
    language: Option<Language>,
    new: Option<Lexed>,
    old: Option<Lexed>,
    brought: Brought,
}

/// Packages, modules, addresses and images in a text.
#[derive(Clone, Debug, Default)]
struct Brought {
    packages: Vec<String>,
    modules: Vec<String>,
    urls: Vec<String>,
    images: Vec<String>,
}

impl<'c> Text<'c> {
    /// Reads the texts of a call.
    pub(super) fn all(changes: &'c Changes) -> Vec<Self> {
        changes.edits.iter().map(|edit| Self::new(changes, edit)).collect()
    }

    fn new(changes: &'c Changes, edit: &'c Edit) -> Self {
        let language = tables::language(&edit.path);
        let lexed = |text: &str| language.as_ref().map(|language| Lexed::new(text, language));
        let (new, old) = (lexed(&edit.new), lexed(&edit.old));
        let read =
            |text: &str, lexed: Option<&Lexed>| Brought::new(&edit.path, text, language.as_ref(), lexed);
        let mut brought = read(&edit.new, new.as_ref());
        brought.remove(&read(&edit.old, old.as_ref()));
        let paths = changes.paths_of(edit).into_iter().map(std::borrow::Cow::into_owned).collect();
        Self { edit, paths, language, new, old, brought }
    }
}

impl Brought {
    fn new(path: &str, text: &str, language: Option<&Language>, lexed: Option<&Lexed>) -> Self {
        let mut brought = Self::default();
        if text.is_empty() {
            return brought;
        }
        if let Some(manifest) = Manifest::at_path(path) {
            brought.packages = manifest.names(path, text);
        }
        if let (Some(language), Some(lexed)) = (language, lexed) {
            let imports = Imports::new(language.name, lexed);
            (brought.modules, brought.urls) = (imports.modules, imports.urls);
            if ["docker", "yaml", "json", "tf"].contains(&language.name) {
                brought.images = images(&lexed.code).map(str::to_owned).collect();
            }
        }
        brought
    }

    /// Removes what `old` has as well.
    fn remove(&mut self, old: &Self) {
        let lists = [
            (&mut self.packages, &old.packages),
            (&mut self.modules, &old.modules),
            (&mut self.urls, &old.urls),
            (&mut self.images, &old.images),
        ];
        for (new, old) in lists {
            new.retain(|name| !old.contains(name));
        }
    }
}

impl std::fmt::Debug for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

fn is_typed(language: &str, path: &str) -> bool {
    language == "vue" || [".ts", ".tsx", ".mts", ".cts"].iter().any(|ending| path.ends_with(ending))
}

fn is_query(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default().to_ascii_uppercase();
    ["SELECT", "INSERT", "UPDATE", "DELETE", "DROP", "TRUNCATE", "CREATE", "ALTER", "WITH", "MERGE"]
        .contains(&first.as_str())
}

fn described(shown: &str) -> String {
    let plain = shown
        .split_once(' ')
        .filter(|(word, _)| word.chars().all(|c| c.is_ascii_uppercase()) && word.len() > 2);
    match plain {
        Some(("CALL", name)) => format!("a call of `{name}`"),
        Some(("TYPE", name)) => format!("the type `{name}`"),
        Some((word, rest)) if ["IDENT", "STR", "RAW", "IMAGE", "PREFIX"].contains(&word) => {
            format!("`{rest}`")
        }
        Some(("PIPE", program)) => format!("the output of `{program}` in a shell"),
        _ => format!("`{shown}`"),
    }
}

/// Parses a command of a rule.
fn command(text: &str) -> Result<Command, String> {
    let text = text.trim();
    if text.starts_with('-') {
        return Ok(Command::Option(text.to_owned()));
    }
    if text.contains('*') {
        return Ok(Command::Words(text.split_whitespace().map(str::to_owned).collect()));
    }
    let pattern = BlockedPattern::parse(text).map_err(|error| error.to_string())?;
    Ok(Command::Blocked(text.to_owned(), pattern))
}

/// Compiles globs of files and folders.
fn globs(patterns: &[String]) -> Result<Globs, String> {
    let patterns = patterns.iter().flat_map(|pattern| spellings(pattern));
    Globs::compile(patterns, &GlobOptions::default()).map_err(|errors| {
        errors
            .first()
            .map(|error| format!("`{}` is not a glob: {}", error.pattern, error.problem))
            .unwrap_or_default()
    })
}

/// Returns the globs that a pattern of a rule stands for: a name without a folder is meant in all folders, and a folder
/// with everything below it.
fn spellings(pattern: &str) -> Vec<String> {
    let pattern = pattern.trim().trim_start_matches("./").trim_start_matches('/');
    let folder = pattern.trim_end_matches('/');
    let is_name = !folder.contains('/');
    let starred = |text: &str| {
        if is_name || text.strip_suffix("/**").is_some_and(|rest| !rest.contains('/')) {
            format!("**/{text}")
        } else {
            text.to_owned()
        }
    };
    if folder.ends_with("**") {
        return vec![if folder.starts_with("**") { folder.to_owned() } else { starred(folder) }];
    }
    if pattern.ends_with('/') {
        return vec![starred(&format!("{folder}/**"))];
    }
    vec![starred(folder), format!("{}/**", starred(folder))]
}

fn last_parts(patterns: &[String]) -> Vec<String> {
    let parts = patterns.iter().map(|pattern| {
        pattern.trim_end_matches("/**").trim_end_matches('/').rsplit('/').next().unwrap_or_default()
    });
    parts.filter(|part| part.len() > 1 && !part.contains(['*', '.'])).map(str::to_owned).collect()
}

/// Returns the folders and files that a program's words name.
fn places(run: &Run) -> Vec<String> {
    let words = run.words.iter().filter(|word| word.contains('/') && !word.contains("://")).map(|word| {
        let value = word.rsplit_once('=').map_or(word.as_str(), |(_, value)| value);
        super::change::normal(value)
    });
    let valued = run.words.windows(2).filter_map(|pair| match pair {
        [option, value]
            if [
                "-C",
                "--cwd",
                "--prefix",
                "--dir",
                "-w",
                "--workspace",
                "--filter",
                "-F",
                "-p",
                "--package",
                "--project",
                "--directory",
            ]
            .contains(&option.as_str()) =>
        {
            Some(super::change::normal(value))
        }
        _ => None,
    });
    words.chain(valued).chain(run.folders.iter().cloned()).collect()
}

/// Returns the words after `verb`, which are the names of packages and the values of options.
fn after<'w>(words: &[&'w str], all: &[&'w str], verb: &str) -> Option<Vec<&'w str>> {
    let wanted: Vec<&str> = verb.split(' ').collect();
    if verb.starts_with('-') {
        let at = all.iter().position(|word| *word == verb)?;
        return Some(all.get(at + 1..)?.to_vec());
    }
    let at = words.windows(wanted.len()).position(|window| window == wanted.as_slice())?;
    Some(words.get(at + wanted.len()..)?.to_vec())
}

/// Returns the image that a container program pulls or runs.
fn image_of(run: &Run, verbs: &[&str]) -> Option<String> {
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

fn is_start(allowed: &str, run: &Run) -> bool {
    let mut wanted = allowed.split_whitespace();
    wanted.next() == Some(run.program.as_str())
        && allowed.contains(' ')
        && wanted.zip(run.words.iter()).all(|(wanted, word)| wanted == word)
}

/// Whether `words` begin as `wanted`, in which `*` stands for any words. Each part is looked for from where the one
/// before it ended, so the time is bounded by the product of both lengths.
fn fits(wanted: &[String], words: &[&str]) -> bool {
    let mut rest = words;
    wanted.split(|word| word == "*").enumerate().all(|(number, part)| {
        let last = if number == 0 { 0 } else { rest.len() };
        let begins = |words: &[&str]| {
            part.len() <= words.len() && part.iter().zip(words).all(|(wanted, word)| is_like(wanted, word))
        };
        let Some(at) = (0..=last).find(|at| rest.get(*at..).is_some_and(begins)) else { return false };
        rest = rest.get(at.saturating_add(part.len())..).unwrap_or_default();
        true
    })
}

/// Whether `text` is as `pattern`, in which `*` stands for any text.
pub(super) fn is_like(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    if !pattern.contains('*') {
        return rest.is_empty();
    }
    let mut rest = rest;
    let parts: Vec<&str> = parts.collect();
    let (last, middle) = parts.split_last().unwrap_or((&"", &[]));
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    rest.ends_with(last)
}
