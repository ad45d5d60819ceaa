//! Reads the statements of a SQL text.

use super::sql_condition::{has_condition, positions};
use super::sql_lexer::{Dialect, Token, tokens};
use super::{Statement, Statements, UNKNOWN};

/// Deepest nesting of texts that are read: `do $$ … $$`.
const MAX_DEPTH: usize = 4;

/// Most words of a statement.
const MOST_WORDS: usize = 24;

/// Most changes of one statement: parts of a `with`, or actions of an `alter`. With more, the statement counts as unknown.
const MOST_PARTS: usize = 64;

/// Most functions that a statement calls. With more, the statement counts as unknown.
const MOST_CALLS: usize = 256;

/// Words between `drop`, `create` or `alter` and the kind of object.
const BEFORE_KINDS: &[&str] =
    &["or", "replace", "global", "local", "foreign", "external", "transient", "force"];

/// Programs that a statement may hide in its body until it is called.
const BODIES: &[&str] = &["function", "procedure", "trigger", "event", "package"];

/// Words that begin statements which change rows, also inside of a `with`.
const CHANGES: &[&str] = &["delete", "update", "insert", "merge", "replace", "select"];

/// Reads the statements of a text.
pub(crate) fn read(text: &str, dialect: Dialect) -> Statements {
    let mut reader = SqlReader { dialect, found: Statements::default(), transaction: None };
    reader.text(text, 0);
    reader.found
}

struct SqlReader {
    dialect: Dialect,
    found: Statements,
    /// Number of statements before the open transaction.
    transaction: Option<usize>,
}

impl SqlReader {
    fn text(&mut self, text: &str, depth: usize) {
        if depth > MAX_DEPTH {
            self.found.push(Statement::new(&[UNKNOWN]));
            return;
        }
        let tokens = tokens(text, self.dialect);
        let mut rest = tokens.as_slice();
        while !rest.is_empty() {
            let end = end_of_statement(rest);
            self.statement(rest.get(..end).unwrap_or_default(), depth);
            rest = rest.get(end + 1..).unwrap_or_default();
        }
    }

    fn statement(&mut self, tokens: &[Token], depth: usize) {
        let opened = tokens.iter().take_while(|token| **token == Token::Symbol('(')).count();
        let tokens = tokens.get(opened..).unwrap_or_default();
        let Some((first, rest)) = tokens.split_first() else { return };
        match first {
            Token::Client(line) => return self.client(line),
            Token::Gap => return self.found.push(Statement::new(&[UNKNOWN])),
            _ => {}
        }
        let Some(word) = first.word() else { return };
        match word {
            "explain" | "describe" | "desc" => self.explain(rest, depth),
            "with" => self.with(rest, depth),
            "begin" | "start" if is_transaction(rest) => self.transaction = Some(self.found.all.len()),
            "begin" | "if" | "loop" | "for" | "foreach" | "while" | "declare" | "else" | "elsif" => {
                self.inside_block(tokens, depth);
            }
            "commit" | "end" => self.transaction = None,
            "rollback" | "abort" if !rest.iter().any(|token| token.is("to")) => self.roll_back(),
            "alter" => self.alter(tokens),
            "do" | "prepare" | "execute" | "exec" | "call" => self.texts_in(tokens, depth),
            "system" | "shell" if self.dialect != Dialect::Postgres => self.client_words(rest),
            _ => {
                let statement = self.plain(tokens);
                self.found.push(statement);
            }
        }
    }

    /// A statement with its first words and its marks.
    fn plain(&self, tokens: &[Token]) -> Statement {
        let mut statement = Statement { words: words(tokens), marks: Vec::new() };
        let is = |word: &str| tokens.iter().any(|token| token.is(word));
        match tokens.first().and_then(Token::word) {
            Some("delete" | "update" | "replace") if has_condition(tokens) => statement.mark("--where"),
            Some("copy") if is("program") => statement.mark("--program"),
            Some("select" | "values") => {
                if positions(tokens).any(|(_, token)| token.is("outfile") || token.is("dumpfile")) {
                    statement.mark("--outfile");
                }
                let select = statement.words.first().cloned();
                statement.words = select.into_iter().chain(called(tokens)).collect();
                if statement.words.len() > MOST_CALLS + 1 {
                    return Statement::new(&[UNKNOWN]);
                }
            }
            _ => {}
        }
        statement
    }

    /// Only with `analyze` does an explained statement run.
    fn explain(&mut self, rest: &[Token], depth: usize) {
        let start = match rest.first() {
            Some(Token::Symbol('(')) => {
                rest.iter().position(|token| *token == Token::Symbol(')')).map(|at| at + 1)
            }
            _ => rest.iter().position(|token| !matches!(token.word(), Some("analyze" | "verbose"))),
        };
        let Some((options, statement)) = start.and_then(|start| rest.split_at_checked(start)) else { return };
        let runs = options.iter().position(|token| token.is("analyze")).is_some_and(|at| {
            !options.get(at + 1).is_some_and(|value| matches!(value.word(), Some("false" | "off" | "0")))
        });
        if runs {
            match depth < MAX_DEPTH {
                true => self.statement(statement, depth + 1),
                false => self.found.push(Statement::new(&[UNKNOWN])),
            }
        }
    }

    /// `with a as (delete …) select …`: each part that changes rows is a statement.
    fn with(&mut self, rest: &[Token], depth: usize) {
        let mut outside = positions(rest);
        let main = outside.find(|(_, token)| token.word().is_some_and(|word| CHANGES.contains(&word)));
        let main = main.map_or(rest.len(), |(at, _)| at);
        let (parts, statement) = rest.split_at_checked(main).unwrap_or((rest, &[]));
        let mut count = 0_usize;
        for (at, token) in parts.iter().enumerate() {
            let follows = at.checked_sub(1).and_then(|before| parts.get(before)) == Some(&Token::Symbol('('));
            if follows
                && token.word().is_some_and(|word| matches!(word, "delete" | "update" | "insert" | "merge"))
            {
                count += 1;
                if count > MOST_PARTS {
                    self.found.push(Statement::new(&[UNKNOWN]));
                    break;
                }
                let part = parts.get(at..).unwrap_or_default();
                let mut open = 0_usize;
                let end = part.iter().position(|token| match token {
                    Token::Symbol('(') => {
                        open += 1;
                        false
                    }
                    Token::Symbol(')') if open == 0 => true,
                    Token::Symbol(')') => {
                        open -= 1;
                        false
                    }
                    _ => false,
                });
                let statement = self.plain(part.get(..end.unwrap_or(part.len())).unwrap_or_default());
                self.found.push(statement);
            }
        }
        if depth < MAX_DEPTH {
            self.statement(statement, depth + 1);
        } else {
            self.found.push(Statement::new(&[UNKNOWN]));
        }
    }

    /// The first statement of a block: `if x then delete from a`.
    fn inside_block(&mut self, tokens: &[Token], depth: usize) {
        let is_start = |token: &Token| matches!(token.word(), Some("begin" | "then" | "loop" | "else"));
        let Some(at) = tokens.iter().position(is_start) else { return };
        match depth < MAX_DEPTH {
            true => self.statement(tokens.get(at + 1..).unwrap_or_default(), depth + 1),
            false => self.found.push(Statement::new(&[UNKNOWN])),
        }
    }

    /// `alter table a drop b, add c`: one statement for each change.
    fn alter(&mut self, tokens: &[Token]) {
        let mut start = 0;
        let commas = positions(tokens).filter(|(_, token)| **token == Token::Symbol(',')).map(|(at, _)| at);
        let mut ends: Vec<_> = commas.chain([tokens.len()]).take(MOST_PARTS + 1).collect();
        if ends.len() > MOST_PARTS {
            self.found.push(Statement::new(&[UNKNOWN]));
            ends.truncate(MOST_PARTS);
        }
        let mut object: Vec<String> = Vec::new();
        for end in ends {
            let part = words(tokens.get(start..end).unwrap_or_default());
            let all: Vec<String> = object.iter().cloned().chain(part).collect();
            if start == 0 {
                object = all.iter().take(3).cloned().collect();
            }
            self.found.push(Statement { words: all, marks: Vec::new() });
            start = end + 1;
        }
    }

    /// Statements in the strings of a statement that runs them.
    fn texts_in(&mut self, tokens: &[Token], depth: usize) {
        let statement = self.plain(tokens);
        self.found.push(statement);
        if depth < MAX_DEPTH
            && let Some(at) = tokens.iter().position(|token| token.is("as") || token.is("from"))
            && tokens.first().is_some_and(|first| first.is("prepare"))
            && tokens.get(at + 1).is_some_and(|token| token.word().is_some())
        {
            self.statement(tokens.get(at + 1..).unwrap_or_default(), depth + 1);
        }
        for token in tokens {
            match token {
                Token::Text(text) => self.text(text, depth + 1),
                Token::Gap => self.found.push(Statement::new(&[UNKNOWN])),
                _ => {}
            }
        }
    }

    fn roll_back(&mut self) {
        if let Some(start) = self.transaction.take() {
            for statement in self.found.all.iter_mut().skip(start) {
                statement.mark("--rolled-back");
            }
        }
    }

    /// A line for the client.
    fn client(&mut self, line: &str) {
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let shell = match command {
            "system" | "shell" => Some(rest),
            _ => line.strip_prefix('!'),
        };
        match shell {
            Some(text) => self.found.shell.push(text.trim().to_owned()),
            None if command == "copy" => self.found.push(Statement::new(&["copy"])),
            None if command == "gexec" => self.found.push(Statement::new(&[UNKNOWN])),
            None => {}
        }
    }

    fn client_words(&mut self, tokens: &[Token]) {
        let words: Vec<_> = tokens.iter().filter_map(Token::shown).collect();
        self.found.shell.push(words.join(" "));
    }
}

/// Returns whether the words after `begin` belong to the start of a transaction, and are not the first statement of a block.
fn is_transaction(rest: &[Token]) -> bool {
    let first = rest.iter().find_map(Token::word).unwrap_or_default();
    let words = [
        "",
        "transaction",
        "tran",
        "work",
        "isolation",
        "read",
        "deferred",
        "deferrable",
        "immediate",
        "exclusive",
        "not",
    ];
    words.contains(&first)
}

/// Returns the end of the first statement. A `;` inside of a body does not end it.
fn end_of_statement(tokens: &[Token]) -> usize {
    let is_create = tokens.first().is_some_and(|first| first.is("create") || first.is("alter"));
    let has_body = is_create
        && tokens
            .iter()
            .take(12)
            .take_while(|token| **token != Token::Symbol(';'))
            .any(|token| token.word().is_some_and(|word| BODIES.contains(&word)));
    let mut open = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Word(word) if has_body && (word == "begin" || word == "case") => open += 1,
            Token::Word(word) if has_body && word == "end" => {
                // `end if` and `end loop` close what no `begin` opened.
                let is_other = tokens
                    .get(at + 1)
                    .and_then(Token::word)
                    .is_some_and(|next| matches!(next, "if" | "loop" | "while" | "repeat"));
                open -= usize::from(open > 0 && !is_other);
            }
            Token::Symbol(';') if open == 0 => return at,
            _ => {}
        }
    }
    tokens.len()
}

/// Returns the first words of a statement, without those before the kind of an object.
fn words(tokens: &[Token]) -> Vec<String> {
    let first = tokens.first().and_then(Token::word).unwrap_or_default();
    let has_kind = matches!(first, "drop" | "create" | "alter");
    let shown = tokens.iter().filter_map(Token::shown).take(MOST_WORDS);
    shown
        .enumerate()
        .filter(|(at, word)| !has_kind || *at > 3 || !BEFORE_KINDS.contains(&word.as_str()))
        .map(|(_, word)| word)
        .collect()
}

/// Returns the functions that a statement calls.
fn called(tokens: &[Token]) -> impl Iterator<Item = String> {
    let pairs = tokens.iter().zip(tokens.iter().skip(1));
    let calls = pairs.filter(|(_, next)| **next == Token::Symbol('(')).filter_map(|(name, _)| name.shown());
    calls.take(MOST_CALLS + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, dialect: Dialect) -> Vec<String> {
        let all = read(text, dialect).all.into_iter();
        all.map(|statement| [statement.words, statement.marks].concat().join(" ")).collect()
    }

    #[test]
    fn postgres() {
        for (text, wanted) in [
            ("select 1; DROP TABLE \"Users\"", &["select", "drop table users"][..]),
            ("select 'drop table a' -- drop table b\n /* drop /* nested */ table c */", &["select"]),
            ("delete from a where id = 1", &["delete from a where id 1 --where"]),
            ("delete from a where (1 = 1)", &["delete from a where 1 1"]),
            ("delete from a where id = 3 or true", &["delete from a where id 3 or true"]),
            (
                "delete from a where x in (select y from b where z = 1)",
                &["delete from a where x in select y from b where z 1 --where"],
            ),
            ("delete from a using (select 1 where true) b", &["delete from a using select 1 where true b"]),
            ("update a set b = E'it\\'s', c = 2", &["update a set b c 2"]),
            ("explain delete from a", &[]),
            ("explain (analyze, buffers) delete from a", &["delete from a"]),
            ("explain analyze delete from a", &["delete from a"]),
            ("explain (analyze false) delete from a", &[]),
            ("with x as (delete from a returning *) select * from x", &["delete from a returning", "select"]),
            ("begin; drop table a; rollback; drop table b", &["drop table a --rolled-back", "drop table b"]),
            ("begin; drop table a; commit; rollback", &["drop table a"]),
            ("do $x$ begin delete from a; end $x$", &["do", "delete from a"]),
            ("do $$ begin if a then drop table b; end if; end $$", &["do", "drop table b"]),
            (
                "create function f() returns void as $$ drop table a; $$ language sql",
                &["create function f returns void as language sql"],
            ),
            (
                "alter table a add b int, drop column c",
                &["alter table a add b int", "alter table a drop column c"],
            ),
            ("select pg_terminate_backend(pid) from pg_stat_activity", &["select pg_terminate_backend"]),
            ("copy a to program 'curl x'", &["copy a to program --program"]),
            ("\u{E113}; select 1", &["unknown", "select"]),
            ("drop table if exists a cascade", &["drop table if exists a cascade"]),
            ("truncate a, b", &["truncate a b"]),
            ("\\d users\nselect 1", &["select"]),
        ] {
            assert_eq!(shown(text, Dialect::Postgres), wanted, "{text}");
        }
        assert_eq!(read("\\! rm -rf x\nselect 1", Dialect::Postgres).shell, ["rm -rf x"]);
    }

    #[test]
    fn mysql_and_others() {
        for (text, wanted) in [
            ("/*!50000 DROP TABLE a */", &["drop table a"][..]),
            ("/* drop table a */ select 1 # drop table b", &["select"]),
            ("select 'it\\'s; drop table a'", &["select"]),
            ("select \"a; drop table b\"", &["select"]),
            ("select 1--1; drop table a", &["select", "drop table a"]),
            ("prepare s from 'drop table a'; execute s", &["prepare s from", "drop table a", "execute s"]),
        ] {
            assert_eq!(shown(text, Dialect::Mysql), wanted, "{text}");
        }
        let trigger = "create trigger t after insert on a begin delete from b; end; drop table c";
        assert_eq!(shown(trigger, Dialect::Other).len(), 2);
        assert_eq!(read(".shell rm -rf x", Dialect::Other).shell, ["rm -rf x"]);
        assert_eq!(shown("drop table [a b]", Dialect::Other), ["drop table a b"]);
    }

    #[test]
    fn hostile_texts_are_read_in_linear_time() {
        for text in ["(", "/*", "'", "$a$", "with x as (", "do 'do ", "where ", ";", "begin "] {
            read(&text.repeat(20_000), Dialect::Postgres);
            read(&text.repeat(20_000), Dialect::Mysql);
        }
    }
}
