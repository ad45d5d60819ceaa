//! The functions of templates.

use std::cmp::Ordering;

use serde_json::Value;

use super::value::{json, printed};
use super::{TemplateError, error};

pub(super) const KNOWN: &[&str] = &[
    "and", "or", "not", "len", "index", "print", "println", "printf", "eq", "ne", "lt", "le", "gt", "ge",
    "toJSON", "truncate",
];

/// Calls one. Those that stop early get all of their arguments too: none of them does anything else than give a value.
pub(super) fn call(name: &str, arguments: &[Value]) -> Result<Value, TemplateError> {
    match (name, arguments) {
        ("and", [first, ..]) => Ok(chosen(arguments, false).unwrap_or(first).clone()),
        ("or", [first, ..]) => Ok(chosen(arguments, true).unwrap_or(first).clone()),
        ("not", [value]) => Ok((!is_true(value)).into()),
        ("len", [value]) => match value {
            Value::String(text) => Ok(text.len().into()),
            Value::Array(items) => Ok(items.len().into()),
            Value::Object(fields) => Ok(fields.len().into()),
            _ => error("`len` of what has no length"),
        },
        ("index", [value, keys @ ..]) => keys.iter().try_fold(value.clone(), |value, key| at(&value, key)),
        ("print", _) => Ok(print(arguments).into()),
        ("println", _) => {
            let texts: Vec<_> = arguments.iter().map(printed).collect();
            Ok(format!("{}\n", texts.join(" ")).into())
        }
        ("printf", [Value::String(format), arguments @ ..]) => printf(format, arguments).map(Value::String),
        ("eq", [first, others @ ..]) if !others.is_empty() => {
            Ok(others.iter().any(|other| same(first, other)).into())
        }
        ("ne", [a, b]) => Ok((!same(a, b)).into()),
        ("lt", [a, b]) => order(a, b).map(|order| (order == Ordering::Less).into()),
        ("le", [a, b]) => order(a, b).map(|order| (order != Ordering::Greater).into()),
        ("gt", [a, b]) => order(a, b).map(|order| (order == Ordering::Greater).into()),
        ("ge", [a, b]) => order(a, b).map(|order| (order != Ordering::Less).into()),
        ("toJSON", [value]) => Ok(json(value).into()),
        ("truncate", [length, Value::String(text)]) => truncate(length, text),
        _ => error(format!("`{name}` cannot be called like this")),
    }
}

/// The first argument that is as asked for, else the last.
fn chosen(arguments: &[Value], wanted: bool) -> Option<&Value> {
    arguments.iter().find(|value| is_true(value) == wanted).or_else(|| arguments.last())
}

fn is_true(value: &Value) -> bool {
    super::value::Thing::Value(value.clone()).is_true()
}

fn at(value: &Value, key: &Value) -> Result<Value, TemplateError> {
    match (value, key) {
        (Value::Object(fields), Value::String(key)) => Ok(fields.get(key).cloned().unwrap_or_default()),
        (Value::Array(items), Value::Number(index)) => {
            let item = index.as_u64().and_then(|index| items.get(usize::try_from(index).ok()?));
            item.cloned().map_or_else(|| error(format!("there is no item {index}")), Ok)
        }
        _ => error("`index` of what has no items, or by what is no key"),
    }
}

/// A space stands between two arguments of which none is a text.
fn print(arguments: &[Value]) -> String {
    let mut text = String::new();
    let mut before: Option<&Value> = None;
    for argument in arguments {
        if before.is_some_and(|before| !before.is_string() && !argument.is_string()) {
            text.push(' ');
        }
        text.push_str(&printed(argument));
        before = Some(argument);
    }
    text
}

fn printf(format: &str, arguments: &[Value]) -> Result<String, TemplateError> {
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
    order.map_or_else(|| error("what is compared is not of one kind"), Ok)
}

/// At most so many bytes, and a mark where some were left out.
fn truncate(length: &Value, text: &str) -> Result<Value, TemplateError> {
    let Some(length) = length.as_i64() else { return error("`truncate` takes a number and a text") };
    let Some(most) = usize::try_from(length).ok().filter(|most| (1..text.len()).contains(most)) else {
        return Ok(text.into());
    };
    let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    Ok(format!("{}…", text.get(..end).unwrap_or_default()).into())
}
