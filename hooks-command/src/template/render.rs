//! Renders a template.

use serde_json::{Map, Value};

use super::effort::Effort;
use super::functions;
use super::parse::{Node, Operand, Pipeline};
use super::value::{Source, Thing};
use super::{TemplateError, error};

pub(super) fn render(
    nodes: &[Node],
    payload: &Map<String, Value>,
    keys_are_known: bool,
) -> Result<String, TemplateError> {
    let source = Source::new(payload);
    let variables = vec![("", Thing::Payload)];
    let (written, effort) = (String::new(), Effort::default());
    let mut renderer = Renderer { source: &source, keys_are_known, variables, written, effort };
    renderer.nodes(nodes, &Thing::Payload)?;
    Ok(renderer.written)
}

struct Renderer<'s> {
    source: &'s Source<'s>,
    /// Whether a missing key is an error.
    keys_are_known: bool,
    /// The variables in scope; the innermost is the last.
    variables: Vec<(&'s str, Thing<'s>)>,
    written: String,
    effort: Effort,
}

impl<'s> Renderer<'s> {
    /// Renders nodes. The parser limits the depth of this recursion.
    fn nodes(&mut self, nodes: &'s [Node], dot: &Thing<'s>) -> Result<(), TemplateError> {
        for node in nodes {
            self.effort.step()?;
            match node {
                Node::Text(text) => self.write(text)?,
                Node::Action(pipeline) => {
                    let value = self.pipeline(pipeline, dot)?;
                    if pipeline.names.is_empty() {
                        self.write(&value.print(self.source))?;
                    }
                }
                Node::If(branches, otherwise) => {
                    let known = self.variables.len();
                    self.branches(branches, otherwise, dot)?;
                    self.variables.truncate(known);
                }
                Node::With(pipeline, body, otherwise) => {
                    let known = self.variables.len();
                    let value = self.pipeline(pipeline, dot)?;
                    if value.is_true(self.source) {
                        self.nodes(body, &value)?;
                    } else {
                        self.nodes(otherwise, dot)?;
                    }
                    self.variables.truncate(known);
                }
                Node::Range(pipeline, body, otherwise) => {
                    let known = self.variables.len();
                    self.range(pipeline, body, otherwise, dot)?;
                    self.variables.truncate(known);
                }
            }
        }
        Ok(())
    }

    fn branches(
        &mut self,
        branches: &'s [(Pipeline, Vec<Node>)],
        otherwise: &'s [Node],
        dot: &Thing<'s>,
    ) -> Result<(), TemplateError> {
        for (pipeline, body) in branches {
            if self.pipeline(pipeline, dot)?.is_true(self.source) {
                return self.nodes(body, dot);
            }
        }
        self.nodes(otherwise, dot)
    }

    fn range(
        &mut self,
        pipeline: &'s Pipeline,
        body: &'s [Node],
        otherwise: &'s [Node],
        dot: &Thing<'s>,
    ) -> Result<(), TemplateError> {
        let ranged = self.value_of(pipeline, dot)?;
        let items = self.items(&ranged)?;
        if items.is_empty() {
            return self.nodes(otherwise, dot);
        }
        let known = self.variables.len();
        for (key, value) in items {
            self.effort.step()?;
            self.variables.truncate(known);
            match pipeline.names.as_slice() {
                [name] => self.variables.push((name, value.clone())),
                [first, second] => {
                    self.variables.push((first, Thing::made(key)));
                    self.variables.push((second, value.clone()));
                }
                _ => {}
            }
            self.nodes(body, &value)?;
        }
        Ok(())
    }

    /// The items of a value with their keys, in order.
    fn items(&self, ranged: &Thing<'s>) -> Result<Vec<(Value, Thing<'s>)>, TemplateError> {
        Ok(match ranged.value(self.source) {
            Value::Array(items) => {
                let item = |at: usize| Some((at.into(), ranged.inner(self.source, |items| items.get(at))?));
                (0..items.len()).filter_map(item).collect()
            }
            Value::Object(fields) => {
                let mut names: Vec<&String> = fields.keys().collect();
                names.sort_unstable();
                let item = |name: &String| {
                    Some((name.as_str().into(), ranged.inner(self.source, |fields| fields.get(name))?))
                };
                names.into_iter().filter_map(item).collect()
            }
            Value::Null => Vec::new(),
            _ => return error("`range` over what has no items"),
        })
    }

    fn pipeline(&mut self, pipeline: &'s Pipeline, dot: &Thing<'s>) -> Result<Thing<'s>, TemplateError> {
        let value = self.value_of(pipeline, dot)?;
        if let [name] = pipeline.names.as_slice() {
            if pipeline.declares {
                self.variables.push((name, value.clone()));
            } else if let Some((_, old)) = self.variables.iter_mut().rev().find(|(known, _)| known == name) {
                *old = value.clone();
            }
        }
        Ok(value)
    }

    /// The value of a pipeline, apart from the variables that it sets.
    fn value_of(&mut self, pipeline: &'s Pipeline, dot: &Thing<'s>) -> Result<Thing<'s>, TemplateError> {
        let mut given = None;
        for command in &pipeline.commands {
            self.effort.step()?;
            given = Some(self.command(command, given, dot)?);
        }
        given.map_or_else(|| error("a command is missing"), Ok)
    }

    fn command(
        &mut self,
        command: &'s [Operand],
        given: Option<Thing<'s>>,
        dot: &Thing<'s>,
    ) -> Result<Thing<'s>, TemplateError> {
        let Some((first, rest)) = command.split_first() else { return error("a command is missing") };
        let Operand::Function(name) = first else {
            if !rest.is_empty() || given.is_some() {
                return error("only a function takes arguments");
            }
            return self.operand(first, dot);
        };
        let mut arguments = Vec::with_capacity(rest.len() + 1);
        for operand in rest {
            arguments.push(self.operand(operand, dot)?);
        }
        arguments.extend(given);
        functions::call(name, &arguments, self.source, &mut self.effort)
    }

    fn operand(&mut self, operand: &'s Operand, dot: &Thing<'s>) -> Result<Thing<'s>, TemplateError> {
        match operand {
            Operand::Field(fields) => self.within(dot.clone(), fields),
            Operand::Variable(name, fields) => {
                let found = self.variables.iter().rev().find(|(known, _)| known == name);
                let value = found.map_or(Thing::Missing, |(_, value)| value.clone());
                self.within(value, fields)
            }
            Operand::Constant(value) => Ok(Thing::Given(value)),
            Operand::Function(name) => functions::call(name, &[], self.source, &mut self.effort),
            Operand::Pipeline(pipeline, fields) => {
                let value = self.pipeline(pipeline, dot)?;
                self.within(value, fields)
            }
        }
    }

    fn within(&self, value: Thing<'s>, fields: &[String]) -> Result<Thing<'s>, TemplateError> {
        let value = fields.iter().try_fold(value, |value, field| value.field(field, self.source))?;
        match value {
            Thing::Missing if self.keys_are_known => {
                error(format!("there is nothing under `.{}`", fields.join(".")))
            }
            value => Ok(value),
        }
    }

    fn write(&mut self, text: &str) -> Result<(), TemplateError> {
        self.effort.write(text.len())?;
        self.written.push_str(text);
        Ok(())
    }
}
