//! Names of things in prose: libraries, calls, patterns, commands and files.

use super::rule::DecisionRule;
use super::tables;
use super::words::Word;

/// Something that prose names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) is_code: bool,
    /// Word behind the name for the kind of thing, such as `package`.
    pub(super) noun: String,
    /// Whether a word before the name restricts it to new ones.
    pub(super) is_new: bool,
}

/// Use of a name in the sentence around it.
#[derive(Clone, Debug, Default)]
pub(super) struct Use {
    /// Verb of the sentence.
    pub(super) verb: String,
    /// Whether another name of the sentence is a call.
    pub(super) is_call: bool,
    /// Whether the sentence is about files that exist.
    pub(super) is_existing: bool,
}

/// Programs whose commands decisions name.
const PROGRAMS: &[&str] = &[
    "git",
    "npm",
    "npx",
    "yarn",
    "pnpm",
    "bun",
    "docker",
    "kubectl",
    "helm",
    "terraform",
    "pip",
    "pip3",
    "conda",
    "poetry",
    "uv",
    "cargo",
    "go",
    "make",
    "rm",
    "chmod",
    "chown",
    "curl",
    "wget",
    "ssh",
    "scp",
    "sudo",
    "aws",
    "gcloud",
    "az",
    "psql",
    "mysql",
    "redis-cli",
    "systemctl",
    "gh",
    "hub",
    "mvn",
    "gradle",
    "dotnet",
    "bundle",
    "gem",
    "rails",
    "rake",
    "php",
    "composer",
    "artisan",
    "python",
    "node",
    "deno",
    "tsc",
    "sed",
    "dd",
    "kill",
    "pkill",
    "killall",
    "eval",
    "source",
    "apt",
    "apt-get",
    "brew",
    "yum",
    "ansible-playbook",
    "vagrant",
    "crontab",
    "ftp",
    "telnet",
    "rsync",
    "nohup",
    "tmux",
    "nc",
    "docker-compose",
    "heroku",
    "firebase",
    "vercel",
    "flyctl",
    "svn",
    "hg",
    "bash",
    "sh",
    "mkfs",
    "shutdown",
    "reboot",
    "iptables",
    "alembic",
    "prisma",
    "knex",
    "flask",
    "django-admin",
    "twine",
    "dropdb",
    "createdb",
    "gs",
    "ln",
    "mv",
    "cp",
];

/// Longest name of a table, in words.
const LONGEST: usize = 6;
/// Verbs about existing files.
pub(super) const FILE_VERBS: &[&str] = &[
    "edit",
    "touch",
    "change",
    "modify",
    "edited",
    "touched",
    "changed",
    "modified",
    "hand-edit",
    "hand-edited",
    "alter",
    "altered",
    "update",
    "updated",
    "delete",
    "deleted",
    "move",
    "moved",
    "rename",
    "read-only",
    "frozen",
    "immutable",
    "untouchable",
    "rewrite",
    "rewritten",
    "overwrite",
    "overwritten",
    "reformat",
    "hands",
    "hand-written",
    "written",
];

/// Returns the names in `words`.
pub(super) fn names(words: &[Word]) -> Vec<Name> {
    let mut found = Vec::new();
    let mut words = words.to_vec();
    // Some names have a conjunction in them.
    for at in 0..words.len() {
        let phrase = known(words.get(at..).unwrap_or_default()).filter(|(_, length)| *length > 2);
        if let Some((text, length)) =
            phrase.filter(|_| words.get(at + 1).is_some_and(|word| word.is_in(&["&", "and"])))
        {
            found.push(Name { text, is_code: false, noun: String::new(), is_new: false });
            words.drain(at..(at + length).min(words.len()));
        }
    }
    for item in words.split(|word| {
        word.is_in(&[
            "and", "or", "nor", ",", "/", "&", "neither", "both", "either", "plus", "also", ";", "as",
            "well", "\u{2014}",
        ])
    }) {
        in_item(item, &mut found);
    }
    found
}

/// Adds the names in an item of a list.
fn in_item(item: &[Word], found: &mut Vec<Name>) {
    let is_new = item.iter().any(|word| word.is_in(&["new", "further", "additional"]));
    let mut rest = item;
    // Behind a preposition, a purpose or a place follows.
    let head = item
        .iter()
        .position(|word| {
            word.is_in(&["for", "in", "with", "when", "at", "because", "from", "on", "to", "as"])
        })
        .filter(|at| *at > 0)
        .and_then(|at| item.get(..at))
        .unwrap_or(item);
    let mut plain = 0;
    let before = found.len();
    while let Some((first, behind)) = rest.split_first() {
        if first.is_code
            && behind.first().is_some_and(|word| word.is("with"))
            && behind.get(1).is_some_and(|word| word.is_in(&["f-strings", "f-string"]))
        {
            found.push(Name {
                text: format!("{}(f\"", first.text.trim_end_matches("()")),
                is_code: true,
                noun: String::new(),
                is_new,
            });
            rest = behind;
            continue;
        }
        if first.is_code {
            let noun =
                behind.first().filter(|word| word.is_in(tables::FILLER)).map(|word| word.lower.clone());
            found.push(Name {
                text: first.text.clone(),
                is_code: true,
                noun: noun.unwrap_or_default(),
                is_new,
            });
            rest = behind;
            continue;
        }
        if let Some((command, length)) = commanded(rest) {
            found.push(Name { text: command, is_code: true, noun: String::new(), is_new });
            rest = rest.get(length..).unwrap_or_default();
            continue;
        }
        if let Some(version) = versioned(rest) {
            found.push(Name { text: version, is_code: false, noun: String::new(), is_new });
            rest = rest.get(2..).unwrap_or_default();
            continue;
        }
        if let Some((name, length)) = known(rest) {
            let behind = rest.get(length..).unwrap_or_default();
            let noun = behind
                .first()
                .filter(|word| word.is_in(tables::FILLER))
                .map(|word| word.lower.clone())
                .unwrap_or_default();
            found.push(Name { text: name, is_code: false, noun, is_new });
            rest = behind;
            continue;
        }
        if looks_like_name(first) {
            let noun = behind
                .first()
                .filter(|word| word.is_in(tables::FILLER))
                .map(|word| word.lower.clone())
                .unwrap_or_default();
            found.push(Name { text: first.text.clone(), is_code: false, noun, is_new });
        } else if !first.is_in(tables::ADJECTIVE)
            && !first.is_in(tables::FILLER)
            && rest.len() + head.len() > item.len()
        {
            plain += 1;
        }
        rest = behind;
    }
    if found.len() > before {
        let own = found.split_off(before);
        found.extend(chosen(own));
        return;
    }
    if plain != 1 {
        return;
    }
    // A single word without a table: a name, unless it is a word of English.
    let mut own = head.iter().filter(|word| !word.is_in(tables::ADJECTIVE) && !word.is_in(tables::FILLER));
    if let Some(word) = own.next().filter(|word| is_unknown(word)) {
        let noun = head
            .last()
            .filter(|last| *last != word && last.is_in(tables::FILLER))
            .map(|last| last.lower.clone())
            .unwrap_or_default();
        found.push(Name { text: word.text.clone(), is_code: false, noun, is_new });
    }
}

/// Chooses from the names of one item those that are forbidden: a language or a framework before a code span or a
/// pattern is only the place where that is used.
fn chosen(own: Vec<Name>) -> Vec<Name> {
    if own.iter().any(|name| name.is_code) {
        return own.into_iter().filter(|name| name.is_code).collect();
    }
    let is_pattern = |name: &Name| tables::concept(&name.text.to_lowercase()).is_some();
    if own.len() > 1 && own.last().is_some_and(is_pattern) {
        return own.into_iter().rev().take(1).collect();
    }
    own.into_iter().take(1).collect()
}

/// Returns the longest name of a table that `words` begin with, and its length.
fn known(words: &[Word]) -> Option<(String, usize)> {
    (1..=LONGEST.min(words.len())).rev().find_map(|length| {
        let part = words.get(..length)?;
        if part.iter().any(|word| word.is_code && length > 1) {
            return None;
        }
        let text = part.iter().map(|word| word.lower.trim_end_matches("()")).collect::<Vec<_>>().join(" ");
        // A common word alone is a name only where it is written as one.
        let is_common = length == 1
            && (tables::ENGLISH.contains(&text.as_str()) || tables::ADJECTIVE.contains(&text.as_str()));
        let is_known = tables::technology(&text).is_some() || tables::concept(&text).is_some();
        (is_known && !is_common && !tables::ACTOR.contains(&text.as_str())).then_some((text, length))
    })
}

/// Returns a command that is not in a code span: `curl -k`, `chmod 777`.
fn commanded(words: &[Word]) -> Option<(String, usize)> {
    let first = words.first().filter(|first| !first.is_code && PROGRAMS.contains(&first.text.as_str()))?;
    let options = words.iter().skip(1).take_while(|word| {
        !word.is_code
            && (word.text.len() > 1 && word.text.starts_with('-')
                || word.text.chars().all(|c| c.is_ascii_digit()))
    });
    let options: Vec<&str> = options.map(|word| word.text.as_str()).collect();
    (!options.is_empty()).then(|| (format!("{} {}", first.text, options.join(" ")), options.len() + 1))
}

/// Returns a language with its version: `Python 3.8`.
fn versioned(words: &[Word]) -> Option<String> {
    let (first, version) = (words.first()?, words.get(1)?);
    let is_runtime = first.is_in(&[
        "python", "node", "node.js", "ruby", "java", "php", "go", "dotnet", ".net", "jdk", "postgres",
        "mysql", "debian", "ubuntu",
    ]);
    let is_version = version.text.starts_with(|c: char| c.is_ascii_digit())
        && version.text.chars().all(|c| c.is_ascii_digit() || c == '.');
    (is_runtime && is_version && !first.is_code).then(|| format!("{} {}", first.lower, version.text))
}

fn looks_like_name(word: &Word) -> bool {
    let text = word.text.as_str();
    let mut letters = text.chars();
    let first = letters.next().unwrap_or(' ');
    let has_inner_capital = letters.any(char::is_uppercase) && text.chars().any(char::is_lowercase);
    let has_mark = text.chars().any(|c| matches!(c, '_' | '@' | '(' | '/' | '=' | '*' | '<' | '$' | '\\'))
        || text.trim_start_matches('.').contains('.');
    let has_digit = text.chars().any(|c| c.is_ascii_digit()) && text.chars().any(char::is_alphabetic);
    let is_dashed = text.contains('-')
        && text.len() > 3
        && !text.ends_with('-')
        && first.is_lowercase()
        && !is_english_compound(&word.lower);
    let is_file = text.starts_with('.') && text.len() > 2
        || text.starts_with('-')
            && text.len() > 1
            && text.chars().nth(1).is_some_and(|c| c.is_alphabetic() || c == '-');
    let is_number = text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '/' | ':' | '%'));
    !is_number && (has_inner_capital || has_mark || has_digit || is_dashed || is_file) && !is_date(text)
}

fn is_date(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().filter(char::is_ascii_digit).count() * 2 > text.len()
}

fn is_english_compound(word: &str) -> bool {
    let mut parts = word.split('-');
    parts.any(|part| {
        tables::ENGLISH.contains(&part)
            || tables::ADJECTIVE.contains(&part)
            || [
                "party", "hand", "level", "in", "style", "based", "end", "run", "made", "check", "like",
                "free", "safe", "wide", "off", "on", "re", "ad", "non", "co", "well", "self", "built",
                "side", "project", "lived", "time", "scale", "request", "requests", "commit", "push",
            ]
            .contains(&part)
            || tables::USED.contains(&part)
    })
}

/// Whether a word that no table lists may be the name of a library.
fn is_unknown(word: &Word) -> bool {
    let lower = word.lower.as_str();
    let is_word = lower.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '+')
        && lower.chars().any(char::is_alphabetic);
    let singular = lower.strip_suffix('s').unwrap_or(lower);
    let lists: [&[&str]; 14] = [
        tables::ENGLISH,
        tables::PRONOUN,
        tables::ADJECTIVE,
        tables::FILLER,
        tables::ACTOR,
        tables::USED,
        tables::VERB,
        tables::BE,
        tables::AUXILIARY,
        tables::NEGATION,
        tables::BANNED,
        tables::PLACE_WORD,
        tables::BOUNDARY,
        tables::PERMIT,
    ];
    is_word
        && lower.len() > 1
        && !lists.iter().any(|list| list.contains(&lower) || list.contains(&singular))
        && tables::area(lower).is_none()
}

/// Whether a word is a path or a glob.
pub(super) fn is_path(word: &Word) -> bool {
    let text = word.text.as_str();
    if text.contains(' ')
        || text.contains("://")
        || text.starts_with('@')
        || text.starts_with('-')
        || text.contains(['(', '=', '<', '{', '!', '`', '"', ':'])
    {
        return false;
    }
    if text.ends_with('/') && text.len() > 1 && !text.starts_with("..") {
        return true;
    }
    if is_namespace(text) {
        return false;
    }
    let file = text.rsplit('/').next().unwrap_or(text);
    let has_glob = text.contains('*')
        && (text.contains('/') || text.contains('.'))
        && text.len() > 2
        && !text.ends_with("_*");
    has_glob || is_file(file) && !text.contains("github.com") || (text.contains('/') && starts_at_root(text))
}

/// Whether `text` is a namespace of Java: `com.sun.*`.
fn is_namespace(text: &str) -> bool {
    text.ends_with(".*")
        && !text.contains('/')
        && ["com", "org", "java", "javax", "io", "net", "sun", "kotlin", "scala", "jakarta"]
            .contains(&text.split('.').next().unwrap_or_default())
}

/// Whether `file` is the name of a file.
pub(super) fn is_file(file: &str) -> bool {
    const FILES: &[&str] = &[
        "makefile",
        "dockerfile",
        "gemfile",
        "podfile",
        "rakefile",
        "jenkinsfile",
        "procfile",
        "vagrantfile",
        "brewfile",
        "license",
        "changelog",
        "codeowners",
        "justfile",
    ];
    const ENDINGS: &[&str] = &[
        "md",
        "json",
        "yml",
        "yaml",
        "toml",
        "lock",
        "txt",
        "xml",
        "snap",
        "cfg",
        "ini",
        "csv",
        "proto",
        "graphql",
        "sql",
        "tf",
        "sh",
        "rs",
        "go",
        "py",
        "java",
        "kt",
        "rb",
        "ts",
        "tsx",
        "jsx",
        "css",
        "scss",
        "html",
        "vue",
        "swift",
        "php",
        "ex",
        "cs",
        "cpp",
        "h",
        "hpp",
        "pem",
        "key",
        "properties",
        "gradle",
        "kts",
        "coffee",
        "less",
        "sass",
        "mod",
        "sum",
        "bazel",
        "csproj",
        "ipynb",
        "svg",
        "png",
        "pdf",
        "map",
        "tfvars",
        "tfstate",
        "mjs",
        "cjs",
        "pb",
        "lockb",
    ];
    let lower = file.to_lowercase();
    if FILES.contains(&lower.as_str()) {
        return true;
    }
    if let Some(rest) = lower.strip_prefix('.') {
        return !rest.is_empty()
            && rest.starts_with(|c: char| c.is_alphabetic())
            && !rest.contains('(')
            && (rest.contains("rc")
                || rest.starts_with("env")
                || rest.starts_with("git")
                || rest.contains('.')
                || ENDINGS.contains(&rest));
    }
    let Some((stem, ending)) = lower.rsplit_once('.') else { return false };
    !stem.is_empty() && ENDINGS.contains(&ending) && tables::technology(&lower).is_none()
}

fn starts_at_root(text: &str) -> bool {
    const ROOTS: &[&str] = &[
        "src",
        "lib",
        "app",
        "apps",
        "packages",
        "crates",
        "services",
        "internal",
        "cmd",
        "test",
        "tests",
        "docs",
        "scripts",
        "tools",
        "config",
        "infra",
        "deploy",
        "web",
        "server",
        "client",
        "frontend",
        "backend",
        "public",
        "assets",
        "styles",
        "db",
        "migrations",
        "vendor",
        "generated",
        "third_party",
        "modules",
        "libs",
        "core",
        "api",
        "ui",
        "components",
        "pages",
        "build",
        "dist",
        "examples",
        "bin",
        "fixtures",
        ".github",
        ".circleci",
        "projects",
        "mobile",
        "shared",
        "common",
        "platform",
        "data",
        "pipelines",
        "jobs",
        "legacy",
        "ops",
        "schemas",
        "proto",
        "resources",
        "static",
        "templates",
    ];
    text.split('/').next().is_some_and(|first| ROOTS.contains(&first))
}

impl Name {
    /// Adds the name to the rule that forbids it. Returns whether it is something that a call can bring in.
    pub(super) fn forbid_in(&self, rule: &mut DecisionRule, usage: &Use) -> bool {
        let text = self.text.trim().trim_end_matches(',');
        let lower = text.to_lowercase();
        let word = Word { text: text.to_owned(), lower: lower.clone(), is_code: self.is_code };
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
            rule.images.push(text.to_owned());
            return true;
        }
        if is_library {
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
            rule.imports.push(format!("*{}*", text.trim_end_matches('/')));
            return true;
        }
        if let Some(files) = self.files(text, &word) {
            self.forbid_files(files, rule, usage);
            return true;
        }
        let with_noun = format!("{lower} {}", self.noun);
        if let Some(concept) = tables::concept(&with_noun)
            .or_else(|| tables::concept(&lower))
            .or_else(|| tables::concept(lower.trim_end_matches("()")))
        {
            add_concept(concept, rule);
            // The name may be a technology as well.
            if tables::technology(&lower).is_none() {
                return true;
            }
        }
        if let Some(command) = self.command(text, usage) {
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
        let is_package = !text.contains(' ') && text.chars().any(char::is_alphanumeric);
        if is_package {
            rule.packages.push(text.to_owned());
            if usage.is_call && text.chars().all(|c| c.is_alphanumeric() || c == '_') {
                rule.calls.push(text.to_owned());
            }
        }
        is_package
    }

    /// Returns the globs of the files that the name stands for.
    fn files(&self, text: &str, word: &Word) -> Option<Vec<String>> {
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
        (is_path(word) || (is_noun && self.is_code && !text.contains(' '))).then(|| vec![text.to_owned()])
    }

    fn forbid_files(&self, files: Vec<String>, rule: &mut DecisionRule, usage: &Use) {
        let list = if usage.is_existing {
            &mut rule.existing_files
        } else if FILE_VERBS.contains(&usage.verb.as_str()) {
            &mut rule.paths
        } else if self.is_new || ["create", "created"].contains(&usage.verb.as_str()) {
            &mut rule.new_files
        } else {
            &mut rule.files
        };
        list.extend(files);
    }

    /// Returns the command that the name stands for.
    fn command(&self, text: &str, usage: &Use) -> Option<String> {
        let first = text.split_whitespace().next().unwrap_or_default();
        let is_program = PROGRAMS.contains(&first) || tables::is_program(first);
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
        if text.contains(' ') && is_program && self.is_code && !text.contains(['(', ';', '{', '=']) {
            return Some(text.trim_end_matches('.').trim_end().to_owned());
        }
        let is_word =
            !text.contains(' ') && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
        let lower = text.to_lowercase();
        let plain = lower == text || !self.is_code;
        (is_word
            && plain
            && (is_noun
                || (is_run && PROGRAMS.contains(&lower.as_str()))
                || ["pip", "npm", "yarn", "make", "sudo", "ssh", "curl", "wget"].contains(&lower.as_str())))
        .then_some(lower)
    }

    /// Adds the name as a pattern of code.
    fn forbid_code(&self, text: &str, rule: &mut DecisionRule) -> bool {
        if is_namespace(text) {
            rule.imports.push(text.to_owned());
            return true;
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
        if text.ends_with("(f\"") {
            rule.content.push(text.to_owned());
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
        if (is_inner && !text.contains('-')) || (is_pascal && self.is_code) {
            rule.content.push(text.to_owned());
            rule.packages.push(text.to_owned());
            return true;
        }
        false
    }
}

/// Replaces names that stand for any name: `from x import *`.
fn general(text: &str) -> String {
    let is_any = |word: &str| ["x", "y", "foo", "bar", "X", "Foo", "name", "module"].contains(&word);
    if !text.contains("import ") {
        return text.to_owned();
    }
    text.split(' ').map(|word| if is_any(word) { "_" } else { word }).collect::<Vec<_>>().join(" ")
}

/// Adds the patterns of a concept to a rule.
fn add_concept(concept: &tables::Concept, rule: &mut DecisionRule) {
    for pattern in concept.patterns.split(" § ") {
        match pattern.split_once(' ') {
            Some(("FILE", glob)) => rule.files.push(glob.to_owned()),
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
