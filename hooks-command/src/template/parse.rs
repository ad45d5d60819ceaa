//! Parses the words of a template into nodes.

use serde_json::Value;

use super::functions;
use super::lex::{Part, Word};
use super::{TemplateError, error};

/// Maximum nesting of blocks and parentheses.
const DEEPEST: usize = 32;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Text(String),
    Action(Pipeline),
    /// Branches in order, and the nodes to use if no branch is taken.
    If(Vec<(Pipeline, Vec<Node>)>, Vec<Node>),
    With(Pipeline, Vec<Node>, Vec<Node>),
    Range(Pipeline, Vec<Node>, Vec<Node>),
}

/// Commands, each of which receives the value of the one before it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pipeline {
    /// The variables that the pipeline sets.
    pub(super) names: Vec<String>,
    /// Whether it declares the variables.
    pub(super) declares: bool,
    pub(super) commands: Vec<Vec<Operand>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Operand {
    Field(Vec<String>),
    Variable(String, Vec<String>),
    Constant(Value),
    Function(String),
    Pipeline(Pipeline, Vec<String>),
}

pub(super) fn parse(parts: &[Part]) -> Result<Vec<Node>, TemplateError> {
    let mut parser = Parser { parts: parts.iter(), known: vec![String::new()] };
    match parser.nodes(0)? {
        (nodes, Ending::Template) => Ok(nodes),
        (_, Ending::End) => error("an `end` ends nothing"),
        (_, Ending::Else(_)) => error("an `else` belongs to nothing"),
    }
}

struct Parser<'p> {
    parts: std::slice::Iter<'p, Part>,
    /// The variables in scope; the one without a name is the payload.
    known: Vec<String>,
}

/// The end of a list of nodes.
enum Ending<'p> {
    Template,
    End,
    /// An `else` with the words after it.
    Else(&'p [Word]),
}

impl<'p> Parser<'p> {
    fn nodes(&mut self, depth: usize) -> Result<(Vec<Node>, Ending<'p>), TemplateError> {
        if depth > DEEPEST {
            return error(format!("it nests deeper than {DEEPEST} levels"));
        }
        let mut nodes = Vec::new();
        while let Some(part) = self.parts.next() {
            let words = match part {
                Part::Text(text) => {
                    if !text.is_empty() {
                        nodes.push(Node::Text(text.clone()));
                    }
                    continue;
                }
                Part::Action(words) => words,
            };
            let (first, behind) = match words.split_first() {
                Some((Word::Name(name), behind)) => (name.as_str(), behind),
                Some(_) => ("", words.as_slice()),
                None => return error("an action is empty"),
            };
            match first {
                "end" if behind.is_empty() => return Ok((nodes, Ending::End)),
                "else" => return Ok((nodes, Ending::Else(behind))),
                "if" | "with" | "range" => {
                    let known = self.known.len();
                    nodes.push(self.block(first, behind, depth)?);
                    self.known.truncate(known);
                }
                "template" | "define" | "block" | "break" | "continue" => {
                    return error(format!("`{first}` is not known here"));
                }
                _ => nodes.push(Node::Action(self.pipeline(words, depth)?)),
            }
        }
        Ok((nodes, Ending::Template))
    }

    fn block(&mut self, kind: &str, words: &'p [Word], depth: usize) -> Result<Node, TemplateError> {
        let pipeline = self.pipeline(words, depth)?;
        let (body, mut ending) = self.nodes(depth + 1)?;
        let mut branches = vec![(pipeline, body)];
        loop {
            match ending {
                Ending::Template => return error(format!("an `{kind}` has no `end`")),
                Ending::End => return Ok(made(kind, branches, Vec::new())),
                Ending::Else([Word::Name(name), words @ ..]) if name == "if" && kind == "if" => {
                    let pipeline = self.pipeline(words, depth)?;
                    let (body, next) = self.nodes(depth + 1)?;
                    branches.push((pipeline, body));
                    ending = next;
                }
                Ending::Else([]) => {
                    let (otherwise, Ending::End) = self.nodes(depth + 1)? else {
                        return error(format!("an `else` of `{kind}` has no `end`"));
                    };
                    return Ok(made(kind, branches, otherwise));
                }
                Ending::Else(_) => return error("an `else` cannot be read"),
            }
        }
    }

    fn pipeline(&mut self, words: &[Word], depth: usize) -> Result<Pipeline, TemplateError> {
        let (names, declares, words) = match words {
            [Word::Variable(name, fields), Word::Declare, rest @ ..] if fields.is_empty() => {
                (vec![name.clone()], true, rest)
            }
            [Word::Variable(name, fields), Word::Assign, rest @ ..] if fields.is_empty() => {
                (vec![name.clone()], false, rest)
            }
            [Word::Variable(a, none), Word::Comma, Word::Variable(b, nothing), Word::Declare, rest @ ..]
                if none.is_empty() && nothing.is_empty() =>
            {
                (vec![a.clone(), b.clone()], true, rest)
            }
            words => (Vec::new(), false, words),
        };
        let mut commands = vec![Vec::new()];
        let mut words = words.iter();
        self.commands(&mut words, &mut commands, depth)?;
        if !declares && let Some(name) = names.iter().find(|name| !self.known.contains(name)) {
            return error(format!("there is no variable `${name}`"));
        }
        self.known.extend(names.iter().filter(|_| declares).cloned());
        Ok(Pipeline { names, declares, commands })
    }

    /// Parses commands up to the end, or up to the parenthesis that closes them.
    fn commands(
        &mut self,
        words: &mut std::slice::Iter<'_, Word>,
        commands: &mut Vec<Vec<Operand>>,
        depth: usize,
    ) -> Result<Option<Vec<String>>, TemplateError> {
        if depth > DEEPEST {
            return error(format!("it nests deeper than {DEEPEST} levels"));
        }
        let mut closed = None;
        while let Some(word) = words.next() {
            let operand = match word {
                Word::Pipe => {
                    commands.push(Vec::new());
                    continue;
                }
                Word::Close(fields) => {
                    closed = Some(fields.clone());
                    break;
                }
                Word::Open => {
                    let mut inner = vec![Vec::new()];
                    let Some(fields) = self.commands(words, &mut inner, depth + 1)? else {
                        return error("a parenthesis is not closed");
                    };
                    let pipeline = Pipeline { names: Vec::new(), declares: false, commands: inner };
                    Operand::Pipeline(pipeline, fields)
                }
                Word::Field(fields) => Operand::Field(fields.clone()),
                Word::Variable(name, fields) if self.known.contains(name) => {
                    Operand::Variable(name.clone(), fields.clone())
                }
                Word::Variable(name, _) => return error(format!("there is no variable `${name}`")),
                Word::Text(text) => Operand::Constant(text.as_str().into()),
                Word::Number(number) => Operand::Constant(number.clone().into()),
                Word::Name(name) => match name.as_str() {
                    "true" => Operand::Constant(true.into()),
                    "false" => Operand::Constant(false.into()),
                    "nil" => Operand::Constant(Value::Null),
                    name if functions::KNOWN.contains(&name) => Operand::Function(name.to_owned()),
                    name => return error(format!("there is no function `{name}`")),
                },
                Word::Comma | Word::Declare | Word::Assign => return error("an action cannot be read"),
            };
            if let Some(command) = commands.last_mut() {
                command.push(operand);
            }
        }
        if commands.iter().any(Vec::is_empty) {
            return error("a command is missing");
        }
        let mut later = commands.iter().skip(1);
        if later.any(|command| !matches!(command.first(), Some(Operand::Function(_)))) {
            return error("expected a function after `|`");
        }
        Ok(closed)
    }
}

fn made(kind: &str, mut branches: Vec<(Pipeline, Vec<Node>)>, otherwise: Vec<Node>) -> Node {
    if kind == "if" {
        return Node::If(branches, otherwise);
    }
    match branches.pop() {
        Some((pipeline, body)) if kind == "with" => Node::With(pipeline, body, otherwise),
        Some((pipeline, body)) => Node::Range(pipeline, body, otherwise),
        None => Node::If(branches, otherwise),
    }
}
