//! Fills a template.

use serde_json::{Map, Value};

use super::functions;
use super::parse::{Node, Operand, Pipeline};
use super::value::Thing;
use super::{TemplateError, error};

/// How much a template may do, in nodes and commands.
const MOST_STEPS: usize = 200_000;
/// How much it may write, in bytes.
const LONGEST: usize = 16 << 20;

pub(super) fn render(
    nodes: &[Node],
    payload: &Map<String, Value>,
    keys_are_known: bool,
) -> Result<String, TemplateError> {
    let variables = vec![(String::new(), Thing::Payload)];
    let mut renderer = Renderer { payload, keys_are_known, variables, written: String::new(), steps: 0 };
    renderer.nodes(nodes, &Thing::Payload)?;
    Ok(renderer.written)
}

struct Renderer<'p> {
    payload: &'p Map<String, Value>,
    /// Whether a key that is not there is an error.
    keys_are_known: bool,
    /// The innermost last.
    variables: Vec<(String, Thing)>,
    written: String,
    steps: usize,
}

impl Renderer<'_> {
    /// As deep as the parser let blocks nest.
    fn nodes(&mut self, nodes: &[Node], dot: &Thing) -> Result<(), TemplateError> {
        for node in nodes {
            self.step()?;
            match node {
                Node::Text(text) => self.write(text)?,
                Node::Action(pipeline) => {
                    let value = self.pipeline(pipeline, dot)?;
                    if pipeline.names.is_empty() {
                        self.write(&value.print(self.payload))?;
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
                    if value.is_true() {
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
        branches: &[(Pipeline, Vec<Node>)],
        otherwise: &[Node],
        dot: &Thing,
    ) -> Result<(), TemplateError> {
        for (pipeline, body) in branches {
            if self.pipeline(pipeline, dot)?.is_true() {
                return self.nodes(body, dot);
            }
        }
        self.nodes(otherwise, dot)
    }

    fn range(
        &mut self,
        pipeline: &Pipeline,
        body: &[Node],
        otherwise: &[Node],
        dot: &Thing,
    ) -> Result<(), TemplateError> {
        let commands = Pipeline { names: Vec::new(), ..pipeline.clone() };
        let items: Vec<(Value, Value)> = match self.pipeline(&commands, dot)?.into_value(self.payload) {
            Value::Array(items) => (0_usize..).map(Value::from).zip(items).collect(),
            Value::Object(fields) => {
                let mut fields: Vec<_> = fields.into_iter().collect();
                fields.sort_by(|(a, _), (b, _)| a.cmp(b));
                fields.into_iter().map(|(name, value)| (name.into(), value)).collect()
            }
            Value::Null => Vec::new(),
            _ => return error("`range` over what has no items"),
        };
        if items.is_empty() {
            return self.nodes(otherwise, dot);
        }
        let known = self.variables.len();
        for (key, value) in items {
            self.variables.truncate(known);
            match pipeline.names.as_slice() {
                [name] => self.variables.push((name.clone(), Thing::Value(value.clone()))),
                [first, second] => {
                    self.variables.push((first.clone(), Thing::Value(key)));
                    self.variables.push((second.clone(), Thing::Value(value.clone())));
                }
                _ => {}
            }
            self.nodes(body, &Thing::Value(value))?;
        }
        Ok(())
    }

    fn pipeline(&mut self, pipeline: &Pipeline, dot: &Thing) -> Result<Thing, TemplateError> {
        let mut given = None;
        for command in &pipeline.commands {
            self.step()?;
            given = Some(self.command(command, given, dot)?);
        }
        let Some(value) = given else { return error("a command is missing") };
        if let [name] = pipeline.names.as_slice() {
            if pipeline.declares {
                self.variables.push((name.clone(), value.clone()));
            } else if let Some((_, old)) = self.variables.iter_mut().rev().find(|(known, _)| known == name) {
                *old = value.clone();
            }
        }
        Ok(value)
    }

    fn command(
        &mut self,
        command: &[Operand],
        given: Option<Thing>,
        dot: &Thing,
    ) -> Result<Thing, TemplateError> {
        let Some((first, rest)) = command.split_first() else { return error("a command is missing") };
        let Operand::Function(name) = first else {
            if !rest.is_empty() || given.is_some() {
                return error("only a function takes arguments");
            }
            return self.operand(first, dot);
        };
        let mut arguments = Vec::with_capacity(rest.len() + 1);
        for operand in rest {
            arguments.push(self.operand(operand, dot)?.into_value(self.payload));
        }
        arguments.extend(given.map(|given| given.into_value(self.payload)));
        functions::call(name, &arguments).map(Thing::Value)
    }

    fn operand(&mut self, operand: &Operand, dot: &Thing) -> Result<Thing, TemplateError> {
        match operand {
            Operand::Field(fields) => self.within(dot.clone(), fields),
            Operand::Variable(name, fields) => {
                let found = self.variables.iter().rev().find(|(known, _)| known == name);
                let value = found.map_or(Thing::Missing, |(_, value)| value.clone());
                self.within(value, fields)
            }
            Operand::Constant(value) => Ok(Thing::Value(value.clone())),
            Operand::Function(name) => functions::call(name, &[]).map(Thing::Value),
            Operand::Pipeline(pipeline, fields) => {
                let value = self.pipeline(pipeline, dot)?;
                self.within(value, fields)
            }
        }
    }

    fn within(&self, value: Thing, fields: &[String]) -> Result<Thing, TemplateError> {
        let value = fields.iter().try_fold(value, |value, field| value.field(field, self.payload))?;
        match value {
            Thing::Missing if self.keys_are_known => {
                error(format!("there is nothing under `.{}`", fields.join(".")))
            }
            value => Ok(value),
        }
    }

    fn write(&mut self, text: &str) -> Result<(), TemplateError> {
        if self.written.len().saturating_add(text.len()) > LONGEST {
            return error(format!("it writes more than {} MiB", LONGEST >> 20));
        }
        self.written.push_str(text);
        Ok(())
    }

    fn step(&mut self) -> Result<(), TemplateError> {
        self.steps += 1;
        if self.steps > MOST_STEPS { error(format!("it takes more than {MOST_STEPS} steps")) } else { Ok(()) }
    }
}
