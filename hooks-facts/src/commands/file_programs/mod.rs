//! Files that plain programs change: `rm`, `cp`, `tee`, `sed -i` and similar ones, as far as their words are
//! known.
//!
//! A program is known by its kind: it removes or replaces its operands, copies, unpacks, or has an option for
//! its output. A partly known word is kept as such; policies decide about the names that it may stand for.
//! Separate modules handle copied trees (`copies`), git (`tracked`), archives (`archives`), searches
//! (`found`) and splitting (`split`). Options that name an output are a table (`outputs`).

mod archives;
mod compilers;
mod copies;
mod devices;
mod downloads;
mod found;
mod operands;
mod outputs;
mod sed;
mod split;
mod tracked;

use super::access::{AccessKind, Source};
use super::analysis::UnresolvedReason;
use super::argument::Argument;
use super::code_calls::only_reads;
use super::walk::{Stream, Walk};
use crate::globs::Gap;
use crate::shell::Span;
use crate::tools::{PathRole, patched_files};

pub(super) use archives::{packed_in_folders, tar_mode};
pub(super) use copies::{LONG_VALUES, inside, is_remote, short_values, target_folder};
pub(super) use found::{FD_STARTS, Search, wildcards};
pub(super) use sed::sed_files;

/// Programs that replace each operand by another file.
const COMPRESSORS: &[&str] = table!("program_words_compressors");

/// File extensions that they remove.
const COMPRESSED: &[&str] = &[".gz", ".bz2", ".xz", ".zst", ".lzma", ".lz4", ".br", ".Z"];

/// Notes the files that a program changes.
pub(super) fn note(walk: &mut Walk, name: &str, words: &[Argument], input: &Stream, span: Span) {
    let mut changes = Changes { walk, span };
    changes.outputs(name, words);
    changes.downloaded(name, words);
    changes.written_operands(name, words);
    match name {
        "rm" | "grm" | "wipe" | "deltree" | "rmtree" | "rmdir" | "unlink" | "shred" | "srm" | "trash"
        | "trash-put" | "rimraf" | "del-cli" => {
            changes.all(&operands(words, "ns", &["size", "iterations", "trash-dir"]), AccessKind::Removed);
        }
        "gio" | "cmake" => changes.as_another(words),
        "fallocate" => changes.all(&operands(words, "lo", &["length", "offset"]), AccessKind::Changed),
        "flock" => changes.locked(words),
        "sudo" if words.iter().take_while(|word| word.prefix().starts_with('-')).any(edits) => {
            changes.all(&operands(words, "ughpCrtTUDR", &["user", "group"]), AccessKind::Changed);
        }
        "sudoedit" => changes.all(&operands(words, "ughpCrtTUDR", &["user", "group"]), AccessKind::Changed),
        "touch" => changes.all(&operands(words, "drt", &["date", "reference"]), AccessKind::Changed),
        "mkdir" | "mkfifo" => changes.all(&operands(words, "m", &["mode"]), AccessKind::Changed),
        "truncate" => changes.all(&operands(words, "sr", &["size", "reference"]), AccessKind::Changed),
        "tee" | "sponge" => changes.all(&operands(words, "", &[]), AccessKind::Changed),
        "ed" | "red" if !only_shows(input) => {
            changes.all(&operands(words, "p", &["prompt"]), AccessKind::Changed);
        }
        "ex" | "vi" | "vim" | "nvim" | "emacs" | "nano" => {
            let files = operands(words, "cSuTip", &["cmd", "eval", "load"]);
            let is_command = |file: &&&Argument| file.prefix().starts_with('+');
            if writes_elsewhere(words) {
                return;
            }
            changes.all(
                &files.iter().filter(|file| !is_command(file)).copied().collect::<Vec<_>>(),
                AccessKind::Changed,
            );
        }
        "sqlite3" | "sqlite" | "litecli" => changes.database(words, input),
        "rsync" if has(words, 'n', "--dry-run") => {}
        "cp" | "mv" | "install" | "ln" | "rsync" | "scp" => changes.copies(name, words),
        "rclone" | "aws" | "gsutil" | "gcloud" | "kubectl" => changes.fetches(name, words),
        "link" | "uniq" | "xxd" => changes.second(name, words),
        "rename" | "prename" => changes.all(&rest(operands(words, "e", &[])), AccessKind::Removed),
        "sed" | "gsed" => {
            changes.edited(words, "efl");
            changes.sed_files(words);
        }
        "perl" | "ruby" => changes.edited(words, "eE"),
        "yq" => changes.edited(words, ""),
        "awk" | "gawk" => changes.edited_by_awk(words),
        // Codex patches files with a command that looks like a program.
        "apply_patch" | "applypatch" => changes.patched(words, input),
        "patch" => changes.patch(words, input),
        "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++" | "gfortran" | "tcc" => changes.compiled(words),
        "python" | "python3" | "python2" | "pypy" | "pypy3" => changes.by_module(words),
        "jar" | "ar" => changes.by_letters(name, words),
        "chmod" | "chown" | "chgrp" => {
            let files = operands(words, "", &["reference", "from"]);
            let has_reference = words.iter().any(|word| word.prefix().starts_with("--reference"));
            changes.all(files.get(usize::from(!has_reference)..).unwrap_or_default(), AccessKind::Changed);
        }
        "docker" | "podman" if words.first().is_some_and(|word| word.prefix() == "cp") => {
            if let [_, target] = operands(words.get(1..).unwrap_or_default(), "", &[]).as_slice()
                && !target.outline().contains(':')
            {
                changes.maybe(target, AccessKind::Filled);
                changes.one(target, AccessKind::Named);
            }
        }
        "cpio" if has(words, 'p', "--pass-through") => {
            changes.all(&operands(words, "", &[]), AccessKind::Filled);
        }
        "protoc" => changes.generated(words),
        "sass" => {
            for word in operands(words, "I", &["load-path", "style"]) {
                if let Some((_, to)) = word.outline().split_once(':') {
                    changes.one(&Argument::of_outline(to), AccessKind::Changed);
                }
            }
        }
        // `-n` only shows the commands.
        "make" | "gmake" if !has_flag(words, 'n', "--dry-run", "CEfIjloW") => {
            for folder in words.iter().filter_map(|word| word.strip_prefix("DESTDIR=")) {
                changes.fills(&folder);
            }
        }
        "mktemp" if !has_flag(words, 'u', "--dry-run", "p") => {
            let is_elsewhere = has(words, 'p', "--tmpdir") || has(words, 't', "");
            let templates = operands(words, "p", &["suffix"]);
            let template = templates.first().filter(|_| !is_elsewhere).map(|word| word.outline());
            if let Some(template) = template {
                let name = template.trim_end_matches('X').to_owned() + &Gap::Name.stand_in().to_string();
                changes.one(&Argument::of_outline(&name), AccessKind::Changed);
            }
        }
        "ssh-keygen"
            if !['y', 'l', 'B', 'R', 'F', 'H', 'e', 'L', 'Q']
                .into_iter()
                .any(|letter| has_flag(words, letter, "", "abCDEfFIJmMnNOPQrRsStTVwWYzZ")) =>
        {
            let file = value(words, 'f', "");
            changes.all(&file.iter().collect::<Vec<_>>(), AccessKind::Changed);
        }
        // The file is named in its header.
        "exiftool"
            if words.iter().any(|word| word.prefix().starts_with('-') && word.prefix().contains('=')) =>
        {
            changes.all(&operands(words, "o", &[]), AccessKind::Changed);
        }
        "npm" | "pnpm" | "yarn"
            if words.iter().any(|word| matches!(word.literal(), Some("install" | "i" | "add"))) =>
        {
            if let Some(folder) = value(words, '\0', "--prefix") {
                changes.fills(&folder);
            }
        }
        "uudecode" if !has(words, 'o', "--output-file") => {
            let named = match input {
                Stream::Known(text) => {
                    text.lines().find_map(|line| line.strip_prefix("begin")?.splitn(3, ' ').nth(2))
                }
                _ => None,
            };
            changes.one(&named.map_or_else(Argument::unknown, Argument::from), AccessKind::Changed);
        }
        "pdftotext" if operands(words, "flrxyWHCe", &["enc", "eol"]).len() == 1 => {
            for file in operands(words, "flrxyWHCe", &["enc", "eol"]) {
                let name = file.outline();
                let name = name.strip_suffix(".pdf").unwrap_or(&name).to_owned() + ".txt";
                changes.one(&Argument::of_outline(&name), AccessKind::Changed);
            }
        }
        "dd" => {
            let outputs: Vec<_> = words.iter().filter_map(|word| word.strip_prefix("of=")).collect();
            changes.all(&outputs.iter().collect::<Vec<_>>(), AccessKind::Changed);
        }
        "find" => changes.found(words),
        "gdb" => changes.logged_by_gdb(words),
        "mount" => changes.mounted(words),
        "git" => changes.tracked(words, input),
        "tar" | "bsdtar" | "gtar" => changes.tar(words),
        "unzip" => changes.unzip(words),
        "7z" | "7za" | "7zr" | "7zz" => changes.seven_zip(words),
        "zip" => changes.zip(words),
        "script" => changes.script(words),
        "split" | "gsplit" => changes.split(words),
        "csplit" | "gcsplit" => changes.csplit(words),
        "cpio" if has(words, 'i', "--extract") => {
            let archive = changes.walk.input_file.clone().map(Source::Archive);
            changes.fills_from(&Argument::from("."), archive);
        }
        name if devices::formats(name) && !devices::only_tries(name, words) => changes.formatted(words),
        "zstd" | "unzstd" | "lz4" | "brotli" => changes.compressed(name, words),
        name if COMPRESSORS.contains(&name) => changes.compressed(name, words),
        _ => {}
    }
}

/// Options of an editor that neither name a file of commands nor are one.
const QUIET: &[&str] = &[
    "-e",
    "-E",
    "-s",
    "-es",
    "-Es",
    "-n",
    "-N",
    "-R",
    "-nes",
    "--clean",
    "--noplugin",
    "--not-a-term",
    "--headless",
];

/// Returns whether the commands of an editor leave its files as they are: each of them is known to, and there are no others.
fn writes_elsewhere(words: &[Argument]) -> bool {
    let mut words = words.iter();
    let mut last = None;
    while let Some(word) = words.next() {
        match word.literal() {
            Some("-c") => {
                last = words.next().and_then(Argument::literal);
                if !last.is_some_and(leaves_files) {
                    return false;
                }
            }
            Some("-u" | "-i") if words.next().and_then(Argument::literal) == Some("NONE") => {}
            Some(text) if QUIET.contains(&text) || !text.starts_with(['-', '+']) => {}
            _ => return false,
        }
    }
    matches!(last, Some("q" | "q!" | "qa" | "qa!" | "quit" | "quit!" | "cq"))
}

/// Returns whether a command of an editor changes no file, or another one than it has open.
fn leaves_files(command: &str) -> bool {
    let command = command.trim_start_matches(|c: char| c.is_ascii_digit() || ",.$%: ".contains(c));
    let letters = command.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(command.len());
    let (name, rest) = command.split_at(letters);
    match name {
        "q" | "quit" | "qa" | "qall" | "cq" | "p" | "print" | "nu" | "number" | "d" | "delete" | "sort" => {
            matches!(rest, "" | "!")
        }
        // An expression may call anything.
        "s" => !rest.contains(['|', '\n']) && !rest.contains("\\="),
        "norm" | "normal" => !rest.contains(['Z', ':', '@', '|', '\u{1b}']),
        "w" | "write" | "sav" | "saveas" => {
            let rest = rest.strip_prefix('!').unwrap_or(rest);
            rest.starts_with(' ')
                && rest.split_whitespace().count() == 1
                && !rest.trim_start().starts_with(['!', '>', '+'])
                && !rest.contains(['%', '#', '|', '`', '$', '*', '<'])
        }
        _ => false,
    }
}

struct Changes<'w> {
    walk: &'w mut Walk,
    span: Span,
}

impl Changes<'_> {
    fn all(&mut self, files: &[&Argument], kind: AccessKind) {
        for file in files {
            self.one(file, kind);
        }
    }

    fn one(&mut self, file: &Argument, kind: AccessKind) {
        if file.literal() != Some("") {
            self.walk.writes(file, kind, self.span);
        }
    }

    /// `protoc --python_out=FOLDER`.
    fn generated(&mut self, words: &[Argument]) {
        let is_output = |word: &&Argument| word.prefix().starts_with("--") && word.prefix().contains("_out=");
        for word in words.iter().filter(is_output) {
            let outline = word.outline();
            let folder =
                outline.split_once('=').map_or("", |(_, value)| value.rsplit(':').next().unwrap_or(value));
            self.one(&Argument::of_outline(folder), AccessKind::Generated);
        }
    }

    /// Notes a file that is written only under some conditions.
    fn maybe(&mut self, file: &Argument, kind: AccessKind) {
        if file.literal() != Some("") {
            self.walk.may_write(file, kind, self.span);
        }
    }

    /// Notes that files with unknown names appear in a folder.
    fn fills(&mut self, folder: &Argument) {
        self.one(folder, AccessKind::Filled);
    }

    /// Notes that the files that an archive or a patch names appear in a folder.
    fn fills_from(&mut self, folder: &Argument, source: Option<Source>) {
        self.walk.source = source;
        self.fills(folder);
        self.walk.source = None;
    }

    /// `sqlite3 FILE STATEMENTS`: the file is changed unless all statements only read.
    fn database(&mut self, words: &[Argument], input: &Stream) {
        let long =
            ["-cmd", "-init", "-separator", "-nullvalue", "cmd", "init", "separator", "nullvalue", "mmap"];
        let given = operands(words, "", &long);
        let Some((file, statements)) = given.split_first() else { return };
        let is_read_only =
            has(words, '\0', "--readonly") || words.iter().any(|word| word.literal() == Some("-readonly"));
        let is_in_memory = matches!(file.literal(), Some(":memory:"));
        let is_reading = match (statements, input) {
            ([], Stream::Known(text)) => only_reads(text.as_ref()),
            ([], input) => matches!(input, Stream::Empty),
            (statements, _) => statements.iter().all(|text| text.literal().is_some_and(only_reads)),
        };
        if !(is_read_only || is_in_memory || is_reading) {
            self.one(file, AccessKind::Changed);
        }
    }

    /// `gio trash FILES`, `cmake -E rm FILES`: the program's own names for other programs.
    fn as_another(&mut self, words: &[Argument]) {
        let words = match words.split_first() {
            Some((first, rest)) if first.literal() == Some("-E") => rest,
            _ => words,
        };
        let Some((name, rest)) = words.split_first() else { return };
        match name.prefix() {
            "rm" | "remove" | "remove_directory" | "trash" => {
                self.all(&operands(rest, "", &[]), AccessKind::Removed);
            }
            "touch" | "touch_nocreate" | "make_directory" | "mkdir" | "save" => {
                self.all(&operands(rest, "", &[]), AccessKind::Changed);
            }
            "rename" | "move" => self.copies("mv", rest),
            "copy" | "copy_if_different" | "copy_directory" => self.copies("cp", rest),
            "create_symlink" | "create_hardlink" => self.copies("ln", rest),
            _ => {}
        }
    }

    /// `flock FILE WORDS`: the file is created if it does not exist. A number is a file descriptor.
    fn locked(&mut self, words: &[Argument]) {
        if let Some(file) = operands(words, "wE", &["timeout", "wait", "conflict-exit-code"]).first()
            && file.literal().is_none_or(|text| text.parse::<u32>().is_err())
        {
            self.one(file, AccessKind::Changed);
        }
    }

    /// `gdb -ex 'set logging file FILE'`, and its other commands that end with a file to write.
    fn logged_by_gdb(&mut self, words: &[Argument]) {
        let begins = ["set logging file ", "save ", "dump ", "append ", "generate-core-file ", "gcore "];
        for word in words {
            let text = word.outline();
            if let Some(start) = begins.into_iter().find(|start| text.starts_with(start)) {
                let files = text.get(start.len()..).unwrap_or_default().split_whitespace();
                files.for_each(|file| self.one(&Argument::of_outline(file), AccessKind::Changed));
            }
        }
    }

    /// `link A B`, `uniq A B`, `xxd A B`.
    fn second(&mut self, name: &str, words: &[Argument]) {
        let letters = if name == "uniq" { "fsw" } else { "fswcglos" };
        let files = operands(words, letters, &[]);
        if let [from, to] = files.as_slice() {
            self.one(to, AccessKind::Changed);
            if name == "link" {
                self.one(from, AccessKind::Linked);
            }
        }
    }

    /// `gzip A` replaces `A` by `A.gz`.
    fn compressed(&mut self, name: &str, words: &[Argument]) {
        let looks = [('c', "--stdout"), ('l', "--list"), ('t', "--test")];
        if looks.into_iter().any(|(short, long)| has(words, short, long)) || has(words, 'c', "--to-stdout") {
            return;
        }
        // These keep their source, and add an ending of their own.
        let ending = match name {
            "zstd" | "unzstd" => Some("zst"),
            "lz4" => Some("lz4"),
            "brotli" => Some("br"),
            _ => None,
        };
        let keeps = ending.is_some() && !has(words, 'j', "--rm");
        let has_output = has(words, 'o', "--output");
        for file in operands(words, "SobTM", &["suffix", "output"]) {
            if !keeps {
                self.one(file, AccessKind::Removed);
            }
            if has_output {
                continue;
            }
            let stem = file
                .literal()
                .and_then(|text| COMPRESSED.iter().find_map(|ending| text.strip_suffix(ending)));
            match stem {
                Some(stem) => self.one(&Argument::from(stem), AccessKind::Changed),
                None => {
                    let name = ending.map(|ending| format!("{}.{ending}", file.outline()));
                    self.all(
                        &name.as_deref().map(Argument::of_outline).iter().collect::<Vec<_>>(),
                        AccessKind::Changed,
                    );
                }
            }
        }
        self.output(words, 'o', "--output");
    }

    /// `patch FILE PATCH`, and `patch` with the names of files in its input.
    fn patch(&mut self, words: &[Argument], input: &Stream) {
        self.output(words, 'o', "--output");
        if has(words, '\0', "--dry-run") {
            return;
        }
        let long = ["input", "output", "strip", "directory", "reject-file", "fuzz"];
        if let Some(file) = operands(words, "BDFVYdgiopz", &long).first() {
            return self.one(file, AccessKind::Changed);
        }
        let folder = value(words, 'd', "--directory");
        let patch = value(words, 'i', "--input").or_else(|| self.walk.input_file.clone());
        self.patched_by(input, folder, patch);
    }

    /// Notes the files that a patch names, applied in a folder.
    fn patched_by(&mut self, input: &Stream, folder: Option<Argument>, patch: Option<Argument>) {
        match (input, folder) {
            (Stream::Known(text), folder) => {
                let text = [Argument::from(text.as_ref())];
                let span = self.span;
                self.walk
                    .in_folder(folder.as_ref(), |walk| Changes { walk, span }.patched(&text, &Stream::Empty));
            }
            (_, folder) => {
                let patch = patch.filter(|_| matches!(input, Stream::File(_))).map(Source::Patch);
                self.fills_from(&folder.unwrap_or_else(|| Argument::from(".")), patch);
            }
        }
    }

    /// `gawk -i inplace PROGRAM FILES`.
    fn edited_by_awk(&mut self, words: &[Argument]) {
        let is_inplace = |(at, word): (usize, &Argument)| {
            let next = || words.get(at + 1).and_then(Argument::literal);
            matches!(word.literal(), Some("-iinplace" | "--include=inplace"))
                || matches!(word.literal(), Some("-i" | "--include")) && next() == Some("inplace")
        };
        if words.iter().enumerate().any(is_inplace) {
            let files = operands(words, "viFfEe", &["include", "file", "assign", "source"]);
            let has_program = has(words, 'f', "--file") || has(words, 'e', "--source");
            let files = if has_program { files } else { rest(files) };
            self.all(&files, AccessKind::Changed);
        }
    }

    /// `apply_patch PATCH`, and `apply_patch` that reads the patch. A patch that is not known may change any
    /// file.
    fn patched(&mut self, words: &[Argument], input: &Stream) {
        let text = match (words.first().map(Argument::literal), input) {
            (Some(Some(text)), _) => text.to_owned(),
            (None, Stream::Known(text)) => text.to_string(),
            (None, Stream::Empty) => return,
            _ => return self.walk.unresolved(UnresolvedReason::Text, self.span),
        };
        for (path, role) in patched_files(&text) {
            match (path, role) {
                (None, _) => self.walk.unresolved(UnresolvedReason::Text, self.span),
                (Some(path), PathRole::Written) => self.one(&Argument::from(&*path), AccessKind::Changed),
                (Some(path), PathRole::Removed) => self.one(&Argument::from(&*path), AccessKind::Removed),
                (Some(_), PathRole::Read | PathRole::LinkTarget | PathRole::Filled) => {}
            }
        }
    }

    /// `script -c COMMAND FILE`.
    fn script(&mut self, words: &[Argument]) {
        let long = [
            "command",
            "echo",
            "log-in",
            "log-io",
            "log-out",
            "log-timing",
            "logging-format",
            "output-limit",
        ];
        match operands(words, "BEIOTcmo", &long).first() {
            Some(file) => self.one(file, AccessKind::Changed),
            None => self.one(&Argument::from("typescript"), AccessKind::Changed),
        }
    }

    /// `patch -o FILE`.
    fn output(&mut self, words: &[Argument], short: char, long: &str) {
        for (at, word) in words.iter().enumerate() {
            let text = word.prefix();
            let bundle = text.starts_with('-') && !text.starts_with("--");
            let file = match word
                .strip_prefix(&format!("{long}="))
                .or_else(|| word.strip_prefix(&format!("-{short}")))
            {
                Some(file) if file.len() > 0 => Some(file),
                _ if text == long || (bundle && text.ends_with(short)) => words.get(at + 1).cloned(),
                _ => None,
            };
            if let Some(file) = file.filter(|file| file.literal() != Some("-")) {
                self.one(&file, AccessKind::Changed);
            }
        }
    }

    /// Notes the copy of a file that is kept under another name: `sed -i.bak`, `perl -i'old/*'`.
    fn kept_copy(&mut self, file: &Argument, suffix: &str) {
        let is_suffix = suffix.contains(['.', '*', '~', '/'])
            || Gap::from_char(suffix.chars().next().unwrap_or(' ')).is_some();
        if !is_suffix {
            return;
        }
        let outline = file.outline();
        let (folder, name) =
            outline.rsplit_once('/').map_or(("", &*outline), |(folder, name)| (folder, name));
        let star = Gap::Name.stand_in();
        let kept = match suffix.contains(['*', star]) {
            true => suffix.replace(['*', star], name),
            false => format!("{name}{suffix}"),
        };
        let kept = if kept.contains('/') || folder.is_empty() { kept } else { format!("{folder}/{kept}") };
        self.one(&Argument::of_outline(&kept), AccessKind::Changed);
    }

    /// `sed -i SCRIPT FILES`; `short` options take a value.
    fn edited(&mut self, words: &[Argument], short: &str) {
        let letters = |word: &Argument| {
            let text = word.prefix();
            let bundle =
                text.strip_prefix('-').filter(|letters| !letters.starts_with('-')).unwrap_or_default();
            let end = bundle.find(['e', 'f']).unwrap_or(bundle.len());
            (bundle.get(..end).unwrap_or_default().contains('i'), end < bundle.len())
        };
        let is_long = |text: &str| {
            let option = text.split('=').next().unwrap_or(text);
            option.len() > "--".len() && "--in-place".starts_with(option)
        };
        let in_place = words.iter().any(|word| letters(word).0 || is_long(word.prefix()));
        if !in_place {
            return;
        }
        let has_script = words.iter().any(|word| {
            letters(word).1
                || word.prefix().starts_with("--expression")
                || word.prefix().starts_with("--file")
        });
        let files = operands(words, short, &["expression", "file", "line-length"]);
        let files = files.get(usize::from(!has_script)..).unwrap_or_default();
        self.all(files, AccessKind::Changed);
        let suffix = words
            .iter()
            .find_map(|word| word.strip_prefix("--in-place=").or_else(|| word.strip_prefix("-i")));
        for file in files {
            self.kept_copy(file, suffix.as_ref().map(Argument::outline).as_deref().unwrap_or_default());
        }
    }
}

/// Returns the words that are neither options nor values of these options.
pub(super) fn operands<'w>(words: &'w [Argument], short: &str, long: &[&str]) -> Vec<&'w Argument> {
    let mut found = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.prefix();
        if text == "--" {
            found.extend(words);
            break;
        }
        let takes_next = match text.strip_prefix("--") {
            Some(name) => long.contains(&name),
            None if text.len() > 1 && text.starts_with('-') => {
                text.find(|c| short.contains(c)).is_some_and(|at| at + 1 == text.len())
            }
            None => {
                found.push(word);
                false
            }
        };
        if takes_next {
            words.next();
        }
    }
    found
}

/// Returns whether the commands for `ed` write no file.
fn only_shows(input: &Stream) -> bool {
    let writes = |line: &str| line.trim_start_matches(|c: char| !c.is_alphabetic()).starts_with(['w', 'W']);
    matches!(input, Stream::Known(text) if !text.to_string().lines().any(writes))
}

/// Returns whether an option makes `sudo` edit files.
fn edits(option: &Argument) -> bool {
    matches!(option.literal(), Some("-e" | "--edit"))
}

/// Returns all words except the first.
fn rest(words: Vec<&Argument>) -> Vec<&Argument> {
    words.into_iter().skip(1).collect()
}

/// Returns whether an option is given, also in a bundle.
pub(super) fn has(words: &[Argument], short: char, long: &str) -> bool {
    has_flag(words, short, long, "")
}

/// Returns whether an option is given, also in a bundle. Text behind one of `valued` in a bundle is its value.
fn has_flag(words: &[Argument], short: char, long: &str, valued: &str) -> bool {
    let options = words.iter().take_while(|word| word.literal() != Some("--")).map(Argument::prefix);
    options.into_iter().any(|text| match text.strip_prefix("--") {
        Some(_) => text.split('=').next() == Some(long),
        None => text.strip_prefix('-').is_some_and(|bundle| {
            let end = bundle.find(|letter| valued.contains(letter)).map_or(bundle.len(), |at| at + 1);
            bundle.get(..end).unwrap_or(bundle).contains(short)
        }),
    })
}

/// Returns the value of an option: attached, or the next word.
pub(super) fn value(words: &[Argument], short: char, long: &str) -> Option<Argument> {
    words.iter().enumerate().find_map(|(at, word)| {
        let text = word.prefix();
        if let Some(value) = word.strip_prefix(&format!("{long}=")).filter(|_| !long.is_empty()) {
            return Some(value);
        }
        let bundle = text.strip_prefix('-').filter(|bundle| !bundle.starts_with('-'));
        let behind = bundle.and_then(|bundle| bundle.split_once(short));
        match behind {
            _ if text == long && !long.is_empty() => words.get(at + 1).cloned(),
            Some((_, "")) if word.literal().is_some() => words.get(at + 1).cloned(),
            Some((before, _)) => word.strip_prefix(&format!("-{before}{short}")),
            None => None,
        }
    })
}
