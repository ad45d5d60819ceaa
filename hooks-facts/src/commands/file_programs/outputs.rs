//! Programs with an option for a file that they write: `curl -D FILE`, `openssl x509 -out FILE`.

use super::Changes;
use crate::commands::analysis::WriteKind;
use crate::commands::argument::Argument;

/// Options of some programs that name a file to write.
struct Outputs {
    programs: &'static [&'static str],
    /// Letters that take a value; the text after one in a bundle is its value. A letter without a value must
    /// not be listed, otherwise the option after it is not found.
    values: &'static str,
    /// Letters of `values` whose value is the file.
    short: &'static str,
    /// Whole words whose value is the file: the next word, or the text after `=`.
    long: &'static [&'static str],
    /// Whether the first operand is another program, whose options are not checked.
    runs: bool,
}

/// Length of the shortest abbreviation of an option; shorter ones are ambiguous.
const SHORTEST: usize = "--o".len();

const TABLE: &[Outputs] = &[
    Outputs {
        long: &[
            "--alt-svc",
            "--cookie-jar",
            "--dump-header",
            "--etag-save",
            "--hsts",
            "--libcurl",
            "--output",
            "--stderr",
            "--trace",
            "--trace-ascii",
        ],
        ..options(&["curl"], super::CURL_VALUES, "Dco")
    },
    Outputs {
        long: &["--append-output", "--output-document", "--output-file", "--rejected-log", "--save-cookies"],
        ..options(&["wget"], "ABDIOPQRTUXaeiltwo", "Oao")
    },
    Outputs {
        long: &["--log-file", "--logger-file", "--output", "--status-file"],
        ..options(&["gpg", "gpg2"], "NRoruz", "o")
    },
    Outputs { long: &["-keyout", "-out", "-writerand"], ..options(&["openssl"], "", "") },
    Outputs {
        long: &["--backup-dir", "--log-file", "--only-write-batch", "--write-batch"],
        ..options(&["rsync"], "BMTef", "")
    },
    Outputs {
        long: &["--index-file", "--listed-incremental", "--volno-file"],
        ..options(&["tar", "gtar"], "CFHIKLNTVXbfg", "g")
    },
    Outputs { long: &["--output"], runs: true, ..options(&["strace"], "EIOPSUXabeopsu", "o") },
    Outputs { long: &["--output"], runs: true, ..options(&["ltrace"], "ADFaelnopsuwx", "o") },
    Outputs { long: &["--output"], runs: true, ..options(&["time", "gtime"], "fo", "o") },
    Outputs {
        long: &["--log-in", "--log-io", "--log-out", "--log-timing"],
        ..options(&["script"], "BEIOTcmo", "BIOT")
    },
    Outputs { long: &["--output"], ..options(&["sort", "gsort"], "STkot", "o") },
    Outputs { long: &["--output"], ..options(&["age"], "Rijor", "o") },
    Outputs { long: &["--output"], ..options(&["iconv"], "fot", "o") },
    Outputs { long: &["--output"], ..options(&["pandoc"], "ABDFHLMTVcfortw", "o") },
    Outputs { long: &[], ..options(&["tcpdump"], "BCEFGMQTVWZcijmrswyz", "w") },
    Outputs { long: &["--LOG-FILE", "--log-file"], ..options(&["less"], "DOTbhjkoptxyz", "Oo") },
    Outputs { long: &["--output"], ..options(&["sdiff"], "FIow", "o") },
    Outputs { long: &[], ..options(&["tree"], "HILPTo", "o") },
    Outputs { long: &["--output"], ..options(&["perf"], "CDFGcegiopru", "o") },
    Outputs { long: &["--log-file", "--xml-file"], runs: true, ..options(&["valgrind"], "", "") },
];

const fn options(programs: &'static [&'static str], values: &'static str, short: &'static str) -> Outputs {
    Outputs { programs, values, short, long: &[], runs: false }
}

impl Changes<'_> {
    /// Notes the files of the options of a program in the table.
    pub(super) fn outputs(&mut self, name: &str, words: &[Argument]) {
        for outputs in TABLE.iter().filter(|outputs| outputs.programs.contains(&name)) {
            for file in outputs.files(words) {
                if file.literal() != Some("-") {
                    self.one(&file, WriteKind::Changed);
                }
            }
        }
    }
}

impl Outputs {
    fn files(&self, words: &[Argument]) -> Vec<Argument> {
        let mut found = Vec::new();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let text = word.prefix();
            let (name, attached) = match text.split_once('=') {
                Some((name, _)) => (name, word.strip_prefix(&format!("{name}="))),
                None => (text, None),
            };
            if self.long.iter().any(|long| is_short_for(name, long)) {
                found.extend(attached.or_else(|| words.next().cloned()));
            } else if let Some(bundle) = text.strip_prefix('-').filter(|bundle| !bundle.starts_with('-')) {
                let Some(letter) = bundle.chars().find(|letter| self.values.contains(*letter)) else {
                    continue;
                };
                let (before, _) = bundle.split_once(letter).unwrap_or((bundle, ""));
                let attached = word.strip_prefix(&format!("-{before}{letter}"));
                let value = attached.filter(|value| value.len() > 0).or_else(|| words.next().cloned());
                found.extend(value.filter(|_| self.short.contains(letter)));
            } else if self.runs && !text.starts_with("--") {
                break;
            }
        }
        found
    }
}

/// Returns whether a word is the name of an option, or an abbreviation with two dashes.
fn is_short_for(word: &str, name: &str) -> bool {
    word == name || (word.len() > SHORTEST && word.starts_with("--") && name.starts_with(word))
}
