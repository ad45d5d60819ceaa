//! Names of the packages that manifests and lock files list.

use super::lex::Lexed;
use super::matcher::is_like;
use super::tables;

/// Forms of manifests and lock files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manifest {
    /// One name a line, with a version behind it: `requirements.txt`, `go.mod`, `go.sum`.
    Lines,
    /// Keys and texts: `package.json`, `composer.json` and their lock files.
    Json,
    /// Keys, headers and texts: `Cargo.toml`, `pyproject.toml`, version catalogues.
    Toml,
    /// Elements and attributes: `pom.xml`, `*.csproj`.
    Xml,
    /// Texts in a language: Gradle, `Gemfile`, `mix.exs`, `Package.swift`, `setup.py`.
    Texts,
    /// Keys and items: `pubspec.yaml`, `environment.yml`, `pnpm-lock.yaml`.
    Yaml,
    /// Names at the beginning of lines: `yarn.lock`, `Gemfile.lock`.
    Lock,
}

impl Manifest {
    /// Returns the form of the manifest at `path`, if it is one.
    pub(super) fn at_path(path: &str) -> Option<Self> {
        row(path).map(|(_, form, _)| *form)
    }

    /// Returns the names of packages in `text`, which may be a part of the manifest.
    pub(super) fn names(self, path: &str, text: &str) -> Vec<String> {
        let language = match self {
            Self::Lines if path.ends_with("go.mod") => tables::language_called("go"),
            Self::Lines | Self::Lock => tables::language_called("sh"),
            _ => tables::language(path),
        };
        let code = language.map_or_else(|| text.to_owned(), |language| Lexed::new(text, &language).code);
        let mut names = Vec::new();
        match self {
            Self::Lines => code.lines().for_each(|line| names.extend(in_line(line))),
            Self::Json => json(&code, &mut names),
            Self::Toml => toml(&code, &mut names),
            Self::Xml => xml(&code, &mut names),
            Self::Texts => texts(&code, &mut names),
            Self::Yaml => code.lines().for_each(|line| yaml(line, &mut names)),
            Self::Lock => code.lines().for_each(|line| lock(line, &mut names)),
        }
        names
    }
}

/// Returns the endings of the files that the packages of the manifest at `path` are for.
pub(super) fn kinds_of_files(path: &str) -> &'static [&'static str] {
    row(path).map_or(&[], |(_, _, files)| *files)
}

type Row = (&'static str, Manifest, &'static [&'static str]);

const MANIFESTS: &[Row] = table!("manifests");

/// Returns the row of the manifest at `path`.
fn row(path: &str) -> Option<&'static Row> {
    let path = path.replace('\\', "/").to_lowercase();
    let file = path.rsplit('/').next().unwrap_or(&path);
    let fits = |pattern: &str| match pattern.contains('/') {
        true => is_like(&format!("*{pattern}"), &format!("/{path}")),
        false => is_like(pattern, file),
    };
    MANIFESTS.iter().find(|(pattern, _, _)| fits(pattern))
}

/// Returns the name of a package without its version, extras and markers.
pub(super) fn bare(name: &str) -> &str {
    let name = name.trim().trim_matches(|c: char| "\"'`,;".contains(c));
    let name = name.strip_prefix("npm:").unwrap_or(name);
    let (scope, rest) = match name.strip_prefix('@') {
        Some(rest) => ("@", rest),
        None => ("", name),
    };
    let end = rest
        .find(['@', '[', '=', '<', '>', '~', '!', ';', ' ', '^', '(', ',', '#', '\t'])
        .unwrap_or(rest.len());
    name.get(..scope.len() + end).unwrap_or(name)
}

fn in_line(line: &str) -> Option<String> {
    let line = line.trim().trim_start_matches([',', ' ']);
    let line = [
        "build-depends:",
        "Imports:",
        "Depends:",
        "Suggests:",
        "require ",
        "tap ",
        "brew ",
        "cask ",
        "replace ",
        "tool ",
        "nuget ",
        "github ",
    ]
    .iter()
    .find_map(|word| line.strip_prefix(word))
    .unwrap_or(line)
    .trim();
    if line.is_empty() || line.starts_with('-') || line.starts_with("module ") || line.starts_with(['(', ')'])
    {
        return None;
    }
    if let Some((_, name)) = line.split_once("#egg=") {
        return Some(bare(name).to_owned());
    }
    Some(bare(line).to_owned())
}

/// Keys of JSON manifests whose values are no packages.
const OTHER_KEYS: &[&str] = &[
    "name",
    "version",
    "description",
    "license",
    "author",
    "main",
    "module",
    "types",
    "type",
    "homepage",
    "node",
    "npm",
    "engines",
    "private",
    "url",
    "bugs",
    "repository",
    "scripts",
    "browser",
    "exports",
    "files",
    "keywords",
    "resolved",
    "integrity",
    "packagemanager",
];

fn json(code: &str, names: &mut Vec<String>) {
    let strings = strings(code);
    for (at, (text, is_key)) in strings.iter().enumerate() {
        let value = strings.get(at + 1).filter(|(_, is_key)| !is_key).map(|(value, _)| value.as_str());
        if *is_key {
            let path = text.rsplit_once("node_modules/").map_or(text.as_str(), |(_, name)| name);
            match value {
                _ if path.len() != text.len() => names.push(path.to_owned()),
                Some(value) if is_version(value) && !OTHER_KEYS.contains(&text.to_lowercase().as_str()) => {
                    names.push(bare(text).to_owned());
                    if value.starts_with("npm:") {
                        names.push(bare(value).to_owned());
                    }
                }
                // In a lock file of Composer, each package is an object with its name.
                Some(value) if text == "name" && code.contains("\"dist\"") => names.push(value.to_owned()),
                None if text.contains('@') && !text.starts_with("@types") => {
                    names.push(bare(text).to_owned());
                }
                _ => {}
            }
        }
    }
}

/// Whether a value is the version of a package.
fn is_version(value: &str) -> bool {
    let value = value.trim();
    let is_word = ["*", "latest", "next", "x", "beta", "canary", "stable"].contains(&value);
    let is_source = [
        "workspace:",
        "npm:",
        "git",
        "file:",
        "link:",
        "http",
        "catalog:",
        "github:",
        "portal:",
        "patch:",
        "dev-",
        "jsr:",
    ]
    .iter()
    .any(|word| value.starts_with(word));
    let digits = value.trim_start_matches(|c: char| "^~<>=v! ".contains(c));
    is_word || is_source || digits.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns the texts in double quotes, each with whether it is a key.
fn strings(code: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some((_, behind)) = rest.split_once('"') {
        let Some((text, after)) = behind.split_once('"') else { break };
        found.push((text.to_owned(), after.trim_start().starts_with(':')));
        rest = after;
    }
    found
}

/// Keys of TOML manifests whose values are no packages.
const PROSE_KEYS: &[&str] = &[
    "description",
    "authors",
    "license",
    "readme",
    "keywords",
    "repository",
    "homepage",
    "documentation",
    "version",
    "edition",
    "categories",
    "path",
    "url",
    "checksum",
    "source",
    "hash",
    "python",
    "requires-python",
    "ref",
    "rev",
    "branch",
    "tag",
    "classifiers",
    "maintainers",
    "scripts",
];

fn toml(code: &str, names: &mut Vec<String>) {
    let mut own = true;
    for line in code.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            let header = header.trim_matches(['[', ']']);
            own = matches!(header, "package" | "project" | "bin" | "lib");
            if line.starts_with("[[package]]") {
                own = false;
            }
            if header.contains("dependencies.") {
                names.push(
                    header.rsplit("dependencies.").next().unwrap_or_default().trim_matches('"').to_owned(),
                );
            }
            continue;
        }
        let (key, value) = match line.split_once('=') {
            Some((key, value)) if is_key(key) => (key.trim().trim_matches('"'), value),
            _ => ("", line),
        };
        if PROSE_KEYS.contains(&key) {
            continue;
        }
        if !key.is_empty() && key != "name" {
            names.push(key.split('.').next().unwrap_or(key).to_owned());
        }
        if key == "name" && own {
            continue;
        }
        for text in quoted(value) {
            let is_version = text.starts_with(|c: char| c.is_ascii_digit() || "^~<>=*".contains(c));
            if !is_version && !text.contains("://") && !text.contains(": ") {
                names.push(bare(&text).to_owned());
                names.push(text.trim().to_owned());
            }
        }
    }
}

fn is_key(key: &str) -> bool {
    let key = key.trim().trim_matches('"');
    !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || "_-.@/".contains(c))
}

/// Returns the texts in quotes of a line.
fn quoted(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find(['"', '\'']) {
        let Some((_, behind)) = rest.split_at_checked(at) else { break };
        let Some(quote) = behind.chars().next() else { break };
        let Some((text, after)) = behind.get(1..).and_then(|inner| inner.split_once(quote)) else { break };
        found.push(text.to_owned());
        rest = after;
    }
    found
}

fn xml(code: &str, names: &mut Vec<String>) {
    let mut group = String::new();
    for (at, _) in code.match_indices('<') {
        let tag = code.get(at + 1..).unwrap_or_default();
        let value = |name: &str| {
            tag.strip_prefix(name)
                .and_then(|rest| rest.strip_prefix('>'))
                .and_then(|rest| rest.split('<').next())
                .map(str::trim)
        };
        if let Some(text) = value("groupId") {
            group = text.to_owned();
            names.push(group.clone());
        } else if let Some(text) = value("artifactId") {
            names.push(if group.is_empty() { text.to_owned() } else { format!("{group}:{text}") });
            names.push(text.to_owned());
        } else if ["PackageReference", "Reference", "PackageVersion", "package", "dependency"]
            .iter()
            .any(|name| tag.starts_with(name))
        {
            let tag = tag.split('>').next().unwrap_or_default();
            for key in ["Include=\"", "id=\"", "org=\"", "name=\"", "Update=\""] {
                if let Some((_, rest)) = tag.split_once(key) {
                    names.push(bare(rest.split('"').next().unwrap_or_default()).to_owned());
                }
            }
        }
    }
}

fn texts(code: &str, names: &mut Vec<String>) {
    for line in code.lines() {
        for text in quoted(line) {
            let text = text.trim();
            if text.contains(' ') && !text.contains(['=', '<', '>', '~']) {
                continue;
            }
            let name = text.split_once("://").map_or(text, |(_, rest)| rest).trim_end_matches(".git");
            names.push(bare(name).to_owned());
        }
        // `{:httpoison, "~> 2.2"}` and `id 'x'`
        for (at, _) in line.match_indices("{:") {
            let rest = line.get(at + 2..).unwrap_or_default();
            names.push(
                rest.split(|c: char| !(c.is_alphanumeric() || c == '_'))
                    .next()
                    .unwrap_or_default()
                    .to_owned(),
            );
        }
        // `"org" %% "name"` and `libs.name`
        for (at, _) in line.match_indices("libs.") {
            let rest = line.get(at + 5..).unwrap_or_default();
            let rest =
                rest.strip_prefix("plugins.").or_else(|| rest.strip_prefix("bundles.")).unwrap_or(rest);
            names.push(
                rest.split(|c: char| !(c.is_alphanumeric() || c == '_'))
                    .next()
                    .unwrap_or_default()
                    .to_owned(),
            );
        }
        let trimmed = line.trim_start().trim_start_matches(['"', '[', '{']);
        if line.contains("%") || trimmed.contains("==") || trimmed.contains(">=") {
            names.push(bare(trimmed).to_owned());
        }
    }
}

fn yaml(line: &str, names: &mut Vec<String>) {
    let trimmed = line.trim().trim_start_matches("- ").trim_matches(|c: char| "\"'".contains(c));
    let key = trimmed.split_once(": ").map_or(trimmed.trim_end_matches(':'), |(key, _)| key);
    let key = key.trim_matches(|c: char| "\"'".contains(c)).trim_start_matches('/');
    if ["name", "description", "version", "sdk"].contains(&key) {
        return;
    }
    names.push(bare(key).to_owned());
}

fn lock(line: &str, names: &mut Vec<String>) {
    let trimmed = line.trim().trim_start_matches("- ");
    for part in trimmed.trim_end_matches(':').split(", ") {
        names.push(bare(part).trim_end_matches('!').to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_found_in_every_manifest() {
        for (path, text, wanted) in [
            ("requirements.txt", "flask==3.0\nrequests[socks]>=2 # x\n-r other.txt", "requests"),
            ("package.json", "{\"name\": \"a\", \"devDependencies\": {\"jest\": \"^29\"}}", "jest"),
            ("package-lock.json", "\"node_modules/moment\": {\"version\": \"2\"}", "moment"),
            ("Cargo.toml", "[dependencies]\nbincode = \"1.3\"", "bincode"),
            ("Cargo.toml", "reqwest = { version = \"0.12\", features = [\"native-tls\"] }", "native-tls"),
            ("pyproject.toml", "dependencies = [\n  \"requests>=2.31\",\n]", "requests"),
            ("Cargo.lock", "[[package]]\nname = \"openssl\"", "openssl"),
            ("go.mod", "require (\n\tgithub.com/pkg/errors v0.9.1\n)", "github.com/pkg/errors"),
            (
                "pom.xml",
                "<groupId>org.apache.logging.log4j</groupId><artifactId>log4j-core</artifactId>",
                "org.apache.logging.log4j:log4j-core",
            ),
            ("a.csproj", "<PackageReference Include=\"AutoMapper\" Version=\"1\" />", "AutoMapper"),
            (
                "build.gradle.kts",
                "implementation(\"com.google.dagger:dagger:2.52\")",
                "com.google.dagger:dagger:2.52",
            ),
            ("Gemfile", "gem 'resque', '~> 2.6'", "resque"),
            ("Gemfile.lock", "    delayed_job (4.1.13)", "delayed_job"),
            ("pnpm-lock.yaml", "  socket.io-client@4.8.1:", "socket.io-client"),
            ("yarn.lock", "moment@^2.0, moment@^2.30:", "moment"),
            ("mix.exs", "{:httpoison, \"~> 2.2\"}", "httpoison"),
            ("pubspec.yaml", "  http: ^1.0", "http"),
            (
                "Package.swift",
                ".package(url: \"https://github.com/Alamofire/Alamofire.git\", from: \"5\")",
                "github.com/Alamofire/Alamofire",
            ),
        ] {
            let names = Manifest::at_path(path).unwrap().names(path, text);
            assert!(names.iter().any(|name| name == wanted), "{path}: {names:?}");
        }
        let text = "{\"name\": \"moment\", \"description\": \"from Jest\", \"version\": \"1.0.0\"}";
        assert!(Manifest::Json.names("package.json", text).is_empty());
    }
}
