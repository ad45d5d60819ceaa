//! Names of the modules that source text imports.
//!
//! A ban of a library covers its imports:
//!
//! ```
//! use hooks_team_rules::decisions::Decisions;
//!
//! let decisions = Decisions::parse("- Never use jQuery.\n");
//! assert!(!decisions.all()[0].rules.is_empty());
//! ```

use super::lex::{Lexed, Token};
use super::tables;

/// Modules that source text imports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Imports {
    /// Names of modules, packages or namespaces.
    pub(super) modules: Vec<String>,
    /// Addresses of scripts and style sheets.
    pub(super) urls: Vec<String>,
}

impl Imports {
    /// Finds the imports of source text in the language called `language`.
    pub(super) fn new(language: &str, lexed: &Lexed) -> Self {
        let mut imports = Self::default();
        match language {
            "js" => imports.script(lexed),
            "vue" | "html" => {
                imports.script(lexed);
                imports.markup(lexed);
            }
            "css" => imports.style_sheet(&lexed.code),
            "py" => imports.python(lexed),
            "rs" => imports.rust(lexed),
            "go" => imports.go(lexed),
            "jvm" => imports.paths(lexed, &["import"], '.'),
            "cs" => imports.paths(lexed, &["using", "open", "Imports"], '.'),
            "swift" => imports.paths(lexed, &["import"], '.'),
            "hs" => imports.paths(lexed, &["import"], '.'),
            "ex" => imports.elixir(lexed),
            "pl" => imports.perl(&lexed.code),
            "php" => imports.php(lexed),
            "c" => imports.includes(&lexed.code),
            "rb" => {
                imports.after(lexed, &["require", "gem", "autoload"]);
                imports.constants(lexed);
            }
            "lua" => imports.after(lexed, &["require"]),
            "r" => imports.calls(
                lexed,
                &[
                    "library",
                    "require",
                    "requireNamespace",
                    "loadNamespace",
                    "packages",
                    "pkg_install",
                    "install_github",
                ],
            ),
            "dart" => imports.dart(lexed),
            "proto" => imports.after(lexed, &["import"]),
            "clj" => imports.clojure(lexed),
            "sol" => imports.after(lexed, &["import", "from"]),
            "zig" => imports.after(lexed, &["import"]),
            "erl" => imports.after(lexed, &["include_lib"]),
            "nim" => imports.paths(lexed, &["import", "from", "include"], '/'),
            "ml" => imports.paths(lexed, &["open", "include"], '.'),
            "cmake" => imports.calls(
                lexed,
                &["find_package", "FetchContent_Declare", "ExternalProject_Add", "CPMAddPackage"],
            ),
            "tf" => imports.terraform(lexed),
            _ => {}
        }
        imports
    }

    fn add(&mut self, module: &str) {
        if !module.is_empty() {
            self.modules.push(module.to_owned());
        }
    }

    fn script(&mut self, lexed: &Lexed) {
        for (at, token) in lexed.tokens.iter().enumerate() {
            let Some(text) = token.text() else { continue };
            let before = lexed.before(at);
            let is_word = |back: usize, words: &[&str]| {
                at.checked_sub(back)
                    .and_then(|at| lexed.at(at))
                    .and_then(Token::name)
                    .is_some_and(|name| words.contains(&name))
            };
            let in_call = before.is_some_and(|token| token.is('('))
                && (is_word(2, &["require", "import", "importScripts"])
                    || (is_word(2, &["resolve"]) && is_word(4, &["require"])));
            if is_word(1, &["from", "import"]) || in_call {
                if text.contains("://") || text.starts_with("//") {
                    self.urls.push(text.to_owned());
                }
                let module = text.trim_start_matches("npm:").trim_start_matches("jsr:");
                self.add(module);
                if let Some(open) = opened_before(lexed, at) {
                    self.members(lexed, open, &format!("{}.", module.trim_start_matches("node:")));
                }
            }
        }
    }

    fn markup(&mut self, lexed: &Lexed) {
        let mut tag = "";
        for (at, token) in lexed.tokens.iter().enumerate() {
            match token {
                Token::Name(name) if lexed.before(at).is_some_and(|token| token.is('<')) => tag = name,
                Token::Name(name)
                    if ["src", "href"].contains(&name.as_str())
                        && ["script", "link", "iframe"].contains(&tag) =>
                {
                    let value = lexed.at(at + 1).filter(|token| token.is('=')).and_then(|_| lexed.at(at + 2));
                    if let Some(url) = value.and_then(Token::text) {
                        self.urls.push(url.to_owned());
                    }
                }
                _ => {}
            }
        }
    }

    fn style_sheet(&mut self, code: &str) {
        for rule in ["@import", "@use", "@forward", "@plugin", "@tailwind"] {
            for (at, _) in code.match_indices(rule) {
                let rest = code.get(at + rule.len()..).unwrap_or_default();
                let rest = rest.split([';', '\n']).next().unwrap_or_default();
                let name =
                    rest.trim().trim_start_matches("url(").trim_matches(|c: char| "\"'() ".contains(c));
                let name = name.split(['"', '\'', ')', ' ']).next().unwrap_or_default();
                if name.contains("//") {
                    self.urls.push(name.to_owned());
                } else {
                    self.add(name.trim_start_matches('~'));
                    if rule == "@tailwind" {
                        self.add("tailwindcss");
                    }
                }
            }
        }
        for (at, _) in code.match_indices("url(") {
            let rest = code.get(at + 4..).unwrap_or_default();
            let url = rest.split(')').next().unwrap_or_default().trim_matches(|c: char| "\"' ".contains(c));
            if url.contains("//") {
                self.urls.push(url.to_owned());
            }
        }
    }

    fn python(&mut self, lexed: &Lexed) {
        for (at, token) in lexed.tokens.iter().enumerate() {
            let begins = lexed.first.get(at).copied().unwrap_or_default()
                || lexed.before(at).is_some_and(|token| token.is(';') || token.is(':'));
            match token.name() {
                Some("from") if begins => {
                    let (module, end) = dotted(lexed, at + 1, '.');
                    if lexed.at(end).and_then(Token::name) != Some("import") || module.is_empty() {
                        continue;
                    }
                    self.add(&module);
                    if let Some(name) = lexed.at(end + 1).and_then(Token::name) {
                        self.add(&format!("{module}.{name}"));
                    }
                }
                Some("import") if begins => {
                    let mut next = at + 1;
                    loop {
                        let (module, mut end) = dotted(lexed, next, '.');
                        self.add(&module);
                        if lexed.at(end).and_then(Token::name) == Some("as") {
                            end += 2;
                        }
                        if !lexed.at(end).is_some_and(|token| token.is(',')) {
                            break;
                        }
                        next = end + 1;
                    }
                }
                Some("import_module" | "__import__" | "find_spec") => {
                    if let Some(text) = lexed.at(at + 2).and_then(Token::text) {
                        self.add(text);
                    }
                }
                _ => {}
            }
        }
    }

    fn rust(&mut self, lexed: &Lexed) {
        for (at, token) in lexed.tokens.iter().enumerate() {
            let Some(name) = token.name() else { continue };
            let is_crate = lexed.before(at).and_then(Token::name) == Some("crate");
            let is_path = is_pair(lexed, at + 1, ':')
                && !lexed.before(at).is_some_and(|token| token.is(':') || token.is('.'));
            let is_used = lexed.before(at).and_then(Token::name) == Some("use");
            if is_crate || is_used || is_path {
                let (path, end) = dotted(lexed, at, ':');
                self.add(name);
                self.add(&path.replace('.', "::"));
                if is_used {
                    self.members(lexed, end, &format!("{}::", path.replace('.', "::")));
                }
            }
        }
    }

    /// Adds the names in braces from `at` on, each behind `module`: `use a::{b, c}`, `import { b } from`.
    fn members(&mut self, lexed: &Lexed, at: usize, module: &str) {
        if !lexed.at(at).is_some_and(|token| token.is('{')) {
            return;
        }
        let mut depth = 0_usize;
        for at in at..lexed.tokens.len() {
            let Some(token) = lexed.at(at) else { return };
            match token {
                Token::Mark('{') => depth += 1,
                Token::Mark('}') if depth < 2 => return,
                Token::Mark('}') => depth -= 1,
                Token::Name(name)
                    if depth == 1 && lexed.before(at).is_some_and(|token| token.is('{') || token.is(',')) =>
                {
                    self.add(&format!("{module}{name}"));
                }
                _ => {}
            }
        }
    }

    fn go(&mut self, lexed: &Lexed) {
        let mut in_block = false;
        for (at, token) in lexed.tokens.iter().enumerate() {
            if token.name() == Some("import") && lexed.first.get(at) == Some(&true) {
                in_block = lexed.at(at + 1).is_some_and(|token| token.is('('));
                let next = [at + 1, at + 2];
                if !in_block
                    && let Some(text) = next.iter().find_map(|at| lexed.at(*at).and_then(Token::text))
                {
                    self.add(text);
                }
            } else if token.is(')') {
                in_block = false;
            } else if let Some(text) = token.text() {
                let is_line = lexed.first.get(at) == Some(&true)
                    || at.checked_sub(1).and_then(|at| lexed.first.get(at)) == Some(&true);
                let is_last = lexed.first.get(at + 1).is_none_or(|first| *first);
                if in_block || (is_line && is_last && text.contains('/') && !text.contains(' ')) {
                    self.add(text);
                }
            }
        }
    }

    /// Adds the dotted names after `words` at the beginning of a line.
    fn paths(&mut self, lexed: &Lexed, words: &[&str], separator: char) {
        for (at, token) in lexed.tokens.iter().enumerate() {
            let begins = lexed.first.get(at) == Some(&true)
                || lexed.before(at).is_some_and(|token| {
                    token.is(';')
                        || token.is('}')
                        || matches!(token.name(), Some("global" | "testable" | "public"))
                });
            if !begins || !token.name().is_some_and(|name| words.contains(&name)) {
                continue;
            }
            let mut next = at + 1;
            while lexed
                .at(next)
                .and_then(Token::name)
                .is_some_and(|name| ["static", "qualified", "struct", "class", "func"].contains(&name))
            {
                next += 1;
            }
            if lexed.at(next + 1).is_some_and(|token| token.is('=')) {
                next += 2;
            }
            let (path, _) = dotted(lexed, next, separator);
            self.add(&path);
        }
    }

    fn elixir(&mut self, lexed: &Lexed) {
        self.paths(lexed, &["alias", "use", "import", "require"], '.');
        for (at, token) in lexed.tokens.iter().enumerate() {
            let is_module = token.name().is_some_and(|name| name.starts_with(char::is_uppercase));
            if is_module
                && lexed.at(at + 1).is_some_and(|token| token.is('.'))
                && !lexed.before(at).is_some_and(|token| token.is('.'))
            {
                let (path, _) = dotted(lexed, at, '.');
                self.add(&path);
            }
        }
    }

    /// Adds the modules of Ruby that the code names: a gem is often loaded by its framework.
    fn constants(&mut self, lexed: &Lexed) {
        for (at, token) in lexed.tokens.iter().enumerate() {
            let Some(name) = token.name().filter(|name| name.starts_with(char::is_uppercase)) else {
                continue;
            };
            let before = lexed.before(at);
            let is_mixed_in = before
                .and_then(Token::name)
                .is_some_and(|word| ["include", "extend", "prepend"].contains(&word));
            let is_path = is_pair(lexed, at + 1, ':') || lexed.at(at + 1).is_some_and(|token| token.is('.'));
            if !before.is_some_and(|token| token.is(':') || token.is('.')) && (is_mixed_in || is_path) {
                self.add(name);
            }
        }
    }

    fn perl(&mut self, code: &str) {
        for line in code.lines() {
            if let Some(rest) =
                line.trim().strip_prefix("use ").or_else(|| line.trim().strip_prefix("require "))
            {
                self.add(rest.split([' ', ';', '\'', '"']).next().unwrap_or_default());
            }
        }
    }

    fn php(&mut self, lexed: &Lexed) {
        for (at, token) in lexed.tokens.iter().enumerate() {
            let is_path = lexed.at(at + 1).is_some_and(|token| token.is('\\'));
            let begins = !lexed.before(at).is_some_and(|token| token.is('\\'))
                || at.checked_sub(2).and_then(|at| lexed.at(at)).is_none_or(|token| {
                    token.name().is_none_or(|name| {
                        matches!(name, "new" | "use" | "return" | "extends" | "implements")
                    })
                });
            let is_declared = lexed.before(at).and_then(Token::name) == Some("namespace");
            let is_used = lexed.before(at).and_then(Token::name) == Some("use");
            let is_name = token.name().is_some_and(|name| {
                !["new", "use", "return", "extends", "implements", "namespace", "instanceof"].contains(&name)
            });
            if is_name && begins && !is_declared && (is_path || is_used) {
                let (path, _) = dotted(lexed, at, '\\');
                self.add(&path.replace('.', "\\"));
            }
        }
    }

    fn includes(&mut self, code: &str) {
        for line in code.lines() {
            let Some(rest) = line.trim_start().strip_prefix('#').map(str::trim_start) else { continue };
            let Some(rest) = rest.strip_prefix("include").or_else(|| rest.strip_prefix("import")) else {
                continue;
            };
            let rest = rest.trim_start();
            let name = rest.trim_start_matches(['<', '"']).split(['>', '"']).next().unwrap_or_default();
            let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
            // Headers of the project itself have no folder and stand in quotes. Some of libraries do too: `FreeRTOS.h`.
            if rest.starts_with('<') || name.contains('/') || tables::is_capital_package(stem) {
                self.add(name);
                self.add(stem);
            }
        }
    }

    /// Adds the providers and modules of Terraform, and the providers of its resources.
    fn terraform(&mut self, lexed: &Lexed) {
        for (at, token) in lexed.tokens.iter().enumerate() {
            let Some(name) = token.name() else { continue };
            let begins = lexed.first.get(at) == Some(&true);
            let value = |offset: usize| lexed.at(at + offset).and_then(Token::text);
            match name {
                "provider" | "provisioner" if begins => value(1).into_iter().for_each(|text| self.add(text)),
                "resource" | "data" if begins => {
                    let kind = value(1).unwrap_or_default();
                    self.add(kind);
                    self.add(kind.split('_').next().unwrap_or_default());
                }
                "source" if lexed.at(at + 1).is_some_and(|token| token.is('=')) => {
                    let text = value(2).unwrap_or_default();
                    if !text.starts_with('.') {
                        self.add(text.trim_start_matches("registry.terraform.io/"));
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds the texts after `words`.
    fn after(&mut self, lexed: &Lexed, words: &[&str]) {
        for (at, token) in lexed.tokens.iter().enumerate() {
            if token.name().is_some_and(|name| words.contains(&name)) {
                let next = [at + 1, at + 2];
                if let Some(text) = next.iter().find_map(|at| lexed.at(*at).and_then(Token::text)) {
                    self.add(text);
                }
            }
        }
    }

    /// Adds the names in the calls of `functions`.
    fn calls(&mut self, lexed: &Lexed, functions: &[&str]) {
        for (at, token) in lexed.tokens.iter().enumerate() {
            if token.name().is_some_and(|name| functions.contains(&name))
                && lexed.at(at + 1).is_some_and(|token| token.is('('))
            {
                let argument = lexed.at(at + 2);
                if let Some(name) = argument.and_then(|token| token.name().or(token.text())) {
                    self.add(name);
                }
            }
        }
    }

    fn dart(&mut self, lexed: &Lexed) {
        let mut found = Self::default();
        found.after(lexed, &["import", "export"]);
        for module in found.modules {
            if let Some(package) = module.strip_prefix("package:") {
                self.add(package);
            }
        }
    }

    fn clojure(&mut self, lexed: &Lexed) {
        for (at, token) in lexed.tokens.iter().enumerate() {
            if lexed.before(at).is_some_and(|token| token.is('[')) && token.name().is_some() {
                let (path, _) = dotted(lexed, at, '.');
                self.add(&path);
            }
        }
    }
}

/// Reads a dotted name from `at`, whose parts are separated by `separator`; returns it with dots, and its end.
fn dotted(lexed: &Lexed, at: usize, separator: char) -> (String, usize) {
    let (mut path, mut at) = (String::new(), at);
    while let Some(name) = lexed.at(at).and_then(Token::name) {
        path.push_str(name);
        let mut next = at + 1;
        if !lexed.at(next).is_some_and(|token| token.is(separator)) {
            return (path, next);
        }
        while lexed.at(next).is_some_and(|token| token.is(separator)) {
            next += 1;
        }
        if lexed.at(next).and_then(Token::name).is_none() {
            return (path, next);
        }
        path.push('.');
        at = next;
    }
    (path, at)
}

/// Returns the brace that opens the names before the module at `at`: `import { a } from 'm'`, `const { a } = require('m')`.
fn opened_before(lexed: &Lexed, at: usize) -> Option<usize> {
    const LINKS: &[&str] = &["from", "require", "import", "await"];
    let is_link = |at: usize| {
        let token = lexed.at(at);
        token.is_some_and(|token| {
            token.is('(') || token.is('=') || token.name().is_some_and(|name| LINKS.contains(&name))
        })
    };
    let close = (at.saturating_sub(5)..at).rev().find(|at| !is_link(*at))?;
    if !lexed.at(close)?.is('}') {
        return None;
    }
    (close.saturating_sub(60)..close).rev().find(|at| lexed.at(*at).is_some_and(|token| token.is('{')))
}

fn is_pair(lexed: &Lexed, at: usize, mark: char) -> bool {
    [at, at + 1].iter().all(|at| lexed.at(*at).is_some_and(|token| token.is(mark)))
}

#[cfg(test)]
mod tests {
    use super::super::tables::language;
    use super::*;

    fn modules(path: &str, text: &str) -> String {
        let language = language(path).unwrap();
        Imports::new(language.name, &Lexed::new(text, &language)).modules.join(" ")
    }

    #[test]
    fn imports_are_found_in_every_language() {
        for (path, text, wanted) in [
            (
                "a.ts",
                "import x from 'a';\nconst y = require(\"b/c\"); await import('d'); export * from `e`;\n// import 'f'",
                "a b/c d e",
            ),
            (
                "a.py",
                "import os, requests as r\nfrom a.b import c\nfrom . import d\n\"\"\"\nimport x\n\"\"\"",
                "os requests a.b a.b.c",
            ),
            ("a.go", "import (\n\tx \"a/b\"\n\t\"fmt\"\n)\nvar s = \"c/d\"", "a/b fmt"),
            ("A.java", "package p;\nimport static org.joda.time.X;\n", "org.joda.time.X"),
            ("a.cs", "using Newtonsoft.Json;\nusing J = A.B;", "Newtonsoft.Json A.B"),
            ("a.c", "#include <boost/x.hpp>\n#include \"own.h\"", "boost/x.hpp boost/x"),
            ("a.rb", "require 'resque/server'\nrequire_relative 'x'", "resque/server"),
            ("a.swift", "import Alamofire", "Alamofire"),
            (
                "a.php",
                "<?php\nuse Carbon\\Carbon;\nnew \\GuzzleHttp\\Client();",
                "Carbon\\Carbon GuzzleHttp\\Client",
            ),
            ("a.css", "@import \"tailwindcss\";", "tailwindcss"),
            ("a.dart", "import 'package:http/http.dart';\nimport 'own.dart';", "http/http.dart"),
        ] {
            assert_eq!(modules(path, text), wanted, "{path}");
        }
        assert!(
            modules("a.rs", "use anyhow::{Context, Result};\nfn f() { chrono::Utc::now() }")
                .contains("chrono")
        );
    }
}
