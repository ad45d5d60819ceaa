//! Programs that a call starts.

use hooks_facts::commands::{Analysis, Argument, Invocation, Options};

use super::super::tables;
use super::normal;

/// Program that a call starts.
#[derive(Clone, Debug)]
pub(in super::super) struct Run {
    pub(in super::super) program: String,
    /// Words behind the program; the known beginning of those that are not known.
    pub(in super::super) words: Vec<String>,
    /// Known beginnings of the words that are not wholly known.
    pub(in super::super) open: Vec<String>,
    /// Folders that it may run in, relative to the root; empty for the root.
    pub(in super::super) folders: Vec<String>,
    /// File whose text starts it; empty for the command of the call itself.
    pub(in super::super) file: String,
    /// Analyses of this program only: as it stands, as plain words, and with the full name of its subcommand.
    pub(in super::super) analyses: Vec<Analysis>,
    /// The words with the full name of the subcommand: `npm i` is `npm install`.
    pub(in super::super) full: Option<Vec<String>>,
}

pub(super) fn run_of(analysis: &Analysis, invocation: &Invocation, file: &str) -> Option<Run> {
    let program = analysis.program_name(invocation)?;
    let words: Vec<&Argument> = invocation.argv.iter().skip(1).collect();
    let folders = analysis.names(invocation, &Argument::Literal(".".to_owned()));
    let folders =
        folders.iter().filter_map(Argument::literal).map(normal).filter(|folder| !folder.is_empty());
    let mut run = Run {
        program,
        words: words.iter().map(|word| word.literal().unwrap_or_else(|| word.prefix()).to_owned()).collect(),
        open: words
            .iter()
            .filter(|word| word.literal().is_none())
            .map(|word| word.prefix().to_owned())
            .collect(),
        folders: folders.collect(),
        file: file.to_owned(),
        analyses: vec![analysis.only(invocation)],
        full: None,
    };
    let plain = run.program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if plain == "python"
        && let Some(at) = run.words.iter().position(|word| word == "-m")
        && let Some(module) = run.words.get(at + 1).cloned()
    {
        run.words.drain(..=(at + 1).min(run.words.len().saturating_sub(1)));
        run.program = module;
    } else if ["pip", "python"].contains(&plain) {
        run.program = plain.to_owned();
    }
    run.name();
    Some(run)
}

impl Run {
    /// Adds what its words stand for.
    fn name(&mut self) {
        let analysis = |words: &[String]| {
            let words = words.iter().map(String::as_str);
            let argv: Vec<&str> = std::iter::once(self.program.as_str()).chain(words).collect();
            Analysis::of_words(&argv, &Options::default())
        };
        let full = tables::full_command(&self.program, self.words.first().map(String::as_str)).map(|name| {
            let name = name.split(' ').map(str::to_owned);
            name.chain(self.words.iter().skip(1).cloned()).collect::<Vec<_>>()
        });
        let own = analysis(&self.words);
        let named = full.as_deref().map(analysis);
        self.analyses.push(own);
        self.analyses.extend(named);
        self.full = full;
    }

    /// Returns the program with its words, in each form that they have.
    pub(in super::super) fn forms(&self) -> impl Iterator<Item = Vec<&str>> {
        std::iter::once(&self.words).chain(&self.full).map(|words| {
            std::iter::once(self.program.as_str()).chain(words.iter().map(String::as_str)).collect()
        })
    }
}

/// Returns the program that a runner of packages starts: `npx expo install x`.
pub(super) fn handed_on(run: &Run) -> Option<Run> {
    let skipped = match (run.program.as_str(), run.words.first().map(String::as_str)) {
        ("npx" | "bunx" | "pnpx" | "uvx" | "corepack", _) => 0,
        ("pnpm" | "yarn", Some("dlx" | "exec"))
        | ("npm" | "mise" | "asdf", Some("exec" | "x"))
        | ("bun", Some("x"))
        | ("volta" | "uv" | "poetry" | "pipenv" | "rye" | "pdm" | "hatch", Some("run"))
        | ("bundle", Some("exec")) => 1,
        _ => return None,
    };
    let mut words = run.words.iter().skip(skipped).skip_while(|word| word.starts_with('-'));
    let program = words.next()?.split('@').next()?.to_owned();
    let words: Vec<String> = words.cloned().collect();
    if program.is_empty() {
        return None;
    }
    let mut run = Run { program, words, analyses: Vec::new(), full: None, ..run.clone() };
    run.name();
    Some(run)
}
