//! Texts that a call writes, and what of them a rule forbids.

use super::super::change::{Changes, Edit};
use super::super::imports::Imports;
use super::super::lex::{Lexed, Token};
use super::super::manifest::Manifest;
use super::super::pattern::{Pattern, images};
use super::super::tables::{self, Language};
use super::inline_tests::without_tests;
use super::like::is_like;
use super::{Matcher, Violation};

/// New text of a file, and what it brings in beyond the replaced text.
#[derive(Debug)]
pub(in super::super) struct Text<'c> {
    edit: &'c Edit,
    paths: Vec<String>,
    language: Option<Language>,
    new: Option<Lexed>,
    old: Option<Lexed>,
    /// Scripts in the new and the old text, if it is markup.
    scripts: Option<(Script, Script)>,
    brought: Brought,
    /// Endings of the files that the packages of the manifest are for.
    packages_of: &'static [&'static str],
}

/// A script in markup.
#[derive(Debug)]
struct Script {
    text: String,
    lexed: Lexed,
}

/// Packages, modules, addresses and images in a text.
#[derive(Clone, Debug, Default)]
pub(super) struct Brought {
    packages: Vec<String>,
    modules: Vec<String>,
    urls: Vec<String>,
    images: Vec<String>,
}

impl<'c> Text<'c> {
    /// Reads the texts of a call.
    pub(in super::super) fn all(changes: &'c Changes) -> Vec<Self> {
        changes.edits.iter().map(|edit| Self::new(changes, edit)).collect()
    }

    /// Returns the names of everything that the text brings in.
    pub(in super::super) fn names(&self) -> impl Iterator<Item = &str> {
        let brought = &self.brought;
        let names =
            brought.packages.iter().chain(&brought.modules).chain(&brought.urls).chain(&brought.images);
        names.map(String::as_str)
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
        let script = |text: &str| {
            let (text, language) = (scripts_in(text), tables::language_called("js")?);
            Some(Script { lexed: Lexed::new(&text, &language), text })
        };
        let is_markup = language.as_ref().is_some_and(|language| language.name == "html");
        let scripts = is_markup.then(|| Some((script(&edit.new)?, script(&edit.old)?))).flatten();
        let packages_of = super::super::manifest::kinds_of_files(&edit.path);
        Self { edit, paths, language, new, old, scripts, brought, packages_of }
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
            if language.name == "yaml" {
                brought.packages.extend(actions(&lexed.code));
            }
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

impl Matcher {
    pub(super) fn in_text(&self, text: &Text<'_>, changes: &Changes) -> Option<Violation> {
        let covers = self.covers(text.paths.iter().map(String::as_str), changes);
        // The packages of a manifest are for files of its language.
        if !covers && !self.is_for_language(text.packages_of, changes) {
            return None;
        }
        if let Some(package) = text.brought.packages.iter().find(|name| self.forbids(name)) {
            return Some(Violation::new(format!("adds the package `{package}`"), package));
        }
        if !covers {
            return None;
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
        let is_spared = self.spares_tests && language.name == "rs";
        let spared = |lexed: &Lexed| is_spared.then(|| without_tests(lexed)).flatten();
        let (own_new, own_old) = (spared(new), spared(old));
        let (new, old) = (own_new.as_ref().unwrap_or(new), own_old.as_ref().unwrap_or(old));
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
            if let (Some((new, old)), Some(script)) = (&text.scripts, tables::language_called("js"))
                && speaks("js")
                && pattern.count(&new.text, &new.lexed, &script)
                    > pattern.count(&old.text, &old.lexed, &script)
            {
                return Some(Violation::new(format!("contains {}", described(shown)), shown));
            }
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
    pub(super) fn in_queries(&self, new: &Lexed, old: &Lexed) -> Option<Violation> {
        let sql = tables::language_called("sql")?;
        let count = |pattern: &Pattern, lexed: &Lexed| {
            let queries = lexed.tokens.iter().filter_map(Token::text).filter(|text| is_query(text));
            queries.map(|text| pattern.count(text, &Lexed::new(text, &sql), &sql)).sum::<usize>()
        };
        let (shown, _) =
            self.content.iter().find(|(_, pattern)| count(pattern, new) > count(pattern, old))?;
        Some(Violation::new(format!("contains {}", described(shown)), shown))
    }

    pub(super) fn forbids_import(&self, module: &str) -> bool {
        let is_own =
            module.starts_with(['.', '#', '~']) || module.starts_with("@/") || module.starts_with('/');
        self.imports
            .iter()
            .any(|pattern| is_like(pattern, module) || is_like(&format!("{pattern}/*"), module))
            || (!is_own
                && self.libraries.iter().any(|library| {
                    library.has(module.strip_prefix("node:").unwrap_or(module))
                        && (!self.is_allowed(module) || self.is_below(library))
                }))
    }

    pub(super) fn forbids_image(&self, image: &str) -> bool {
        let mut libraries = self.libraries.iter().chain(&self.images);
        libraries.any(|library| library.has_image(image))
            && !self.allowed.iter().any(|library| library.has_image(image))
    }
}

pub(super) fn is_typed(language: &str, path: &str) -> bool {
    language == "vue" || [".ts", ".tsx", ".mts", ".cts"].iter().any(|ending| path.ends_with(ending))
}

pub(super) fn is_query(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default().to_ascii_uppercase();
    ["SELECT", "INSERT", "UPDATE", "DELETE", "DROP", "TRUNCATE", "CREATE", "ALTER", "WITH", "MERGE"]
        .contains(&first.as_str())
}

pub(super) fn described(shown: &str) -> String {
    let plain = shown
        .split_once(' ')
        .filter(|(word, _)| word.chars().all(|c| c.is_ascii_uppercase()) && word.len() > 2);
    match plain {
        Some(("CALL", name)) => format!("a call of `{name}`"),
        Some(("ARGS", call)) => match call.split_once(' ') {
            Some((function, argument)) => format!("a call of `{function}` with `{argument}`"),
            None => format!("a call of `{call}`"),
        },
        Some(("TYPE", name)) => format!("the type `{name}`"),
        Some((word, rest)) if ["IDENT", "STR", "RAW", "IMAGE", "PREFIX"].contains(&word) => {
            format!("`{rest}`")
        }
        Some(("PIPE", program)) => format!("the output of `{program}` in a shell"),
        _ => format!("`{shown}`"),
    }
}

/// Returns the actions and hooks that a file of a pipeline uses: `uses: owner/name@v1`, `repo: https://…`.
fn actions(code: &str) -> impl Iterator<Item = String> {
    code.lines().filter_map(|line| {
        let line = line.trim().trim_start_matches("- ");
        let value = line.strip_prefix("uses:").or_else(|| line.strip_prefix("repo:"))?;
        let value = value.trim().trim_matches(['"', '\'']);
        let name = value.split_once("://").map_or(value, |(_, rest)| rest).split('@').next()?;
        (!name.is_empty() && !name.starts_with('.')).then(|| name.trim_end_matches(".git").to_owned())
    })
}

/// Returns the scripts in markup. A part of a file without any tag may be inside of a script.
fn scripts_in(text: &str) -> String {
    let mut scripts = String::new();
    let mut rest = text;
    while let Some((_, behind)) = rest.split_once("<script") {
        let Some((_, inner)) = behind.split_once('>') else { break };
        let (script, after) = inner.split_once("</script").unwrap_or((inner, ""));
        scripts.push_str(script);
        scripts.push('\n');
        rest = after;
    }
    if scripts.is_empty() && !text.contains('<') { text.to_owned() } else { scripts }
}
