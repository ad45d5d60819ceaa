//! Output of simple programs, so that `$(echo rm)` and `echo … | sh` can be followed.

use super::argument::Argument;
use super::file_programs;
use super::git;
use super::walk::{Stream, Walk};
use crate::globs::Gap;
use crate::shell::escape;

/// Returns the output of a program that starts no other program; `None` if the program is not one that
/// prints.
pub(super) fn simulate(name: &str, words: &[Argument], input: &Stream, walk: &mut Walk) -> Option<Stream> {
    if PLACES.contains(&name) {
        return Some(places(words));
    }
    match name {
        "command" if words.first().is_some_and(is_asking) => Some(places(words)),
        // The real name of a file in an unknown folder.
        "readlink" | "realpath" => Some(placed(words)),
        "dirname" => Some(Stream::Names(operands_of(words).map(above).collect())),
        "echo" => Some(echo(words, walk)),
        "printf" if words.first().is_none_or(|word| !word.prefix().starts_with("-v")) => Some(printf(words)),
        "cat" => Some(cat(words, input, walk)),
        "mktemp" => Some(Stream::Names([mktemp(words)].into())),
        "rev" if words.is_empty() => match input {
            Stream::Known(text) => {
                let lines: Vec<String> = text.lines().map(|line| line.chars().rev().collect()).collect();
                Some(Stream::from_text(lines.join("\n") + "\n"))
            }
            _ => Some(Stream::Unknown),
        },
        "ls" | "dir" => Some(listed(words)),
        // One name, or numbers: without a slash.
        "basename" | "seq" | "whoami" | "hostname" | "nproc" => {
            Some(Stream::Names([Argument::of_outline(&Gap::Name.stand_in().to_string())].into()))
        }
        // Prints some of the names, or all of them.
        "sort" | "tac" | "head" | "tail" if is_some_of(words, input, 0) => Some(input.clone()),
        "grep" | "egrep" | "fgrep" if is_some_of(words, input, 1) => Some(input.clone()),
        "pwd" => Some(match walk.working_folder() {
            Some(Argument::Literal(folder)) => Stream::from_text(folder + "\n"),
            _ => Stream::Unknown,
        }),
        "git" => git(words),
        "true" | "false" | ":" | "cd" | "pushd" | "popd" | "mkdir" | "touch" | "rm" | "sleep" | "chmod"
        | "[" | "test" | "export" | "declare" | "readonly" | "local" | "typeset" | "shopt" | "umask"
        | "return" | "break" | "continue" | "exit" | "wait" => Some(Stream::Empty),
        "grep" | "egrep" | "fgrep" | "rg" if lists_by_content(name, words) => listed_by_content(name, words),
        _ if walk.substitutions > 0 && activates(name, words, walk) => Some(Stream::Empty),
        name => filtered(name, words, input, walk),
    }
}

/// `grep -rl PATTERN --include=NAME FOLDER`, `rg -l PATTERN -g NAME FOLDER`: some of the files with such names. Without them it
/// may be any file, which is not known.
fn listed_by_content(name: &str, words: &[Argument]) -> Option<Stream> {
    let is_rg = name == "rg";
    let option =
        |word: &Argument| if is_rg { word.strip_prefix("--glob=") } else { word.strip_prefix("--include=") };
    let mut globs: Vec<Argument> = words.iter().filter_map(option).collect();
    let next = if is_rg { "-g" } else { "--include" };
    globs.extend(words.windows(2).filter_map(|pair| match pair {
        [option, glob] if option.literal() == Some(next) => Some(glob.clone()),
        _ => None,
    }));
    globs.retain(|glob| !glob.prefix().starts_with('!'));
    let operands = file_programs::operands(
        words,
        if is_rg { "ABCEMTegjmrt" } else { "ABCDdefm" },
        &["include", "exclude", "exclude-dir", "glob", "type", "regexp"],
    );
    let has_pattern = words.iter().any(|word| matches!(word.prefix(), "-e" | "--regexp" | "-f"));
    let mut folders: Vec<Argument> = operands.into_iter().skip(usize::from(!has_pattern)).cloned().collect();
    if folders.is_empty() {
        folders.push(Argument::from("."));
    }
    if globs.is_empty() || globs.len() * folders.len() > MAX_LISTED {
        return None;
    }
    let found = |folder: &Argument| {
        let name =
            |glob: &Argument| super::reads::found_below(folder, &file_programs::wildcards(&glob.outline()));
        globs.iter().map(name).collect::<Vec<_>>()
    };
    Some(Stream::Names(folders.iter().flat_map(found).collect()))
}

/// Programs that print where other programs are.
const PLACES: &[&str] = table!("program_words_places");

/// Programs that print settings for a shell: `eval "$(direnv hook bash)"`.
const ACTIVATES: &[&str] = table!("program_words_activates");

fn activates(name: &str, words: &[Argument], walk: &Walk) -> bool {
    let mut operands = words.iter().filter(|word| !word.prefix().starts_with('-')).peekable();
    let is_row = |row: &&&str| match row.split_once(' ') {
        Some((program, word)) => {
            program == name && operands.peek().is_some_and(|first| first.literal() == Some(word))
        }
        // Behind other words, it starts a program.
        None => **row == name && operands.peek().is_none(),
    };
    !walk.lookup_changed && ACTIVATES.iter().find(is_row).is_some()
}

/// Returns whether a word is an option of `command` with which it only prints a place.
fn is_asking(word: &Argument) -> bool {
    word.literal().is_some_and(|word| matches!(word, "-v" | "-V" | "-pv" | "-vp" | "-pV" | "-Vp"))
}

fn operands_of(words: &[Argument]) -> impl Iterator<Item = &Argument> {
    words.iter().filter(|word| !word.prefix().starts_with('-'))
}

/// `which NAME`: the name in some folder.
fn places(words: &[Argument]) -> Stream {
    let place = |word: &Argument| match word.prefix().contains('/') {
        true => word.clone(),
        false => Argument::of_outline(&format!("/{}/{}", Gap::Any.stand_in(), word.outline())),
    };
    Stream::Names(operands_of(words).map(place).collect())
}

/// `readlink -f NAME`: the same name, if nothing is known of its folder. A known file may be a link to any other.
fn placed(words: &[Argument]) -> Stream {
    let is_anywhere = |word: &Argument| word.outline().starts_with(&format!("/{}/", Gap::Any.stand_in()));
    match operands_of(words).collect::<Vec<_>>().as_slice() {
        [name] if is_anywhere(name) => Stream::Names([(*name).clone()].into()),
        _ => Stream::Unknown,
    }
}

/// Returns the folder of a name.
fn above(name: &Argument) -> Argument {
    let outline = name.outline();
    Argument::of_outline(match outline.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) => "/",
        Some((folder, _)) => folder,
        None if outline.starts_with('/') => "/",
        // The name may have slashes that are not known.
        None if name.literal().is_none() => return Argument::unknown(),
        None => ".",
    })
}

/// `ls`, `ls FOLDER`, `ls -d .e*`: names of files, unless an option prints more. Of a folder, the names are those in it, here
/// also with the folder before them, as loops use them so.
fn listed(words: &[Argument]) -> Stream {
    let (options, operands): (Vec<_>, Vec<_>) =
        words.iter().partition(|word| word.prefix().starts_with('-') && word.prefix() != "-");
    let prints_more = |word: &&Argument| {
        !is_plain_option(word) || word.prefix().contains(['l', 'R', 's', 'i', 'n', 'o', 'g'])
    };
    if options.iter().any(prints_more) {
        return Stream::Unknown;
    }
    let has = |letters: &[char]| options.iter().any(|word| word.prefix().contains(letters));
    let (any, dot) = (Gap::Name.stand_in().to_string(), format!(".{}", Gap::Name.stand_in()));
    let all: Vec<&str> = if has(&['a', 'A', 'f']) { vec![&any, &dot] } else { vec![&any] };
    let own = || all.iter().map(|name| Argument::of_outline(name));
    if operands.is_empty() && !has(&['d']) {
        return Stream::Names(own().collect());
    }
    let mut names: Vec<Argument> = Vec::new();
    for operand in operands {
        names.push(operand.clone());
        if !has(&['d']) {
            names.extend(all.iter().map(|name| file_programs::inside(operand, &Argument::of_outline(name))));
            names.extend(own());
        }
    }
    names.dedup();
    if names.len() > MAX_LISTED { Stream::Unknown } else { Stream::Names(names.into()) }
}

/// Most names that the output of a listing has.
const MAX_LISTED: usize = 64;

/// `git rev-parse --git-path hooks`: a folder of the repository, as seen from its top. `git ls-files -o`: any file below, those
/// that git ignores as well.
fn git(words: &[Argument]) -> Option<Stream> {
    let (command, rest) = git::subcommand(words).split_first()?;
    if command.literal() == Some("ls-files") {
        let has =
            |names: &[&str]| rest.iter().any(|word| word.literal().is_some_and(|word| names.contains(&word)));
        let shows_ignored =
            has(&["-i", "--ignored"]) || has(&["-o", "--others"]) && !has(&["--exclude-standard"]);
        let all = || {
            let (folders, name) = (Gap::Folders.stand_in(), Gap::Name.stand_in());
            let names = [format!("./{folders}{name}"), format!("./{folders}.{name}")];
            Stream::Names(names.iter().map(|name| Argument::of_outline(name)).collect())
        };
        return shows_ignored.then(all);
    }
    if command.literal() != Some("rev-parse") {
        return None;
    }
    let names = match rest {
        [option] => match option.literal()? {
            "--git-dir" | "--git-common-dir" | "--absolute-git-dir" => ".git".to_owned(),
            _ => return None,
        },
        [option, path] if option.literal() == Some("--git-path") => format!(".git/{}", path.literal()?),
        _ => return None,
    };
    Some(Stream::Names([Argument::from(names.as_str())].into()))
}

/// Returns whether a filter lets some of the names in its input through: it has at most `operands` words that
/// are not options.
fn is_some_of(words: &[Argument], input: &Stream, operands: usize) -> bool {
    matches!(input, Stream::Names(_))
        && words.iter().filter(|word| !is_plain_option(word)).count() <= operands
        && !words.iter().any(|word| word.prefix().starts_with("-o"))
}

/// Returns whether a search prints the names of files below a folder.
fn lists_by_content(name: &str, words: &[Argument]) -> bool {
    let has = |letter: char, long: &str| file_programs::has(words, letter, long);
    has('l', "--files-with-matches")
        && (name == "rg" || has('r', "--recursive") || has('R', "--dereference-recursive"))
}

/// Returns the names, or the lines or columns of a list, that a filter prints.
fn filtered(name: &str, words: &[Argument], input: &Stream, walk: &mut Walk) -> Option<Stream> {
    // Letters of options with a value, and the number of operands before the file.
    let (values, before) = match name {
        "sort" => ("kSTot", 0),
        "uniq" => ("fsw", 0),
        "tac" => ("s", 0),
        "head" | "tail" => ("nc", 0),
        "shuf" => ("n", 0),
        "cut" => ("dfcb", 0),
        "grep" | "egrep" | "fgrep" => ("ABCDdm", 1),
        "awk" => ("Fv", 1),
        "sed" => ("", 1),
        _ => return None,
    };
    let operands = file_programs::operands(words, values, &["lines", "bytes", "delimiter", "fields", "key"]);
    let (own, files) = operands.split_at_checked(before).unwrap_or((&operands, &[]));
    // A program of `awk` or `sed` may make other names of the lines.
    let keeps = |script: &&Argument| match name {
        "awk" => script
            .literal()
            .is_some_and(|script| !script.contains(['"', '(', '=', '{']) || is_plain_print(script)),
        "sed" => script
            .literal()
            .is_some_and(|script| script.chars().all(|c| c.is_ascii_digit() || ",$pdq!".contains(c))),
        _ => true,
    };
    let has_script = words
        .iter()
        .any(|word| matches!(word.prefix(), "-e" | "-f" | "-i") || word.prefix().starts_with("-o"));
    if own.len() < before || !own.iter().all(keeps) || has_script {
        return None;
    }
    match files {
        [] => Some(lines(input.clone())),
        [file] => Some(printed(file, walk)),
        _ => None,
    }
    // The rest of a known text is not computed, and a part of a name is another one.
    .filter(|output| match output {
        Stream::Lines(_) => true,
        Stream::Names(_) => !matches!(name, "cut" | "awk"),
        _ => false,
    })
}

/// `{print $2}`, `NR > 1 {print}`.
fn is_plain_print(script: &str) -> bool {
    script.split_once('{').is_some_and(|(_, block)| {
        block.strip_suffix('}').is_some_and(|block| {
            let fields = block.trim().strip_prefix("print");
            fields.is_some_and(|fields| fields.chars().all(|c| c.is_ascii_digit() || c == '$' || c == ' '))
        })
    })
}

/// Returns whether a word is a bundle of letters.
fn is_plain_option(word: &Argument) -> bool {
    let letters = word.literal().and_then(|text| text.strip_prefix('-'));
    letters.is_some_and(|letters| !letters.starts_with('-') && letters.chars().all(char::is_alphanumeric))
}

fn echo(words: &[Argument], walk: &mut Walk) -> Stream {
    let is_option = |word: &Argument| {
        word.literal()
            .and_then(|text| text.strip_prefix('-'))
            .is_some_and(|letters| !letters.is_empty() && letters.bytes().all(|b| b"neE".contains(&b)))
    };
    let options = words.iter().take_while(|word| is_option(word)).count();
    let (options, words) = words.split_at_checked(options).unwrap_or((&[], words));
    let has = |letter: char| options.iter().any(|word| word.prefix().contains(letter));
    let line = walk.joined(words, " ");
    if line.is_unknown() && !words.is_empty() {
        return Stream::Unknown;
    }
    let mut text = line.as_shell_text();
    if has('e') {
        text = unescaped(&text);
    }
    if !has('n') {
        text.push('\n');
    }
    Stream::from_text(text)
}

pub(super) fn printf(words: &[Argument]) -> Stream {
    let Some((format, values)) = words.split_first() else { return Stream::Empty };
    let Some(format) = format.literal() else { return Stream::Unknown };
    let format = unescaped(format);
    let mut values = values.iter();
    let mut text = String::new();
    // The format is used again as long as there are values.
    loop {
        let before = values.len();
        let mut characters = format.chars();
        while let Some(c) = characters.next() {
            if c != '%' {
                text.push(c);
                continue;
            }
            match characters.by_ref().find(|c| c.is_ascii_alphabetic() || *c == '%') {
                Some('%') => text.push('%'),
                Some('s' | 'b' | 'q' | 'd' | 'i' | 'c') => {
                    let value = values.next().map(Argument::as_shell_text).unwrap_or_default();
                    text.push_str(&value);
                }
                _ => return Stream::Unknown,
            }
        }
        if values.len() == 0 || values.len() == before || text.len() > super::walk::MAX_TEXT {
            return Stream::from_text(text);
        }
    }
}

/// `mktemp -d`, `mktemp -p FOLDER`, `mktemp TEMPLATE`: a new name in the folder for temporary files.
fn mktemp(words: &[Argument]) -> Argument {
    let folder = file_programs::value(words, 'p', "--tmpdir").filter(|folder| folder.len() > 0);
    let template = file_programs::operands(words, "p", &["suffix"]);
    let template = template.first().map(|template| template.outline());
    let name = template.as_deref().map_or_else(
        || format!("tmp.{}", Gap::Name.stand_in()),
        |template| template.trim_end_matches('X').to_owned() + &Gap::Name.stand_in().to_string(),
    );
    let is_plain = template.is_some() && folder.is_none() && !file_programs::has(words, 't', "--tmpdir");
    match folder {
        _ if is_plain || name.starts_with('/') => Argument::of_outline(&name),
        Some(folder) => file_programs::inside(&folder, &Argument::of_outline(&name)),
        None => Argument::of_outline(&format!("/tmp/{name}")),
    }
}

fn cat(words: &[Argument], input: &Stream, walk: &mut Walk) -> Stream {
    let files: Vec<&Argument> =
        words.iter().filter(|word| !word.prefix().starts_with('-') || word.prefix() == "-").collect();
    match files.as_slice() {
        [] => lines(input.clone()),
        [file] if matches!(file.literal(), Some("-" | "/dev/stdin")) => lines(input.clone()),
        [file] => printed(file, walk),
        files => {
            // Lines of several files are names from several lists.
            let mut all = Stream::Empty;
            for file in files {
                let content = printed(file, walk);
                all = all.then(walk.names_in(&content));
            }
            all
        }
    }
}

/// Returns the content of a file, as a program prints it.
fn printed(file: &Argument, walk: &mut Walk) -> Stream {
    match walk.file(file) {
        // An empty file may get a content in a way that is not followed.
        Stream::Empty => Stream::Unknown,
        content => lines(content),
    }
}

fn lines(content: Stream) -> Stream {
    match content {
        Stream::File(name) | Stream::Copy(name) => Stream::Lines(name),
        content => content,
    }
}

fn unescaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        result.push_str(rest.get(..at).unwrap_or_default());
        rest = rest.get(at + 1..).unwrap_or_default();
        // Programs print it, other than in a word of the shell.
        if let Some(behind) =
            rest.strip_prefix('0').filter(|behind| !behind.starts_with(|c: char| c.is_digit(8)))
        {
            result.push('\0');
            rest = behind;
            continue;
        }
        let read = escape(rest);
        result.push_str(&read.text);
        rest = rest.get(read.length..).unwrap_or_default();
    }
    result.push_str(rest);
    result
}
