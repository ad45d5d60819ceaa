//! The functions of templates.

use std::cmp::Ordering;

use serde_json::Value;

use super::effort::Effort;
use super::value::{Source, Thing, is_true, json, printed, weight};
use super::{TemplateError, error};

pub(super) const KNOWN: &[&str] = &[
    "and", "or", "not", "len", "index", "print", "println", "printf", "eq", "ne", "lt", "le", "gt", "ge",
    "toJSON", "truncate",
];

/// Functions that read their complete arguments.
const READING: &[&str] = &["print", "println", "printf", "eq", "ne", "lt", "le", "gt", "ge", "toJSON"];

/// Calls a function. Functions that stop early, such as `and`, get all of their arguments evaluated too, as
/// evaluation has no side effects.
pub(super) fn call<'s>(
    name: &str,
    arguments: &[Thing<'s>],
    source: &'s Source<'_>,
    effort: &mut Effort,
) -> Result<Thing<'s>, TemplateError> {
    let values: Vec<&Value> = arguments.iter().map(|argument| argument.value(source)).collect();
    if READING.contains(&name) {
        values.iter().try_for_each(|value| effort.read(weight(value)))?;
    }
    let made: Value = match (name, values.as_slice()) {
        ("and", [_, ..]) => return Ok(chosen(arguments, &values, false)),
        ("or", [_, ..]) => return Ok(chosen(arguments, &values, true)),
        ("index", [_, keys @ ..]) => {
            let first = arguments.first().cloned().unwrap_or(Thing::Missing);
            return keys.iter().try_fold(first, |thing, key| at(&thing, key, source));
        }
        ("not", [value]) => (!is_true(value)).into(),
        ("len", [value]) => match value {
            Value::String(text) => text.len().into(),
            Value::Array(items) => items.len().into(),
            Value::Object(fields) => fields.len().into(),
            _ => return error("`len` of what has no length"),
        },
        ("print", _) => print(&values).into(),
        ("println", _) => {
            let texts: Vec<_> = values.iter().map(|value| printed(value)).collect();
            format!("{}\n", texts.join(" ")).into()
        }
        ("printf", [Value::String(format), arguments @ ..]) => printf(format, arguments)?.into(),
        ("eq", [first, others @ ..]) if !others.is_empty() => {
            others.iter().any(|other| same(first, other)).into()
        }
        ("ne", [a, b]) => (!same(a, b)).into(),
        ("lt", [a, b]) => (order(a, b)? == Ordering::Less).into(),
        ("le", [a, b]) => (order(a, b)? != Ordering::Greater).into(),
        ("gt", [a, b]) => (order(a, b)? == Ordering::Greater).into(),
        ("ge", [a, b]) => (order(a, b)? != Ordering::Less).into(),
        ("toJSON", [value]) => json(value).into(),
        ("truncate", [length, Value::String(text)]) => {
            let text = truncate(length, text)?;
            effort.read(text.len())?;
            text.into()
        }
        _ => return error(format!("`{name}` cannot be called like this")),
    };
    Ok(Thing::made(made))
}

/// The first argument whose truth is as given, else the last.
fn chosen<'s>(arguments: &[Thing<'s>], values: &[&Value], wanted: bool) -> Thing<'s> {
    let found = arguments.iter().zip(values).find(|(_, value)| is_true(value) == wanted);
    found.map(|(argument, _)| argument).or(arguments.last()).cloned().unwrap_or(Thing::Missing)
}

fn at<'s>(thing: &Thing<'s>, key: &Value, source: &'s Source<'_>) -> Result<Thing<'s>, TemplateError> {
    match (thing.value(source), key) {
        (Value::Object(_), Value::String(key)) => {
            Ok(thing.inner(source, |value| value.get(key)).unwrap_or_else(|| Thing::made(Value::Null)))
        }
        (Value::Array(_), Value::Number(index)) => {
            let at = index.as_u64().and_then(|index| usize::try_from(index).ok());
            let item = at.and_then(|at| thing.inner(source, |value| value.get(at)));
            item.map_or_else(|| error(format!("there is no item {index}")), Ok)
        }
        _ => error("`index` needs a value with items, and a key of it"),
    }
}

/// Joins arguments; a space separates two arguments if neither is a string.
fn print(arguments: &[&Value]) -> String {
    let mut text = String::new();
    let mut before: Option<&&Value> = None;
    for argument in arguments {
        if before.is_some_and(|before| !before.is_string() && !argument.is_string()) {
            text.push(' ');
        }
        text.push_str(&printed(argument));
        before = Some(argument);
    }
    text
}

fn printf(format: &str, arguments: &[&Value]) -> Result<String, TemplateError> {
    let (mut text, mut arguments) = (String::new(), arguments.iter());
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            text.push(c);
            continue;
        }
        let mut options = String::new();
        while let Some(option) =
            chars.next_if(|c| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | ' ' | '#'))
        {
            options.push(option);
        }
        let Some(verb) = chars.next() else { return error("a format ends behind `%`") };
        if verb == '%' {
            text.push('%');
            continue;
        }
        let Some(argument) = arguments.next() else { return error("a format has more verbs than arguments") };
        text.push_str(&padded(&options, verb, argument)?);
    }
    Ok(text)
}

fn padded(options: &str, verb: char, argument: &Value) -> Result<String, TemplateError> {
    const WIDEST: usize = 1000;
    let (width, precision) = options.split_once('.').unwrap_or((options, ""));
    let is_left = width.starts_with('-');
    let digits = width.trim_start_matches(|c: char| !c.is_ascii_digit() || c == '0');
    let width = digits.parse::<usize>().unwrap_or(0).min(WIDEST);
    let precision = precision.parse::<usize>().ok().map(|precision| precision.min(WIDEST));
    let written = match (verb, argument) {
        ('f', Value::Number(number)) => {
            format!("{:.*}", precision.unwrap_or(6), number.as_f64().unwrap_or_default())
        }
        ('q', value) => Value::String(printed(value)).to_string(),
        ('s' | 'v', value) => match precision {
            Some(precision) if value.is_string() => printed(value).chars().take(precision).collect(),
            _ => printed(value),
        },
        ('d', Value::Number(_)) | ('t', Value::Bool(_)) => printed(argument),
        _ => return error(format!("the verb `%{verb}` is not known here, or not for this argument")),
    };
    Ok(if is_left { format!("{written:<width$}") } else { format!("{written:>width$}") })
}

fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        _ => a == b,
    }
}

fn order(a: &Value, b: &Value) -> Result<Ordering, TemplateError> {
    let order = match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64().partial_cmp(&b.as_f64()),
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        _ => None,
    };
    order.map_or_else(|| error("the compared values differ in kind"), Ok)
}

/// Truncates a text to this number of bytes, with a mark if anything was removed.
fn truncate(length: &Value, text: &str) -> Result<String, TemplateError> {
    let Some(length) = length.as_i64() else { return error("`truncate` takes a number and a string") };
    let Some(most) = usize::try_from(length).ok().filter(|most| (1..text.len()).contains(most)) else {
        return Ok(text.to_owned());
    };
    let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    Ok(format!("{}…", text.get(..end).unwrap_or_default()))
}
