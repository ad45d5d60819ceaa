//! Texts that commands write, and commands in the texts of files.

use super::super::lex::Lexed;
use super::super::tables;
use super::Run;

/// Returns the here-documents of a command with the files that they are written to.
pub(super) fn here_documents(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some((_, behind)) = line.split_once("<<") else { continue };
        let word = behind.trim_start_matches(['-', '~']).trim_start();
        let end: String = word
            .trim_start_matches(['\'', '"', '\\'])
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        if end.is_empty() {
            continue;
        }
        let target = line
            .rsplit_once('>')
            .map(|(_, rest)| rest)
            .or_else(|| line.split_once("tee ").map(|(_, rest)| rest));
        let target = target.unwrap_or_default().trim().trim_start_matches("-a ");
        let target = target.split([' ', '<', '|', ';']).next().unwrap_or_default().trim_matches(['\'', '"']);
        let body: Vec<&str> = lines.by_ref().take_while(|line| line.trim() != end).collect();
        found.push((target.to_owned(), body.join("\n")));
    }
    found
}

/// Returns the commands in the text of a file.
pub(super) fn commands_in(path: &str, text: &str) -> Vec<String> {
    if text.is_empty() {
        return Vec::new();
    }
    let file = path.rsplit('/').next().unwrap_or(path);
    let language = tables::language(path);
    let code = language.as_ref().map_or_else(|| text.to_owned(), |language| Lexed::new(text, language).code);
    match language.map(|language| language.name) {
        Some("sh") => vec![code],
        Some("docker") => {
            let joined = code.replace("\\\n", " ");
            let commands = joined.lines().filter_map(|line| {
                let line = line.trim();
                let rest = ["RUN ", "CMD ", "ENTRYPOINT "].iter().find_map(|word| line.strip_prefix(word))?;
                let words = rest.trim_matches(['[', ']', ' ']);
                Some(if rest.trim_start().starts_with('[') {
                    words.replace(['"', ','], " ")
                } else {
                    rest.to_owned()
                })
            });
            commands.collect()
        }
        Some("make") => code
            .lines()
            .filter(|line| line.starts_with(['\t', ' ']))
            .map(|line| line.trim().trim_start_matches(['@', '-']).to_owned())
            .collect(),
        Some("yaml") => steps(&code),
        _ if file == "package.json" => {
            let scripts = text
                .split_once("\"scripts\"")
                .map_or("", |(_, rest)| rest.split('}').next().unwrap_or_default());
            scripts
                .lines()
                .filter_map(|line| line.split_once(':'))
                .map(|(_, value)| value.trim().trim_matches([',', '"', ' ', '{']).to_owned())
                .filter(|command| !command.is_empty())
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Keys of YAML whose values are commands: those of GitHub, GitLab, CircleCI, Compose, Woodpecker and Taskfile.
const STEPS: &[&str] = &[
    "run",
    "script",
    "command",
    "before_script",
    "after_script",
    "commands",
    "cmds",
    "cmd",
    "bash",
    "sh",
    "shell",
];

/// Returns the commands in the steps of a pipeline in YAML: on the line of a key, below it, or as its items.
fn steps(code: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    // Indent of the key whose value goes on below it, and whether the value is one text.
    let mut open: Option<(usize, bool)> = None;
    for line in code.lines().filter(|line| !line.trim().is_empty()) {
        let indent = line.len() - line.trim_start().len();
        let trimmed = line.trim();
        let item = trimmed.strip_prefix("- ");
        if let Some((key, is_text)) = open {
            if is_text && indent > key {
                if let Some(last) = found.last_mut() {
                    last.push_str(trimmed);
                    last.push('\n');
                }
                continue;
            }
            if let Some(item) = item.filter(|item| !is_text && indent >= key && value(item).is_none()) {
                found.push(item.trim_matches(['\'', '"']).to_owned());
                continue;
            }
            open = None;
        }
        let Some(given) = value(item.unwrap_or(trimmed)) else { continue };
        if given.starts_with(['|', '>']) {
            found.push(String::new());
            open = Some((indent, true));
        } else if given.is_empty() {
            open = Some((indent, false));
        } else if !given.starts_with('[') {
            found.push(given.trim_matches(['\'', '"']).to_owned());
        }
    }
    found.retain(|command| !command.is_empty());
    found
}

/// Returns the value of a key for commands.
fn value(line: &str) -> Option<&str> {
    let (key, value) = line.split_once(':')?;
    STEPS.contains(&key.trim()).then(|| value.trim())
}

/// Returns the replacements of an editor of streams, `s/old/new/`, each with the replaced text.
pub(super) fn replacements(run: &Run) -> Vec<(String, String)> {
    if !matches!(run.program.as_str(), "sed" | "gsed" | "perl") {
        return Vec::new();
    }
    let scripts = run.words.iter().filter(|word| !word.starts_with('-'));
    scripts.flat_map(|script| script.split([';', '\n'])).filter_map(replacement).collect()
}

fn replacement(command: &str) -> Option<(String, String)> {
    // An address may stand before the command.
    let at = command.find('s').filter(|at| *at < 12)?;
    let rest = command.get(at + 1..)?;
    let mark = rest.chars().next().filter(|mark| !mark.is_alphanumeric() && !mark.is_whitespace())?;
    let mut parts: Vec<String> = vec![String::new()];
    let mut escaped = false;
    for c in rest.chars().skip(1) {
        match (escaped, c == mark, parts.last_mut()) {
            (false, true, _) => parts.push(String::new()),
            (true, false, Some(part)) if c == 'n' => part.push('\n'),
            (_, _, Some(part)) if escaped || c != '\\' => part.push(c),
            _ => {}
        }
        escaped = !escaped && c == '\\';
    }
    let mut parts = parts.into_iter();
    let (old, new) = (parts.next()?, parts.next()?);
    parts.next()?;
    Some((old, new))
}

/// Returns a program of R that installs packages, in the words of a command, with a name of a file for it.
pub(super) fn program_of(run: &Run) -> Option<(&'static str, String)> {
    let is_interpreter = ["Rscript", "R", "littler"].contains(&run.program.as_str());
    let at = run.words.iter().position(|word| word == "-e").filter(|_| is_interpreter)?;
    let text = run.words.get(at + 1).filter(|text| text.contains("install"))?;
    Some(("command.R", text.clone()))
}

/// Returns the lines that an editor of streams adds: `sed -i '1i TEXT'`.
pub(super) fn inserted(run: &Run) -> Vec<String> {
    if !matches!(run.program.as_str(), "sed" | "gsed") {
        return Vec::new();
    }
    let text_of = |script: &String| {
        let rest = script.trim_start_matches(|c: char| c.is_ascii_digit() || c == '$');
        let rest = rest.strip_prefix(['i', 'a', 'c'])?;
        let is_command = rest.starts_with([' ', '\\']);
        is_command.then(|| rest.trim_start_matches([' ', '\\', '\n']).to_owned())
    };
    run.words.iter().filter(|word| !word.starts_with('-')).filter_map(text_of).collect()
}
