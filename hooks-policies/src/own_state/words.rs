//! Names in the words of a command: each word, the value after `--opt=` or `-o`, both sides of `a:b`, and the
//! pieces of a text that may be a program.

use std::collections::BTreeSet;

use hooks_facts::calls::{Call, ParsedCommand};
use hooks_facts::commands::{Argument, Invocation, Program};
use hooks_facts::globs::Gap;

use super::files::{Named, OwnFiles, Reach};

/// Programs that change everything below a folder if they have a recursive option.
const DEEP_WITH_R: &[&str] = &["chattr", "chcon", "chgrp", "chmod", "chown", "setfacl"];

/// Programs that pass a folder to other programs, which may change it in any way.
const HANDS_OVER: &[&str] = &[
    "bwrap",
    "chroot",
    "docker",
    "firejail",
    "mount",
    "nerdctl",
    "podman",
    "proot",
    "systemd-nspawn",
    "unshare",
];

/// Container engines: programs of `HANDS_OVER` whose words mostly are commands inside a container and not
/// paths of the host.
const ENGINES: &[&str] = &["docker", "nerdctl", "podman"];

/// Programs that send texts to other users; files may be mentioned in such texts.
const WRITES_TO_PEOPLE: &[&str] = &["gh", "glab", "hub", "jira", "mail", "sendmail", "tea"];

/// Options of any program whose values are such texts.
const TEXTS: &[&str] =
    &["--body", "--comment", "--description", "--message", "--notes", "--title", "-b", "-m", "-t"];

/// Functions in any language that remove or move a folder.
const TAKE_AWAY: &[&str] =
    &["rmtree", "rmSync", "rm_r", "rmdir", "remove", "rename", "move", "unlink", "rimraf", "truncate"];

/// Functions of `TAKE_AWAY` that remove everything below a folder, also below the root.
const TAKE_ALL_AWAY: &[&str] = &["rmtree", "rmSync", "rm_r", "rmdir", "rimraf"];

/// Returns the names in an invocation of a program with an unknown effect, without plain words that name none
/// of the files.
pub(super) fn of_invocation<'a>(
    call: Call<'a>,
    command: &'a ParsedCommand,
    invocation: &'a Invocation,
    program: &str,
    files: &'a OwnFiles,
) -> impl Iterator<Item = Named> + 'a {
    let analysis = &command.analysis;
    let argv = &invocation.argv;
    let hands_over = HANDS_OVER.contains(&program);
    let is_for_people = WRITES_TO_PEOPLE.contains(&program);
    let reach = reach_of(program, argv);
    let is_into_a_container =
        ENGINES.contains(&program) && !argv.iter().any(|word| word.literal() == Some("cp"));
    let is_in_the_root = analysis.runs_at_the_start(invocation) && call.begins_in_the_root();
    let is_plain = is_in_the_root && call.moved(".").is_none();
    let here = (!is_plain).then(|| Argument::from("."));
    let here = here.into_iter().flat_map(move |here| names(call, analysis.names(invocation, &here)));
    let here = here.map(|name| Named { name, reach: Reach::Itself });
    let is_left_out = move |word: &Argument| {
        let is_none_of_them = || word.literal().is_some_and(|word| files.are_not(word));
        (hands_over && is_read_only(&word.outline()))
            || analysis.is_reading_code(invocation, word)
            || (is_plain && reach == Reach::Itself && is_none_of_them())
    };
    let words = argv.iter().enumerate().skip(1).filter(move |(_, word)| !is_left_out(word));
    let pieces = words.flat_map(move |(at, word)| {
        let is_value_of_text = argv.get(at - 1).is_some_and(|option| TEXTS.contains(&option.prefix()));
        let is_inside = is_into_a_container && is_of_a_container(&word.outline());
        let pieces = pieces(word, !(is_for_people || is_value_of_text)).into_iter();
        pieces.filter(move |piece| !(is_inside && piece.literal() == Some("/")))
    });
    here.chain(pieces.flat_map(move |piece| {
        let names = names(call, analysis.names(invocation, &piece));
        names.into_iter().map(move |name| Named { name, reach })
    }))
}

/// Returns the extent of a program's changes to the files that it names.
fn reach_of(program: &str, argv: &[Argument]) -> Reach {
    let of_texts = argv.iter().map(|word| reach_of_text(&word.outline())).max().unwrap_or(Reach::Itself);
    let is_deep = DEEP_WITH_R.contains(&program) && argv.iter().any(|word| is_recursive(word.prefix()));
    match of_texts {
        Reach::Below => Reach::Below,
        _ if is_deep && !(program == "chmod" && only_gives_rights(argv)) => Reach::Below,
        _ if is_deep || HANDS_OVER.contains(&program) => Reach::Everyday,
        _ => of_texts,
    }
}

/// Returns whether a `chmod` only gives rights to the owner and the group and takes none: `chmod -R u+w`.
fn only_gives_rights(argv: &[Argument]) -> bool {
    let mut words = argv.iter().skip(1);
    let is_option = |word: &&str| word.starts_with('-');
    let is_plain = |option: &str| {
        matches!(option, "--" | "--recursive")
            || option.bytes().skip(1).all(|letter| matches!(letter, b'R' | b'v' | b'c' | b'f'))
    };
    if !words.clone().filter_map(Argument::literal).filter(is_option).all(is_plain) {
        return false;
    }
    let mode = words.find(|word| !word.prefix().starts_with('-')).and_then(Argument::literal);
    let gives = |clause: &str| {
        clause.split_once('+').is_some_and(|(whom, what)| {
            let is_own = !whom.is_empty() && whom.bytes().all(|letter| matches!(letter, b'u' | b'g'));
            is_own && what.bytes().all(|letter| matches!(letter, b'r' | b'w' | b'x' | b'X'))
        })
    };
    mode.is_some_and(|mode| mode.split(',').all(gives))
}

/// Returns whether `/` in a word is the root of a container: it is the whole word, or part of the text of a
/// command.
fn is_of_a_container(word: &str) -> bool {
    word == "/" || word.contains(char::is_whitespace)
}

/// Returns the names in the text of a program.
pub(super) fn of_program<'a>(
    call: Call<'a>,
    command: &'a ParsedCommand,
    program: &'a Program,
) -> impl Iterator<Item = Named> + 'a {
    let reach = reach_of_text(&program.text);
    let pieces: BTreeSet<&str> = split(&program.text).into_iter().collect();
    let put_together: BTreeSet<String> = program.names().into_iter().collect();
    let put_together = put_together.into_iter().filter(|name| !pieces.contains(name.as_str()));
    let all: Vec<_> =
        put_together.map(Argument::Literal).chain(pieces.iter().copied().map(Argument::from)).collect();
    all.into_iter().flat_map(move |piece| {
        let names = names(call, command.analysis.names_in_program(program, &piece));
        names.into_iter().map(move |name| Named { name, reach })
    })
}

/// Returns the names, each also relative to the folder that an argument of the call sets for its commands.
fn names(call: Call<'_>, names: Vec<Argument>) -> Vec<Argument> {
    let moved = |name: &Argument| match name {
        Argument::Literal(text) => call.moved(text).map(Argument::Literal),
        name @ Argument::Dynamic { .. } => {
            call.moved(&name.outline()).map(|outline| Argument::of_outline(&outline))
        }
    };
    let moved: Vec<_> = names.iter().filter_map(moved).collect();
    names.into_iter().chain(moved).collect()
}

/// Returns a word and the parts of it that may be paths.
fn pieces(word: &Argument, is_split: bool) -> Vec<Argument> {
    let outline = word.outline();
    let mut texts = vec![&*outline];
    if is_split {
        texts.extend(split(&outline).into_iter().filter(|piece| *piece != outline));
    }
    // `-oVALUE`.
    let letters = outline.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    if let Some(attached) = letters.and_then(|letters| letters.get(letters.chars().next()?.len_utf8()..)) {
        texts.extend(split(attached));
    }
    let as_argument = |text: &str| match word {
        Argument::Literal(_) => Argument::from(text),
        Argument::Dynamic { .. } => Argument::of_outline(text),
    };
    texts.into_iter().map(as_argument).collect()
}

/// Splits a text at characters that are rare in paths.
fn split(text: &str) -> Vec<&str> {
    let is_mark = |c: char| c.is_whitespace() || "'\"`()[]{}<>|&;,=:@!#%^+\\".contains(c);
    text.split(is_mark).filter(|piece| !piece.is_empty() && !piece.starts_with('-')).collect()
}

/// Returns the extent of the changes that a program's text makes to the files it names, by the functions it
/// calls.
fn reach_of_text(text: &str) -> Reach {
    let calls = |names: &[&str]| text.contains('(') && names.iter().any(|name| text.contains(name));
    if calls(TAKE_ALL_AWAY) {
        Reach::Below
    } else if calls(TAKE_AWAY) {
        Reach::Everyday
    } else {
        Reach::Itself
    }
}

fn is_recursive(word: &str) -> bool {
    let bundle = word.strip_prefix('-').filter(|bundle| !bundle.starts_with('-'));
    bundle.is_some_and(|bundle| bundle.contains('R')) || (word.len() > 4 && "--recursive".starts_with(word))
}

/// Returns whether a mount is read-only: `-v a:b:ro`.
fn is_read_only(word: &str) -> bool {
    let options = word.rsplit(':').next().unwrap_or_default();
    let mut all = word.split(',').chain(options.split(','));
    all.any(|option| matches!(option, "ro" | "readonly" | "readonly=true"))
}

/// Returns whether a name identifies no file: a variable, an option, or a folder such as `.` or `/`.
pub(super) fn says_nothing(name: &str) -> bool {
    let names = |c: char| Gap::from_char(c).is_none() && c.is_alphanumeric();
    !name.contains(names)
}
