//! Files that compilers and Python's modules write.
//!
//! Without `-o`, the name of the output follows from the options:
//!
//! ```
//! use hooks_facts::commands::{Analysis, Options};
//!
//! let analysis = Analysis::of_text("gcc -c src/a.c; gcc src/b.c", &Options::default());
//! let written: Vec<_> = analysis.writes().iter().filter_map(|write| write.target.literal()).collect();
//! assert_eq!(written, ["a.o", "a.out"]);
//! ```

use super::{Changes, Source, has, operands};
use crate::commands::access::AccessKind;
use crate::commands::argument::Argument;

/// Options of C compilers with which nothing is written to a file.
const WRITES_NOTHING: &[&str] =
    &["-E", "-M", "-MM", "-fsyntax-only", "--version", "-v", "-dumpversion", "-dumpmachine", "-###"];

impl Changes<'_> {
    /// `gcc -c a.c` writes `a.o`, `gcc a.c` writes `a.out`.
    pub(super) fn compiled(&mut self, words: &[Argument]) {
        let is = |option: &str| words.iter().any(|word| word.literal() == Some(option));
        let mut outputs: Vec<Argument> = Vec::new();
        for (at, word) in words.iter().enumerate() {
            match word.prefix() {
                "-o" | "-MF" | "-MJ" => outputs.extend(words.get(at + 1).cloned()),
                // `-Wp,-MD,FILE`, `-Wl,-Map=FILE`.
                text if text.starts_with("-Wp,-M") || text.starts_with("-Wl,-Map") => {
                    let file = text.rsplit([',', '=']).next().unwrap_or_default();
                    outputs.push(Argument::from(file));
                }
                text if text.starts_with("-o") && !text.starts_with("-obj") => {
                    outputs.extend(word.strip_prefix("-o"));
                }
                _ => {}
            }
        }
        let has_output = words.iter().any(|word| word.prefix().starts_with("-o"));
        self.all(
            &outputs.iter().filter(|file| file.literal() != Some("-")).collect::<Vec<_>>(),
            AccessKind::Changed,
        );
        if has_output || WRITES_NOTHING.iter().any(|option| is(option)) || has(words, '\0', "--help") {
            return;
        }
        let sources = operands(words, "", &[]);
        let sources = sources.iter().filter(|file| {
            [".c", ".cc", ".cpp", ".cxx", ".m", ".s", ".S", ".f", ".f90", ".o"]
                .iter()
                .any(|ending| file.outline().ends_with(ending))
        });
        if is("-c") || is("-S") {
            for source in sources {
                let name = source.outline();
                let name = name.rsplit('/').next().unwrap_or(&name);
                let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
                let ending = if is("-c") { "o" } else { "s" };
                self.one(&Argument::of_outline(&format!("{stem}.{ending}")), AccessKind::Changed);
            }
        } else if sources.count() > 0 {
            self.one(&Argument::from("a.out"), AccessKind::Changed);
        }
    }

    /// `python -m MODULE WORDS`.
    pub(super) fn by_module(&mut self, words: &[Argument]) {
        let Some(at) = words.iter().position(|word| word.literal() == Some("-m")) else { return };
        let Some(module) = words.get(at + 1).and_then(Argument::literal) else { return };
        let words = words.get(at + 2..).unwrap_or_default();
        let files = operands(words, "", &["indent", "prompt", "system-site-packages"]);
        let packs = has(words, 'c', "--create");
        match (module, files.as_slice()) {
            ("zipfile" | "tarfile", [archive, ..]) if packs => self.one(archive, AccessKind::Changed),
            ("zipfile" | "tarfile", [archive, folder]) if has(words, 'e', "--extract") => {
                self.fills_from(folder, Some(Source::Archive((*archive).clone())));
            }
            ("tarfile", [archive]) if has(words, 'e', "--extract") => {
                self.fills_from(&Argument::from("."), Some(Source::Archive((*archive).clone())));
            }
            ("venv" | "virtualenv", folders) => folders.iter().for_each(|folder| self.fills(folder)),
            ("json.tool", [_, to]) => self.one(to, AccessKind::Changed),
            ("gzip", files) => {
                for file in files {
                    let name = file.outline();
                    let other = name.strip_suffix(".gz").filter(|_| has(words, 'd', "--decompress"));
                    let name = other.map_or_else(|| format!("{name}.gz"), str::to_owned);
                    self.one(&Argument::of_outline(&name), AccessKind::Changed);
                }
            }
            ("pip", _) => self.outputs("pip", words),
            ("grpc_tools.protoc", _) => self.generated(words),
            ("black" | "isort" | "yapf" | "ruff" | "autopep8" | "pyupgrade", _) => {
                self.written_operands(module, words);
            }
            (module, _) => self.outputs(module, words),
        }
    }

    /// `jar cf FILE …`, `ar rcs FILE …`: the first word is a bundle of letters.
    pub(super) fn by_letters(&mut self, name: &str, words: &[Argument]) {
        let [first, rest @ ..] = words else { return };
        let letters = first.prefix().trim_start_matches('-');
        match name {
            "jar" if letters.starts_with(['c', 'u']) && letters.contains('f') => {
                self.all(&rest.iter().take(1).collect::<Vec<_>>(), AccessKind::Changed);
            }
            "jar" if letters.starts_with('x') => {
                let source = rest.first().filter(|_| letters.contains('f')).cloned().map(Source::Archive);
                match rest.get(1..).filter(|names| !names.is_empty() && source.is_some()) {
                    Some(names) => names.iter().for_each(|name| self.fills(name)),
                    None => self.fills_from(&Argument::from("."), source),
                }
            }
            "ar" if letters.contains(['r', 'q', 'd', 'm', 's']) && !letters.contains(['t', 'p', 'x']) => {
                self.all(&rest.iter().take(1).collect::<Vec<_>>(), AccessKind::Changed);
            }
            "ar" if letters.contains('x') => {
                let folder = super::value(words, '\0', "--output").unwrap_or_else(|| Argument::from("."));
                self.fills(&folder);
            }
            _ => {}
        }
    }
}
