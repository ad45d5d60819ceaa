//! Paths, globs and names of files.

use super::super::tables;
use super::super::words::Word;

/// Whether a word is a path or a glob.
pub(in super::super) fn is_path(word: &Word) -> bool {
    let text = word.text.as_str();
    if text.contains(' ')
        || text.contains("://")
        || text.starts_with('@')
        || text.starts_with('-')
        || text.contains(['(', '=', '<', '{', '!', '`', '"', ':'])
    {
        return false;
    }
    if without_arity(text).len() < text.len() {
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
    // In prose, "the license" is no file.
    let is_plain_word = !word.is_code && !text.contains('.') && !text.starts_with(char::is_uppercase);
    has_glob
        || is_file(file) && !is_plain_word && !text.contains("github.com")
        || (text.contains('/') && starts_at_root(text))
}

/// Returns a function without the number of its arguments, as Erlang and Elixir write it: `String.to_atom/1`.
pub(super) fn without_arity(text: &str) -> &str {
    let is_arity = |(name, count): &(&str, &str)| {
        let is_number = (1..=2).contains(&count.len()) && count.chars().all(|c| c.is_ascii_digit());
        is_number
            && !name.contains('/')
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '?' | '!' | ':'))
    };
    text.split_once('/').filter(is_arity).map_or(text, |(name, _)| name)
}

/// Whether `text` is a namespace of Java: `com.sun.*`.
pub(super) fn is_namespace(text: &str) -> bool {
    text.ends_with(".*")
        && !text.contains('/')
        && ["com", "org", "java", "javax", "io", "net", "sun", "kotlin", "scala", "jakarta"]
            .contains(&text.split('.').next().unwrap_or_default())
}

/// Whether `file` is the name of a file.
pub(in super::super) fn is_file(file: &str) -> bool {
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
    // `sync.Map` is a type.
    let is_member = file.rsplit('.').next().is_some_and(|ending| {
        ending.starts_with(char::is_uppercase) && ending.chars().skip(1).any(char::is_lowercase)
    });
    !stem.is_empty() && !is_member && ENDINGS.contains(&ending) && tables::technology(&lower).is_none()
}

pub(super) fn starts_at_root(text: &str) -> bool {
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
