//! Readers of PowerShell and cmd, at the level of programs, options and paths.
//!
//! They find what a text starts, in addition to the reader of bash, which sees programs that both have. A command of Windows
//! is recorded as it stands, and as the program that a row of `windows_programs.tsv` compares it with. Parts that are computed stay
//! unknown. Both readers are bounded by the budget of the analysis.

mod bound;
mod cmd;
mod listing;
mod powershell;

use self::bound::{DIVIDER, Row};
use super::argument::Argument;
use super::walk::Walk;
use crate::by_key::ByKey;
use crate::shell::Span;

static POWERSHELL: ByKey<Row> = table!("windows_programs_powershell");
static CMD: ByKey<Row> = table!("windows_programs_cmd");
static DOTNET: ByKey<Row> = table!("windows_programs_dotnet");

/// Returns whether a name is one of a command of PowerShell alone, which its own reader reads.
pub(super) fn is_cmdlet(name: &str) -> bool {
    name.contains('-') && POWERSHELL.get(name).is_some()
}

impl Walk {
    /// Walks a text that PowerShell runs.
    pub(super) fn powershell(&mut self, text: &str, span: Span) {
        if self.pay(text.len() + 16, span) {
            self.deeper(span, |walk| powershell::run(walk, text, span));
        }
    }

    /// Walks a text that cmd runs.
    pub(super) fn cmd(&mut self, text: &str, span: Span) {
        if self.pay(text.len() + 16, span) {
            self.deeper(span, |walk| cmd::run(walk, text, span));
        }
    }

    /// Walks the text that a Windows shell is given by another one: `powershell -Command TEXT`, `cmd /c TEXT`.
    pub(super) fn windows_shell(&mut self, name: &str, words: &[Argument], span: Span) {
        match name {
            "powershell" | "pwsh" => powershell::started(self, words, span),
            "cmd" => {
                let is_start = |word: &Argument| {
                    word.prefix().to_lowercase().starts_with("/c")
                        || word.prefix().to_lowercase().starts_with("/k")
                };
                if let Some(at) = words.iter().position(is_start) {
                    let attached =
                        words.get(at).map(|word| word.prefix().get(2..).unwrap_or_default().to_owned());
                    let rest = self.joined(words.get(at + 1..).unwrap_or_default(), " ");
                    let text = format!("{} {}", attached.unwrap_or_default(), rest.as_shell_text());
                    self.cmd(text.trim().trim_matches('"'), span);
                }
            }
            _ => {}
        }
    }

    /// Records a command, or the program that it is compared with. `piped` is what a pipe hands to it.
    fn windows_command(&mut self, rows: &ByKey<Row>, argv: &[String], piped: Option<&str>, span: Span) {
        let Some((program, words)) = argv.split_first() else { return };
        let name = program.to_lowercase();
        let name = name.rsplit(['\\', '/']).next().unwrap_or(&name);
        let name = name.strip_suffix(".exe").unwrap_or(name);
        let mut argv = vec![Argument::from(name)];
        match rows.get(name) {
            Some(row) => {
                let Some(words) = row.argv(words, piped) else { return };
                argv = vec![Argument::from(row.becomes)];
                argv.extend(words);
            }
            None => argv.extend(words.iter().flat_map(|word| word.split(DIVIDER)).map(Argument::from)),
        }
        let before = self.folders.clone();
        self.run_some(&argv, &self.inherited_input(), span);
        // A change of folder may fail, and the next command runs all the same.
        self.folders = before.or(&self.folders);
    }

    /// Records the program that a method of .NET is compared with.
    fn windows_call(&mut self, call: &[String], span: Span) {
        let Some((method, words)) = call.split_first() else { return };
        if let Some(row) = DOTNET.get(method) {
            let words = row.argv(words, None).unwrap_or_default();
            let argv: Vec<_> = [Argument::from(row.becomes)].into_iter().chain(words).collect();
            self.run_some(&argv, &self.inherited_input(), span);
        }
    }

    /// Records a program with its words.
    fn windows_program(&mut self, argv: &[Argument], span: Span) {
        self.run_some(argv, &self.inherited_input(), span);
    }
}
