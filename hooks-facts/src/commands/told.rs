//! Decides whether all effects of a program on files are known: its changes are among the writes, the
//! programs that it starts are among the invocations, and its other files are only read.
//!
//! A policy that must not take a risk asks this for every program that names a file. The effects of programs
//! that are not listed here are unknown.

use super::analysis::{Analysis, Invocation};
use super::argument::Argument;
use super::awk;
use super::code::{self, Language};
use super::git;
use super::helpers;

/// Programs that only read their files, apart from outputs that their options name.
pub(super) const READERS: &[&str] = table!("known_programs_readers");

/// Programs and builtins whose words are texts, names and numbers.
pub(super) const TALKERS: &[&str] = table!("known_programs_talkers");

/// Programs whose changes the file programs report. `rename` is not one of them: Perl's version runs its
/// first word.
pub(super) const CHANGERS: &[&str] = table!("known_programs_changers");

/// Programs that start their words or their text, which are among the invocations. The effects of a shell are
/// known only if its text could be parsed: of a script in a file nothing is known.
pub(super) const STARTERS: &[&str] = table!("known_programs_starters");

/// Programs of Windows shells.
pub(super) const WINDOWS: &[&str] = table!("known_programs_windows");

/// Git commands whose effects on named files are known; the others name no files, or only read.
const GIT: &[&str] = table!("known_programs_git");

impl Analysis {
    /// Returns whether all effects of an invocation on files are known: its program only reads its files,
    /// apart from those among the [`writes`](Self::writes) and the invocations.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, Options};
    ///
    /// let is_told = |text| {
    ///     let analysis = Analysis::of_text(text, &Options::default());
    ///     analysis.is_told(&analysis.invocations[0])
    /// };
    /// assert!(is_told("wc -l notes.txt"));
    /// assert!(!is_told("./build.sh"));
    /// ```
    pub fn is_told(&self, invocation: &Invocation) -> bool {
        let Some(name) = self.program_name(invocation) else { return false };
        // A custom program may have any name.
        if !invocation.argv.first().is_some_and(is_of_the_system) {
            return false;
        }
        let words = invocation.argv.get(1..).unwrap_or_default();
        if invocation.is_untold || helpers::are_named(&name, words) {
            return false;
        }
        let lists = [READERS, TALKERS, CHANGERS, STARTERS];
        if lists.iter().any(|list| has(list, &name)) {
            return true;
        }
        if name == "git" {
            let command = git::subcommand(words).first().map(Argument::literal);
            let is_known = command.is_none_or(|command| command.is_some_and(|command| has(GIT, command)));
            return is_known && git::are_harmless(words);
        }
        match code::language(&name) {
            Some(Language::Sed) => true,
            Some(Language::Awk) => !words.iter().any(|word| {
                let text = word.outline();
                code::prints_into_a_file(&text) || awk::starts(&text)
            }),
            _ => self.options.windows && has(WINDOWS, &name),
        }
    }
}

/// Returns whether a program is one of the system's, as far as its name shows.
pub(in crate::commands) fn is_of_the_system(program: &Argument) -> bool {
    const FOLDERS: &[&str] = &["/bin/", "/sbin/", "/usr/", "/opt/", "/nix/store/"];
    let Some(name) = program.literal() else { return false };
    let is_one = |folder: &str| name.starts_with(folder) && !name.contains("..");
    !name.contains(['/', '\\']) || FOLDERS.iter().any(|folder| is_one(folder))
}

pub(super) fn has(list: &[&str], name: &str) -> bool {
    list.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::Options;

    #[test]
    fn readers_are_told_and_others_are_not() {
        let told = |text: &str| {
            let analysis = Analysis::of_text(text, &Options::default());
            analysis.invocations.iter().all(|invocation| analysis.is_told(invocation))
        };
        let known = [
            "cat a | grep b",
            "sudo head a",
            "git -C a log",
            "git",
            "awk '$3 > 5' a",
            "awk '{ if ($1 >= 2) print }' a",
            "sed -i s/a/b/ a",
            "/usr/bin/jq . a",
            "find . -exec cat {} +",
            "bash -c 'cat a' b",
            "bash -n a",
            "bash <<< 'cat a'",
            "echo 'cat a' > b; bash b",
            "awk '/a|b/ { print $1 }' a",
            "awk -F: -vlimit=5 '$1 > 5 || $2 == 1' a",
            "sed -e's/f/g/' a",
            "sed -n -e 1p a",
            "sort -k2,2 -t, --check a",
            "rg -i --no-ignore a",
            "rg --pretty a",
            "less +G a",
            "less +/deny a",
            "git -c color.ui=always -c core.pager=cat log a",
            "git log --oneline a",
            "git grep -n x a",
            "tar -xzf a",
            "tar xzf a",
            "ssh -o StrictHostKeyChecking=no host cat a",
            "sudo -u x sed -e s/a/b/ a",
            "A=1 cat a",
            "GIT_PAGER=cat git log a",
            "PAGER= git log a",
            "export A=1; cat a",
            "export PATH; cat a",
            "hash -r; cat a",
            "alias ls='ls -l'; ls a",
            "for path in a; do cat $path; done",
        ];
        let unknown = [
            "./cat a",
            "/usr/../x/cat a",
            "chmod u+w a",
            "x a",
            "sudo x a",
            "git config -f a x 1",
            "awk '{ print > \"a\" }'",
            "$X a",
            "git $X",
            "bash a",
            "bash -x a b",
            ". ./a",
            "source a b",
            "bash -s b < a",
            "bash < a",
            "cat a | sh",
            "su x < a",
            "bash --rcfile x -ic 'cat a'",
            "awk -f x a",
            "awk -nfx a",
            "gawk -E x a",
            "gawk -l x.so 1 a",
            "gawk --loa x.so 1 a",
            "awk 'BEGIN { system(\"rm \" f) }' f=a",
            "awk '{ print | c }' c='rm a'",
            "awk '{ c | getline }' a",
            "gawk '{ @f($1) }' a",
            "sed -f x a",
            "sed -nfx a",
            "sed --file=x a",
            "rg --pre x y a",
            "rg --hostname-bin=x y a",
            "sort --compress-program='x b' a",
            "sort --comp x a",
            "sort --$X a",
            "bat --pager 'x y' a",
            "ag --pager x y a",
            "split --filter='x a' y",
            "complete -C 'x a' y",
            "man -P x ls",
            "less +'!x %' a",
            "less +'sb' a",
            "git grep -Ox y a",
            "git grep --open-files-in-pager=x y a",
            "git -c core.pager=x log a",
            "git -ccore.fsmonitor=x status a",
            "git --exec-path=/x log a",
            "GIT_EXTERNAL_DIFF=x git diff a",
            "tar -I x -cf b a",
            "tar cIf x b a",
            "tar --to-command=x -xf a",
            "ssh -oProxyCommand=x host a",
            "strace -o '|x a' ls",
            "sudo -e a",
            "hyperfine -p 'x a' true",
            "rename 'unlink \"a\"' b",
            "PATH=/x:$PATH cat a",
            "env PATH=/x cat a",
            "sudo PATH=/x cat a",
            "export PATH=/x; cat a",
            "declare -x PATH=/x; cat a",
            "declare -n p=PATH; p=/x; cat a",
            "read PATH < x; cat a",
            "printf -v PATH /x; cat a",
            "for PATH in /x; do cat a; done",
            "LD_PRELOAD=x cat a",
            "hash -p /x cat; cat a",
            "enable -f /x cat; cat a",
            "BASH_ENV=/x bash -c 'cat a'",
            "alias $X; cat a",
        ];
        let wrong: Vec<_> = known.iter().filter(|text| !told(text)).collect();
        assert!(wrong.is_empty(), "not told: {wrong:#?}");
        let wrong: Vec<_> = unknown.iter().filter(|text| told(text)).collect();
        assert!(wrong.is_empty(), "told: {wrong:#?}");
    }
}
