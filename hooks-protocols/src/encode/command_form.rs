//! The form of a shell command, as far as the lists of clients depend on it.
//!
//! Each client parses commands in its own way: one knows no redirections, one no loops, one compares text. A
//! changed command is therefore judged like the original only if nothing but words differs.

use crate::carried::INSTEAD;
use hooks_facts::commands::{Analysis, Options};
use hooks_facts::shell::{Command, Part, RedirectionKind, Script, Simple, Syntax, Word, read};

/// Characters that a shell expands if they are not quoted.
const EXPANDED: &[char] = &['*', '?', '[', ']', '{', '}', '~'];

/// Whether lists that judge `after` judge the programs of `before` as well.
pub(super) fn keeps(before: &str, after: &str) -> bool {
    before == after || carries(before, after) || differs_in_words(before, after)
}

/// Whether `after` is one line that never goes on, and the original below it.
fn carries(before: &str, after: &str) -> bool {
    let line = after.strip_suffix(before).and_then(|above| above.strip_suffix('\n'));
    let Some(line) = line.filter(|line| line.ends_with(INSTEAD) && !line.contains('\n')) else {
        return false;
    };
    // A quote, a loop or a here-document that begins there would take in the original.
    let Ok(script) = read(line, Syntax::Bash) else { return false };
    simple_commands(&script).is_some_and(|commands| {
        let is_open = |command: &&Simple| {
            command.redirections.iter().any(|redirection| redirection.kind == RedirectionKind::HereDocument)
        };
        let exits = commands.iter().rev().take_while(|command| is_exit(command)).count();
        exits == 2 && commands.len() > exits && !commands.iter().any(is_open)
    })
}

fn is_exit(command: &Simple) -> bool {
    matches!(command.words.as_slice(), [word] if word.literal().as_deref() == Some("exit"))
}

/// Whether the texts have the same programs and differ only in their words.
fn differs_in_words(before: &str, after: &str) -> bool {
    let Some((before, after)) = ListedText::parse(before).zip(ListedText::parse(after)) else { return false };
    before.programs.len() == after.programs.len()
        && before.rest == after.rest
        && before.programs.iter().zip(&after.programs).all(|(before, after)| before.is_kept_by(after))
}

/// A text that names each of its programs itself.
struct ListedText<'t> {
    programs: Vec<ListedProgram<'t>>,
    /// Text after the last word.
    rest: &'t str,
}

/// A program and its words, in the order of the text. The files of redirections count as words.
struct ListedProgram<'t> {
    words: Vec<ListedWord<'t>>,
}

struct ListedWord<'t> {
    /// Text between the word before and this one.
    gap: &'t str,
    text: &'t str,
    word: Word,
    /// Whether the client sees another program if it changes.
    is_fixed: bool,
}

impl<'t> ListedText<'t> {
    fn parse(text: &'t str) -> Option<Self> {
        let script = read(text, Syntax::Bash).ok()?;
        let commands = simple_commands(&script)?;
        let analysis = Analysis::of_text(text, &Options::default());
        // A program in the words of another one would be changed unseen.
        if !analysis.unresolved.is_empty() || analysis.invocations.len() != commands.len() {
            return None;
        }
        let mut end = 0;
        let mut programs = Vec::new();
        for command in commands {
            let mut words = Vec::new();
            for (word, is_fixed) in words_of(command) {
                let gap = text.get(end..word.span.start)?;
                let own = text.get(word.span.start..word.span.end)?;
                words.push(ListedWord { gap, text: own, word: word.clone(), is_fixed });
                end = word.span.end;
            }
            programs.push(ListedProgram { words });
        }
        Some(Self { programs, rest: text.get(end..)? })
    }
}

impl ListedProgram<'_> {
    /// Whether the other one has the same name, and each word at its place, or a new word there. New words
    /// may follow.
    fn is_kept_by(&self, other: &Self) -> bool {
        let is_kept = |(own, other): (&ListedWord<'_>, &ListedWord<'_>)| {
            own.gap == other.gap && (own.text == other.text || (!own.is_fixed && self.is_new(&other.word)))
        };
        let mut added = other.words.iter().skip(self.words.len());
        other.words.len() >= self.words.len()
            && self.words.iter().zip(&other.words).all(is_kept)
            && added.all(|added| added.gap.chars().all(|c| c == ' ') && is_plain(&added.word))
    }

    /// Whether the word is plain, and none of the program's words.
    fn is_new(&self, word: &Word) -> bool {
        let text = word.literal();
        is_plain(word) && self.words.iter().all(|own| own.word.literal() != text)
    }
}

/// The words of a command and the files of its redirections, and whether each has to stay as it is.
fn words_of(command: &Simple) -> Vec<(&Word, bool)> {
    let program = command.words.iter().enumerate().map(|(at, word)| (word, at == 0));
    let files = command.redirections.iter().map(|redirection| {
        use RedirectionKind::{Append, Read, ReadWrite, Write};
        (&redirection.target, !matches!(redirection.kind, Read | Write | Append | ReadWrite))
    });
    let mut words: Vec<_> = program.chain(files).collect();
    words.sort_by_key(|(word, _)| word.span.start);
    words
}

/// Whether a shell takes the word as it is.
fn is_plain(word: &Word) -> bool {
    word.parts.iter().all(|part| match part {
        Part::Literal { text, quoted } => *quoted || !text.contains(EXPANDED),
        _ => false,
    })
}

/// The commands of a script that has only simple ones.
fn simple_commands(script: &Script) -> Option<Vec<&Simple>> {
    let stages = script.pipelines.iter().flat_map(|pipeline| &pipeline.stages);
    stages
        .map(|stage| match stage {
            Command::Simple(simple) => Some(simple),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_lists_still_judge() {
        for (before, after) in [
            ("mk no 1", "mk no 1"),
            ("if mk; then no", "if mk; then no"),
            ("curl -H 'token: abc' example.org", "curl -H 'token: [REDACTED]' example.org"),
            ("make test", "make test --silent 'a b'"),
            ("cd a && make x | tail -5", "cd a && make y | tail -9"),
            ("A=1 make x > log 2>&1 &", "A=1 make y > log 2>&1 &"),
            ("echo a > b 2>> c", "echo d > e 2>> f"),
            ("make x \"$HOME\" *.c", "make y \"$HOME\" *.c"),
            ("mk no 1", "/opt/hooks exec --call 7 && exit || exit\nmk no 1"),
            ("mk no 1 | (cat", "w --id 7 && exit || exit\nmk no 1 | (cat"),
            ("cat <<E\n$x\nE", "w && exit || exit\ncat <<E\n$x\nE"),
        ] {
            assert!(keeps(before, after), "{before} -> {after}");
        }
    }

    #[test]
    fn what_they_would_not_see() {
        for after in [
            "hooks exec --call 7 -- 'mk no 1'",
            "sh -c 'mk no 1'",
            "eval mk no 1",
            "timeout 5 mk no 1",
            "env mk no 1",
            "/usr/bin/mk no 1",
            "\\mk no 1",
            "m'k' no 1",
            "mk 'no' 1",
            "mk n'o' 1",
            "mk {no,} 1",
            "mk n? 1",
            "mk n[o] 1",
            "mk ~ 1",
            "mk $X 1",
            "mk \"$(echo no)\" 1",
            "mk -x no 1",
            "mk  no 1",
            " mk no 1",
            "mk\tno 1",
            "mk \\\nno 1",
            "mk no 1 $X",
            "mk no 1 >x",
            "mk no 1 2>&1",
            "mk no 1 &",
            "mk no 1;",
            "X=1 mk no 1",
            "(mk no 1)",
            "{ mk no 1; }",
            "! mk no 1",
            "time mk no 1",
            "if true; then mk no 1; fi",
            "for i in 1; do mk no 1; done",
            "f() { mk no 1; }; f",
            "true; mk no 1",
            "true && mk no 1",
            "mk no 1 | cat",
            "mk no 1\n",
            "mk no",
            "$(echo mk) no 1",
            "mk no 1 # && exit || exit",
            "w && exit || exit\nmk no 1 2",
            "a\nb && exit || exit\nmk no 1",
            "w 'x && exit || exit\nmk no 1",
            "sh <<E && exit || exit\nmk no 1",
            "w # && exit || exit\nmk no 1",
            "if w; then w && exit || exit\nmk no 1",
            "&& exit || exit\nmk no 1",
            "w; exit && exit || exit\nmk no 1",
            "",
            "(",
        ] {
            assert!(!keeps("mk no 1", after), "{after}");
        }
        for (before, after) in [
            ("", "mk no 1"),
            ("git push --force", "git --force push"),
            ("sh -c 'mk no 1'", "sh -c 'm\"\"k no 1'"),
            ("timeout 5 mk no 1", "timeout 5 mk n\"o\" 1"),
            ("$X no 1", "$X yes 1"),
            ("mk x <no", "mk x >no"),
            ("mk x <no", "mk x <(no)"),
            ("mk x >&2", "mk x >&3"),
            (">x mk no", ">x m'k' no"),
            ("mk x <<E\na\nE", "mk x <<E\nb\nE"),
        ] {
            assert!(!keeps(before, after), "{before} -> {after}");
        }
    }
}
