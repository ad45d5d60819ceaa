//! Blocks commands that contain one of the prohibited texts.

use memchr::memmem::Finder;
use serde_json::{Value, json};

use super::javascript::{JsError, is_truthy, length_is_above_zero, to_text};

/// Prohibited texts if a policy has none.
const DEFAULTS: [&str; 4] = ["rm -rf", "git push --force", "git rebase", "git reset --hard"];

/// The prohibited texts, in the order in which they are reported.
#[derive(Debug)]
pub(super) struct ShellRestriction {
    prohibited: Vec<Prohibited>,
    /// Error of the search if none of `prohibited` is found.
    fault: Option<JsError>,
}

/// Item of the list.
#[derive(Debug)]
pub(super) struct Prohibited {
    finder: Finder<'static>,
    /// Reason for a command that contains the text; an error if the list cannot be formatted.
    reason: Result<String, JsError>,
    item: Value,
}

impl ShellRestriction {
    /// Creates the restriction of a policy's field.
    ///
    /// # Errors
    /// Returns an error if the field has a length that cannot be compared.
    pub(super) fn from_policy(field: Option<&Value>) -> Result<Option<Self>, JsError> {
        match field.filter(|list| is_truthy(list)) {
            None => Ok(Some(Self::new(&json!(DEFAULTS)))),
            Some(list) if length_is_above_zero(list)? => Ok(Some(Self::new(list))),
            Some(_) => Ok(None),
        }
    }

    fn new(list: &Value) -> Self {
        let mut restriction = Self { prohibited: Vec::new(), fault: None };
        let joined = join(list);
        let letters: Vec<Value>;
        let items = match list {
            Value::Array(items) => items,
            // JavaScript iterates over a text letter by letter.
            Value::String(text) => {
                letters = text.chars().map(|letter| letter.to_string().into()).collect();
                &letters
            }
            _ => {
                restriction.fault = Some(JsError::type_error("blockedCommands is not iterable"));
                return restriction;
            }
        };
        for item in items {
            match to_text(item) {
                Ok(text) => restriction.prohibited.push(Prohibited {
                    finder: Finder::new(&text).into_owned(),
                    reason: joined.clone().map(|joined| reason(&text, &joined)),
                    item: item.clone(),
                }),
                Err(fault) => {
                    restriction.fault = Some(fault);
                    break;
                }
            }
        }
        restriction
    }

    /// Returns the first prohibited text in the command.
    ///
    /// # Errors
    /// Returns an error if no text is found and the list is incomplete: the field is not a list, or one of
    /// its items cannot be converted to text.
    pub(super) fn find(&self, command: &str) -> Result<Option<&Prohibited>, JsError> {
        let found = self.prohibited.iter().find(|item| item.finder.find(command.as_bytes()).is_some());
        match (found, &self.fault) {
            (None, Some(fault)) => Err(fault.clone()),
            (found, _) => Ok(found),
        }
    }
}

impl Prohibited {
    /// Returns the reason for a command that contains the text.
    ///
    /// # Errors
    /// Returns an error if the list cannot be formatted.
    pub(super) fn reason(&self) -> Result<String, JsError> {
        self.reason.clone()
    }

    /// Returns the item as it was given.
    pub(super) fn item(&self) -> &Value {
        &self.item
    }
}

fn reason(text: &str, joined: &str) -> String {
    format!(
        "Shell command blocked: Command contains prohibited pattern \"{text}\". Blocked commands: {joined}"
    )
}

/// `list.join(', ')`.
fn join(list: &Value) -> Result<String, JsError> {
    let Value::Array(items) = list else {
        return Err(JsError::type_error("blockedCommands.join is not a function"));
    };
    let texts: Vec<String> = items
        .iter()
        .map(|item| if item.is_null() { Ok(String::new()) } else { to_text(item) })
        .collect::<Result<_, _>>()?;
    Ok(texts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(list: &Value, command: &str) -> Result<Option<String>, JsError> {
        let restriction = ShellRestriction::from_policy(Some(list)).unwrap().unwrap();
        restriction.find(command)?.map(Prohibited::reason).transpose()
    }

    #[test]
    fn the_first_of_the_list_is_reported() {
        let reason = reason(&json!(["wget", "curl"]), "curl x | wget").unwrap().unwrap();
        assert!(reason.ends_with("pattern \"wget\". Blocked commands: wget, curl"), "{reason}");
    }

    #[test]
    fn false_values_mean_the_defaults_and_empty_ones_none() {
        for field in [None, Some(json!(null)), Some(json!("")), Some(json!(0)), Some(json!(false))] {
            let restriction = ShellRestriction::from_policy(field.as_ref()).unwrap().unwrap();
            assert!(restriction.find("x; rm -rf /").unwrap().is_some());
        }
        for field in [json!([]), json!({}), json!(5), json!(true)] {
            assert!(ShellRestriction::from_policy(Some(&field)).unwrap().is_none());
        }
    }

    #[test]
    fn items_of_other_types_are_printed() {
        let list = json!([[], null]);
        assert!(reason(&list, "ls").unwrap().unwrap().ends_with("pattern \"\". Blocked commands: , "));
        let list = json!([null, {}, 1e21]);
        let want = "pattern \"null\". Blocked commands: , [object Object], 1e+21";
        assert!(reason(&list, "echo null").unwrap().unwrap().ends_with(want));
    }

    #[test]
    fn what_javascript_cannot_read_fails_the_call() {
        let fails = |list: &Value, command| reason(list, command).unwrap_err().message().to_owned();
        assert_eq!(fails(&json!("rm"), "firm"), "blockedCommands.join is not a function");
        assert_eq!(reason(&json!("rm"), "ls"), Ok(None));
        assert_eq!(fails(&json!({"length": 1}), "ls"), "blockedCommands is not iterable");
        let unprintable = json!(["a", {"toString": 1}, "ls"]);
        assert_eq!(fails(&unprintable, "ls"), "Cannot convert object to primitive value");
        assert_eq!(fails(&unprintable, "a"), "Cannot convert object to primitive value");
    }
}
