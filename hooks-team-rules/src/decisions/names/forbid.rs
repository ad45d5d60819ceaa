//! Adds a name to a rule: as a package, a call, a pattern, a command or a file.

use super::super::rule::DecisionRule;
use super::super::tables;
use super::super::words::Word;
use super::code::{
    gem, general, imported, is_command_line, is_qualified, literal_call, loaded, partial_call, piped,
};
use super::path::{is_namespace, is_path, starts_at_root, without_arity};
use super::{CODE_NOUNS, Name, Use};

/// Endings of files that are no members of a type as well.
const ARTEFACTS: &[&str] = &[
    "jar",
    "war",
    "dll",
    "exe",
    "dylib",
    "pyc",
    "zip",
    "tar",
    "gz",
    "7z",
    "p12",
    "pfx",
    "jks",
    "keystore",
    "pem",
    "mp4",
    "mov",
    "psd",
    "xls",
    "xlsx",
    "doc",
    "docx",
    "pdf",
    "csv",
    "parquet",
    "sqlite",
    "iml",
    "xib",
    "storyboard",
    "coffee",
    "styl",
    "haml",
    "jsp",
];

impl Name {
    /// Adds the name to the rule that forbids it. Returns whether it is something that a call can bring in.
    pub(in super::super) fn forbid_in(&self, rule: &mut DecisionRule, usage: &Use) -> bool {
        let text = self.text.trim().trim_end_matches(',');
        // "`@acme/ui/src/...`" is everything below.
        let bare = without_arity(text);
        if self.is_code && bare.len() < text.len() {
            rule.calls.push(bare.to_owned());
            return true;
        }
        let is_open = text.contains('/') && !text.contains(' ') && !text.starts_with('.');
        let text = if is_open && text.ends_with(['.', '…']) {
            text.trim_end_matches(['.', '…', '/'])
        } else {
            text
        };
        let lower = text.to_lowercase();
        let word = Word::new(text, self.is_code);
        let is_library = [
            "package",
            "packages",
            "library",
            "libraries",
            "crate",
            "crates",
            "gem",
            "gems",
            "module",
            "modules",
            "dependency",
            "sdk",
            "framework",
            "plugin",
        ]
        .contains(&self.noun.as_str());
        if ["image", "images"].contains(&self.noun.as_str()) {
            rule.images.push(text.trim_end_matches(['/', '*']).to_owned());
            return true;
        }
        if text.starts_with("https://") || text.starts_with("http://") {
            let address = text.trim_end_matches(['.', '…', '*', '/']);
            rule.imports.push(format!("{address}*"));
            rule.content.push(format!("IN {address}"));
            rule.languages.push("*".to_owned());
            return true;
        }
        if is_library && !(is_path(&word) && text.ends_with('/')) {
            rule.packages.push(text.to_owned());
            return true;
        }
        if let Some((runtime, version)) = lower.split_once(' ').filter(|(runtime, version)| {
            [
                "python", "node", "node.js", "ruby", "java", "php", "go", "dotnet", ".net", "jdk",
                "postgres", "mysql", "debian", "ubuntu",
            ]
            .contains(runtime)
                && version.starts_with(|c: char| c.is_ascii_digit())
        }) {
            let runtime = runtime.trim_end_matches(".js").trim_start_matches('.');
            for text in [
                format!("{runtime}{version}"),
                format!("{runtime}js{version}.x"),
                format!("{runtime}:{version}"),
                format!("{runtime}-{version}"),
            ] {
                rule.content.push(format!("STR {text}"));
            }
            rule.images.push(format!("{runtime}:{version}"));
            rule.languages.push("*".to_owned());
            return true;
        }
        let is_branch =
            ["main", "master", "develop", "trunk", "release", "production"].contains(&lower.as_str());
        if is_branch && ["push", "pushed", "commit", "merge", "force-push"].contains(&usage.verb.as_str()) {
            rule.commands.extend([format!("git push * {lower}"), format!("git push * *:{lower}")]);
            return true;
        }
        if ["import", "imported", "depend"].contains(&usage.verb.as_str())
            && text.contains('/')
            && is_path(&word)
        {
            // Whole parts of a path: `./clients` is not in `client/`.
            let folder = text.trim_end_matches("**").trim_end_matches('/');
            rule.imports.extend([folder.to_owned(), format!("*/{folder}")]);
            return true;
        }
        if is_branch && self.is_code {
            return false;
        }
        if let Some(owner) = self.owner(text, usage) {
            rule.packages.push(owner.to_owned());
        }
        if let Some(files) = self.files(text, &word, usage) {
            self.forbid_files(files, rule, usage);
            return true;
        }
        let is_plain = lower.chars().all(|c| c.is_alphanumeric() || c == '_');
        if self.is_code
            && is_plain
            && ["column", "columns"].contains(&self.noun.as_str())
            && tables::concept(&lower).is_none()
        {
            rule.content.push(format!("IDENT {text}"));
            rule.languages.push("sql".to_owned());
            return true;
        }
        if self.is_code
            && is_plain
            && CODE_NOUNS.contains(&self.noun.as_str())
            && tables::concept(&lower).is_none()
        {
            rule.content.push(format!("IDENT {text}"));
            rule.languages.push("*".to_owned());
            return true;
        }
        let with_noun = format!("{lower} {}", self.noun);
        if let Some(concept) = tables::concept(&with_noun)
            .or_else(|| tables::concept(&lower))
            .or_else(|| tables::concept(lower.trim_end_matches("()")))
        {
            let files: Option<Vec<String>> = concept
                .patterns
                .split(" § ")
                .map(|pattern| pattern.strip_prefix("FILE ").map(str::to_owned))
                .collect();
            if let Some(files) =
                files.filter(|_| tables::FILE_VERB.contains(&usage.verb) || usage.is_existing)
            {
                self.forbid_files(files, rule, usage);
                return true;
            }
            add_concept(concept, rule);
            // The name may be a technology as well.
            if tables::technology(&lower).is_none() {
                return true;
            }
        }
        if let Some(command) = self.command(text, usage) {
            // The same push may name the branch behind a colon.
            if let ["git", "push", _, branch] = *command.split(' ').collect::<Vec<_>>() {
                rule.commands.push(format!("git push * *:{branch}"));
            }
            rule.commands.push(command);
            return true;
        }
        if let Some(known) = tables::technology(&lower) {
            rule.packages.push(text.to_owned());
            rule.commands.extend(known.commands.iter().map(|one| (*one).to_owned()));
            rule.new_files.extend(known.files.iter().map(|one| (*one).to_owned()));
            return true;
        }
        if self.forbid_code(text, rule) {
            return true;
        }
        // "Rows in `x` are immutable" is not about a package.
        let is_state =
            ["immutable", "frozen", "read-only", "untouchable", "edit", "touch", "change", "modify"]
                .contains(&usage.verb.as_str());
        let is_package = !text.contains(' ') && text.chars().any(char::is_alphanumeric) && !is_state;
        let is_word = tables::ENGLISH.contains(&lower) || tables::COMMON.contains(&lower);
        if is_package && tables::is_named_program(&lower) && (self.is_code || !is_word) {
            rule.commands.push(lower.clone());
        }
        if is_package {
            rule.packages.push(text.to_owned());
            if usage.is_call && text.chars().all(|c| c.is_alphanumeric() || c == '_') {
                rule.calls.push(text.to_owned());
            }
        }
        is_package
    }

    /// Returns the globs of the files that the name stands for.
    fn files(&self, text: &str, word: &Word, usage: &Use) -> Option<Vec<String>> {
        let is_noun = ["file", "files", "folder", "folders", "directory", "directories", "tree", "artifacts"]
            .contains(&self.noun.as_str());
        if let Some(ending) = text.strip_prefix('.').filter(|ending| {
            is_noun && !ending.is_empty() && ending.chars().all(char::is_alphanumeric) && *ending != "env"
        }) {
            return Some(vec![format!("*.{ending}")]);
        }
        if text.trim_start_matches("**/").trim_start_matches('*') == ".env" || text == ".env.*" {
            return Some(vec![".env".to_owned(), ".env.*".to_owned()]);
        }
        if let Some(ending) =
            text.strip_prefix('.').filter(|ending| self.is_code && ARTEFACTS.contains(ending))
        {
            return Some(vec![format!("*.{ending}")]);
        }
        let is_committed = ["commit", "committed", "check", "checked"].contains(&usage.verb.as_str())
            && self.is_code
            && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
            && tables::concept(&text.to_lowercase()).is_none();
        let is_named = is_noun && self.is_code && !text.contains(' ');
        (is_path(word) || is_named || is_committed).then(|| vec![text.to_owned()])
    }

    /// Returns the owner of packages or modules that `owner/*` stands for as well.
    fn owner<'t>(&self, text: &'t str, usage: &Use) -> Option<&'t str> {
        let owner = text.strip_suffix("/*").filter(|owner| !owner.contains(['/', '.', '*', ' ']))?;
        let is_package = self.is_code && !starts_at_root(text) && !tables::FILE_VERB.contains(&usage.verb);
        (is_package && !usage.is_existing).then_some(owner)
    }

    fn forbid_files(&self, files: Vec<String>, rule: &mut DecisionRule, usage: &Use) {
        if files.iter().any(|file| file == ".env.*") {
            allow_templates(rule);
        }
        let list = if usage.is_existing {
            &mut rule.existing_files
        } else if tables::FILE_VERB.contains(&usage.verb) {
            &mut rule.paths
        } else if self.is_new || ["create", "created", "add", "added"].contains(&usage.verb.as_str()) {
            &mut rule.new_files
        } else {
            &mut rule.files
        };
        list.extend(files);
    }

    /// Returns the command that the name stands for.
    fn command(&self, text: &str, usage: &Use) -> Option<String> {
        let first = text.split_whitespace().next().unwrap_or_default();
        let is_program = tables::is_named_program(first) || tables::is_program(first);
        let is_noun = ["command", "commands", "binary", "cli", "tool"].contains(&self.noun.as_str());
        let is_run = ["run", "invoke", "execute", "invoked", "executed", "call", "called"]
            .contains(&usage.verb.as_str());
        if text.starts_with('-')
            && text.len() > 1
            && text.trim_start_matches('-').starts_with(|c: char| c.is_alphabetic())
            && !text.contains(char::is_uppercase)
        {
            return Some(text.to_owned());
        }
        if text.contains(' ')
            && (is_program || is_command_line(text))
            && self.is_code
            && !text.contains(['(', ';', '{', '='])
            && piped(text).is_none()
        {
            return Some(text.trim_end_matches('.').trim_end().to_owned());
        }
        let is_word =
            !text.contains(' ') && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
        let lower = text.to_lowercase();
        let plain = lower == text || !self.is_code;
        (is_word
            && plain
            && (is_noun
                || (is_run && tables::is_named_program(&lower))
                || ["pip", "npm", "yarn", "make", "sudo", "ssh", "curl", "wget"].contains(&lower.as_str())))
        .then_some(lower)
    }

    /// Adds the name as a pattern of code.
    fn forbid_code(&self, text: &str, rule: &mut DecisionRule) -> bool {
        if is_namespace(text) {
            rule.imports.push(text.to_owned());
            return true;
        }
        if ["!", ".", ",", ";", ":", "(", ")", "=", "+", "-", "*", "/", "<", ">", "&", "|", "?"]
            .contains(&text)
        {
            // A single mark is in all source text.
            return false;
        }
        if is_qualified(text) {
            rule.imports.push(text.trim_start_matches('\\').to_owned());
        }
        if text.starts_with("../") || text.starts_with("./") {
            rule.imports.push(format!("*{text}*"));
            return true;
        }
        let is_package = text.starts_with('@') && (text.contains('/') || text.ends_with('*'));
        if is_package {
            rule.packages.push(text.to_owned());
            return true;
        }
        let has_gap = text.contains("...") && !text.contains([' ', '(', '{', '[', '<', '=']);
        if has_gap {
            // `for...in`: neither part alone is what the decision forbids.
            return false;
        }
        if text.ends_with("(f\"") {
            rule.content.push(text.to_owned());
            return true;
        }
        if let Some(inner) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            // A text of a program, or the name of a package in quotes.
            rule.content.push(text.to_owned());
            rule.packages.push(inner.to_owned());
            return true;
        }
        if let Some(comment) = ["//", "/*", "<!--", "#"].iter().find_map(|mark| text.strip_prefix(mark)) {
            let comment = comment.trim().trim_end_matches("*/").trim_end_matches("-->").trim();
            let is_word = comment.len() > 2 && !comment.contains(['(', '[', '{']);
            if is_word && text.len() > comment.len() + 1 {
                rule.content.push(format!("RAW {comment}"));
                rule.languages.push("*".to_owned());
                return true;
            }
        }
        let is_name = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
        if let Some(prefix) = text.strip_suffix("_*").filter(|prefix| is_name(prefix)) {
            rule.content.push(format!("PREFIX {prefix}_"));
            return true;
        }
        if let Some(program) = piped(text) {
            rule.content.push(format!("PIPE {program}"));
            rule.languages.push("*".to_owned());
            return true;
        }
        if let Some(module) = loaded(text) {
            rule.packages.push(module.to_owned());
            return true;
        }
        if let Some(call) = literal_call(text) {
            rule.content.push(call);
            return true;
        }
        if let Some(call) = partial_call(text) {
            rule.content.push(call);
            return true;
        }
        let bare = text.trim_end_matches("()").trim_end_matches('(');
        if bare.len() < text.len() || (text.ends_with(')') && text.contains('(')) {
            let name = text.split('(').next().unwrap_or(bare);
            rule.calls.push(if text.ends_with(')') && !text.ends_with("()") {
                text.split('(').next().unwrap_or(bare).to_owned()
            } else {
                name.to_owned()
            });
            return !name.is_empty();
        }
        let is_plain = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '$'));
        if !is_plain {
            if text.contains(' ') && !self.is_code {
                return false;
            }
            let is_statement = text.split_whitespace().next().is_some_and(|first| {
                [
                    "SELECT", "DROP", "TRUNCATE", "DELETE", "UPDATE", "INSERT", "ALTER", "CREATE", "GRANT",
                    "LOCK",
                ]
                .contains(&first)
            });
            if is_statement {
                rule.languages.push("sql".to_owned());
            }
            rule.content.push(general(text));
            rule.packages.extend(gem(text));
            if let Some(kind) = text.strip_prefix("CREATE ") {
                rule.content.push(format!("CREATE OR REPLACE {kind}"));
            }
            if let Some(module) = imported(text) {
                rule.packages.push(module.to_owned());
            }
            if text.starts_with("from ") && text.ends_with("import *") {
                rule.content.push("import *".to_owned());
                rule.languages.push("py".to_owned());
            }
            return true;
        }
        let is_dotted = text.trim_matches('.').contains('.')
            && !text.contains('/')
            && ![".js", ".io", ".py", ".rs", ".net", ".com", ".go"]
                .iter()
                .any(|ending| text.to_lowercase().ends_with(ending));
        let is_inner = text.starts_with(char::is_lowercase) && text.chars().any(char::is_uppercase)
            || text.contains('_');
        let is_upper = text.len() > 3 && text.chars().all(|c| c.is_uppercase() || c == '_');
        let is_pascal = text.starts_with(char::is_uppercase)
            && text.chars().skip(1).any(char::is_uppercase)
            && text.chars().any(char::is_lowercase);
        if is_dotted || text.starts_with('.') && text.len() > 2 {
            rule.content.push(text.to_owned());
            if !text.starts_with('.') && text.starts_with(char::is_alphabetic) {
                rule.imports.push(text.to_owned());
            }
            return true;
        }
        if is_upper && self.is_code {
            rule.content.push(text.to_owned());
            return true;
        }
        if (is_inner && !text.contains('-')) || is_pascal {
            rule.content.push(text.to_owned());
            rule.packages.push(text.to_owned());
            rule.packages.extend(gem(text).filter(|_| is_pascal));
            return true;
        }
        false
    }
}

/// Allows the templates of files with settings: they hold no secrets.
fn allow_templates(rule: &mut DecisionRule) {
    let endings = ["example", "sample", "template", "dist"];
    rule.allow.extend(endings.iter().map(|ending| format!(".env.{ending}")));
}

/// Adds the patterns of a concept to a rule.
pub(super) fn add_concept(concept: &tables::Concept, rule: &mut DecisionRule) {
    for pattern in concept.patterns.split(" § ") {
        match pattern.split_once(' ') {
            Some(("FILE", glob)) => {
                if glob == ".env.*" {
                    allow_templates(rule);
                }
                rule.files.push(glob.to_owned());
            }
            Some(("CMD", command)) => rule.commands.push(command.to_owned()),
            _ => {
                rule.content.push(pattern.to_owned());
                if pattern.starts_with("RAW") || concept.languages.contains(&"*") {
                    rule.languages.push("*".to_owned());
                }
            }
        }
    }
    if !rule.content.is_empty() {
        rule.languages.extend(concept.languages.iter().map(|name| (*name).to_owned()));
    }
}
