//! What the words of a command may name: each word, what stands behind `--opt=` or `-o`, the sides of `a:b`, and the
//! pieces of a text that may be a program.

use hooks_facts::commands::{Argument, Invocation, Program};
use hooks_facts::globs::Gap;

use super::files::{Named, OwnFiles};
use crate::facts::{Call, ParsedCommand};

/// Programs that change all below a folder, where they are told to.
const DEEP_WITH_R: &[&str] = &["chattr", "chcon", "chgrp", "chmod", "chown", "setfacl"];

/// Programs that hand a folder to others, who do what they want with it.
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

/// Programs that send texts to people, in which files are mentioned.
const WRITES_TO_PEOPLE: &[&str] = &["gh", "glab", "hub", "jira", "mail", "sendmail", "tea"];

/// Options whose values are such texts, of any program.
const TEXTS: &[&str] =
    &["--body", "--comment", "--description", "--message", "--notes", "--title", "-b", "-m", "-t"];

/// Calls of programs in any language that take a folder away, or move it.
const TAKE_AWAY: &[&str] =
    &["rmtree", "rmSync", "rm_r", "rmdir", "remove", "rename", "move", "unlink", "rimraf", "truncate"];

/// What an invocation of a program of which nobody knows what it does names. Plain words that are none of the files are
/// left out.
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
    let is_deep = hands_over
        || DEEP_WITH_R.contains(&program) && argv.iter().any(|word| is_recursive(word.prefix()))
        || argv.iter().any(takes_away);
    let is_in_the_root = analysis.runs_at_the_start(invocation) && call.begins_in_the_root();
    let is_plain = is_in_the_root && call.moved(".").is_none();
    let here = (!is_plain).then(|| Argument::from("."));
    let here = here.into_iter().flat_map(move |here| names(call, analysis.names(invocation, &here)));
    let here = here.map(|name| Named { name, is_deep: false });
    let is_left_out = move |word: &Argument| {
        let is_none_of_them = || word.literal().is_some_and(|word| files.are_not(word));
        (hands_over && is_read_only(&word.outline())) || (is_plain && !is_deep && is_none_of_them())
    };
    let words = argv.iter().enumerate().skip(1).filter(move |(_, word)| !is_left_out(word));
    let pieces = words.flat_map(move |(at, word)| {
        let is_value_of_text = argv.get(at - 1).is_some_and(|option| TEXTS.contains(&option.prefix()));
        pieces(word, !(is_for_people || is_value_of_text))
    });
    here.chain(pieces.flat_map(move |piece| {
        let names = names(call, analysis.names(invocation, &piece));
        names.into_iter().map(move |name| Named { name, is_deep })
    }))
}

/// What the text of a program names.
pub(super) fn of_program<'a>(
    call: Call<'a>,
    command: &'a ParsedCommand,
    program: &'a Program,
) -> impl Iterator<Item = Named> + 'a {
    let is_deep = calls_what_takes_away(&program.text);
    split(&program.text).into_iter().flat_map(move |piece| {
        let names = names(call, command.analysis.names_in_program(program, &Argument::from(piece)));
        names.into_iter().map(move |name| Named { name, is_deep })
    })
}

/// Names, and what they are in the folder that an argument of the call sends its commands to.
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

/// A word, and what may be a path in it.
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

/// The pieces of a text between what paths are rarely written with.
fn split(text: &str) -> Vec<&str> {
    let is_mark = |c: char| c.is_whitespace() || "'\"`()[]{}<>|&;,=:@!#%^+\\".contains(c);
    text.split(is_mark).filter(|piece| !piece.is_empty() && !piece.starts_with('-')).collect()
}

/// Whether a word is the text of a program that takes folders away.
fn takes_away(word: &Argument) -> bool {
    match word {
        Argument::Literal(text) => calls_what_takes_away(text),
        Argument::Dynamic { pieces, .. } => pieces.iter().any(|piece| calls_what_takes_away(piece)),
    }
}

/// Whether the text of a program calls what takes folders away.
fn calls_what_takes_away(text: &str) -> bool {
    text.contains('(') && TAKE_AWAY.iter().any(|call| text.contains(call))
}

fn is_recursive(word: &str) -> bool {
    let bundle = word.strip_prefix('-').filter(|bundle| !bundle.starts_with('-'));
    bundle.is_some_and(|bundle| bundle.contains('R')) || (word.len() > 4 && "--recursive".starts_with(word))
}

/// Whether a mount can only be read: `-v a:b:ro`.
fn is_read_only(word: &str) -> bool {
    let options = word.rsplit(':').next().unwrap_or_default();
    let mut all = word.split(',').chain(options.split(','));
    all.any(|option| matches!(option, "ro" | "readonly" | "readonly=true"))
}

/// Whether a name says nothing of a file: it is a variable, an option or a folder that everything is in.
pub(super) fn says_nothing(name: &str) -> bool {
    let names = |c: char| Gap::of(c).is_none() && c.is_alphanumeric();
    !name.contains(names)
}
