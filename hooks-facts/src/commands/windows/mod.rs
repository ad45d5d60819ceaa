//! Readers of PowerShell and cmd, at the level of programs, options and paths.
//!
//! They find what a text starts, in addition to the reader of bash, which sees programs that both have. A command of Windows
//! is recorded as it stands, and as the program that a row of `windows_programs.tsv` compares it with. Parts that are computed stay
//! unknown. Both readers are bounded by the budget of the analysis.

mod cmd;
mod powershell;

use super::argument::Argument;
use super::walk::Walk;
use crate::shell::Span;

/// Commands with their program, and their options with its options.
type Row = (&'static [&'static str], &'static str, &'static [(&'static str, &'static str)]);

static POWERSHELL: &[Row] = table!("windows_programs_powershell");
static CMD: &[Row] = table!("windows_programs_cmd");

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

    /// Records a command, and the program that it is compared with.
    fn windows_command(&mut self, rows: &[Row], argv: &[String], span: Span) {
        let Some((program, words)) = argv.split_first() else { return };
        let name = program.to_lowercase();
        let name = name.rsplit(['\\', '/']).next().unwrap_or(&name);
        let name = name.strip_suffix(".exe").unwrap_or(name);
        let Some((_, becomes, options)) = rows.iter().find(|(names, ..)| names.contains(&name)) else {
            let mut plain = vec![Argument::from(name)];
            plain.extend(words.iter().map(|word| word.as_str().into()));
            self.run_some(&plain, &self.inherited_input(), span);
            return;
        };
        let mut argv = vec![Argument::from(*becomes)];
        for word in words {
            let lower = word.to_lowercase();
            let (option, _) = lower.split_once(':').unwrap_or((&lower, ""));
            let mark = lower.chars().next().filter(|c| matches!(c, '-' | '/'));
            let found: Vec<&str> = match mark {
                Some('-') => options
                    .iter()
                    .filter(|(name, _)| option.len() > 1 && name.starts_with(option))
                    .map(|(_, to)| *to)
                    .collect(),
                // `/s/q` are two options.
                Some(_) => option
                    .split('/')
                    .filter_map(|part| options.iter().find(|(name, _)| name.get(1..) == Some(part)))
                    .map(|(_, to)| *to)
                    .collect(),
                None => Vec::new(),
            };
            if found.is_empty() {
                argv.push(word.as_str().into());
            }
            argv.extend(found.into_iter().map(Argument::from));
        }
        self.run_some(&argv, &self.inherited_input(), span);
    }
}
