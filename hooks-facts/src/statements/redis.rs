//! Reads commands of Redis: their names have no case.

use super::{Statement, Statements, UNKNOWN};
use crate::globs::Gap;

/// Most words of a command that are kept.
const MOST_WORDS: usize = 16;

/// Reads a command that is given as words.
pub(crate) fn read(words: &[String]) -> Statements {
    let mut found = Statements::default();
    // A number before the command repeats it.
    let numbers = words.iter().take_while(|word| word.parse::<u32>().is_ok()).count();
    let Some((command, rest)) = words.get(numbers..).and_then(<[String]>::split_first) else { return found };
    let is_computed = |word: &String| word.contains(|c| Gap::from_char(c).is_some());
    let command = if is_computed(command) { UNKNOWN.to_owned() } else { command.to_lowercase() };
    let mut statement = Statement::new(&[&command]);
    statement.words.extend(rest.iter().take(MOST_WORDS).map(|word| word.to_lowercase()));
    if rest.iter().any(is_computed) {
        statement.mark("--computed");
    }
    found.push(statement);
    if matches!(command.as_str(), "eval" | "eval_ro" | "fcall" | "multi") {
        rest.iter().for_each(|script| calls_of_script(script, &mut found));
    }
    found
}

/// Reads a command that is given as a line.
pub(crate) fn line(line: &str) -> Statements {
    let mut words = Vec::new();
    let mut rest = line.trim();
    while let Some(c) = rest.chars().next() {
        let quote = Some(c).filter(|c| matches!(c, '"' | '\''));
        let inner = rest.get(usize::from(quote.is_some())..).unwrap_or_default();
        let end = match quote {
            Some(quote) => inner.find(quote),
            None => inner.find(char::is_whitespace),
        };
        let (word, after) = inner.split_at_checked(end.unwrap_or(inner.len())).unwrap_or((inner, ""));
        words.push(word.to_owned());
        rest = after.get(usize::from(quote.is_some())..).unwrap_or_default().trim_start();
    }
    read(&words)
}

/// `redis.call('flushall')`.
fn calls_of_script(script: &str, found: &mut Statements) {
    for after in script.split("call(").skip(1) {
        let after = after.trim_start();
        let Some(quote) = after.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
            found.push(Statement::new(&[UNKNOWN]));
            continue;
        };
        let name = after.split(quote).nth(1).unwrap_or_default().to_lowercase();
        found.push(Statement::new(&[&name]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read() {
        for (text, wanted) in [
            ("FlushAll ASYNC", &["flushall async"][..]),
            ("set a 'flushall now'", &["set a flushall now"]),
            ("3 ping", &["ping"]),
            (
                "eval \"return redis.call('FLUSHALL')\" 0",
                &["eval return redis.call('flushall') 0", "flushall"],
            ),
            ("", &[]),
            ("'", &[""]),
        ] {
            let all = line(text).all.into_iter();
            let shown: Vec<_> = all.map(|one| [one.words, one.marks].concat().join(" ")).collect();
            assert_eq!(shown, wanted, "{text}");
        }
    }
}
