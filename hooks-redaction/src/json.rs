//! Scrubs JSON values: texts, object keys, and numbers that match a label.

use serde_json::{Map, Value};

use super::names;
use super::report::Report;
use super::scrubber::Scrubber;
use super::span::Span;

/// Deepest nesting. Deeper values are replaced whole, because they must not leak.
const MAX_DEPTH: usize = 512;

/// Longest value that is judged by its name; longer ones are scrubbed as plain text.
const MAX_NAMED: usize = 4096;

/// Returns whether a text is a long number.
fn is_number(text: &str) -> bool {
    (8..=20).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
}

/// Fields that hold the name of the value in the field beside them.
const NAMES: &[&str] = &["name", "Name", "key", "Key"];

/// Fields whose value is named by the field beside them.
const VALUES: &[&str] = &["value", "Value"];

impl Scrubber {
    /// Scrubs every text and key in `value`; returns how many were changed.
    ///
    /// A value whose key suggests a secret is judged as it would be in a text after its name. If keys become
    /// equal, a number is appended (`[EMAIL_REDACTED] 2`), so that no entry is lost. A whole number that
    /// matches a label in its decimal form (such as a card number) becomes a text with the marker. A value
    /// below 512 levels becomes null and counts as one change.
    ///
    /// ```
    /// use hooks_redaction::Scrubber;
    /// use serde_json::json;
    ///
    /// let mut value = json!({"password": "hunter2hunter2", "a@b.org": [4_111_111_111_111_111_u64, 42]});
    /// assert_eq!(Scrubber::all().scrub_value(&mut value), 3);
    /// let wanted = json!({"password": "[PASSWORD_REDACTED]", "[EMAIL_REDACTED]": ["[CREDIT_CARD_REDACTED]", 42]});
    /// assert_eq!(value, wanted);
    /// ```
    pub fn scrub_value(&self, value: &mut Value) -> usize {
        self.scrub_value_reported(value).0
    }

    /// Scrubs `value` as [`scrub_value`](Self::scrub_value) does; returns how many texts and keys were changed, and
    /// the number of findings by label.
    ///
    /// ```
    /// use hooks_redaction::{Label, Scrubber};
    /// use serde_json::json;
    ///
    /// let mut value = json!({"to": "a@b.org, c@d.org"});
    /// let (changed, report) = Scrubber::all().scrub_value_reported(&mut value);
    /// assert_eq!((changed, report.count(&Label::Email)), (1, 2));
    /// ```
    pub fn scrub_value_reported(&self, value: &mut Value) -> (usize, Report) {
        let mut report = Report::default();
        let changed = self.scrub_tree(value, &mut report);
        (changed, report)
    }

    fn scrub_tree(&self, value: &mut Value, report: &mut Report) -> usize {
        let mut changed = 0;
        let mut open: Vec<(&mut Value, usize, &str)> = vec![(value, 0, "")];
        while let Some((value, depth, name)) = open.pop() {
            match value {
                Value::Array(_) | Value::Object(_) if depth >= MAX_DEPTH => {
                    drop_flat(std::mem::take(value));
                    changed += 1;
                }
                Value::String(text) if is_number(text) => {
                    if let Some(scrubbed) = self.scrub_number(name, text, report) {
                        *text = scrubbed;
                        changed += 1;
                    }
                }
                Value::String(text) => {
                    let scrubbed = match self.scrub_into(text, report) {
                        std::borrow::Cow::Borrowed(_) => continue,
                        std::borrow::Cow::Owned(scrubbed) => scrubbed,
                    };
                    *text = scrubbed;
                    changed += 1;
                }
                Value::Number(number) if number.is_u64() => {
                    if let Some(scrubbed) = self.scrub_number(name, &number.to_string(), report) {
                        *value = Value::String(scrubbed);
                        changed += 1;
                    }
                }
                Value::Array(items) => {
                    changed += self.scrub_words(items, report);
                    open.extend(items.iter_mut().map(|item| (item, depth + 1, name)));
                }
                Value::Object(fields) => {
                    changed += self.scrub_named(fields, report);
                    changed += self.scrub_keys(fields, report);
                    open.extend(fields.iter_mut().map(|(name, field)| (field, depth + 1, name.as_str())));
                }
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
        }
        changed
    }

    fn scrub_into<'t>(&self, text: &'t str, report: &mut Report) -> std::borrow::Cow<'t, str> {
        let scrubbed = self.scrub_reported(text);
        report.merge(&scrubbed.report);
        scrubbed.text
    }

    /// Judges digits as they would be in the text `"name": digits`: the name distinguishes a card from an identifier.
    fn scrub_number(&self, name: &str, digits: &str, report: &mut Report) -> Option<String> {
        let head = name.get(..names::MAX_NAME).unwrap_or(name);
        let context = if head.is_empty() { digits.to_owned() } else { format!("\"{head}\": {digits}") };
        let start = context.len() - digits.len();
        let mut spans = self.spans(&context);
        spans.retain_mut(|span| {
            span.end = span.end.saturating_sub(start);
            span.start = span.start.saturating_sub(start);
            span.start < span.end
        });
        report.add(&spans);
        (!spans.is_empty()).then(|| self.replace(digits, &spans))
    }

    /// Scrubs the values of options in a list of words, as in a command line: `["--password", "…"]`.
    fn scrub_words(&self, items: &mut [Value], report: &mut Report) -> usize {
        let is_option = |item: &Value| item.as_str().is_some_and(|word| word.starts_with('-'));
        if !items.iter().any(is_option) || !items.iter().all(Value::is_string) {
            return 0;
        }
        let words: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
        let spans = self.spans(&words.join(" "));
        let (mut changed, mut start, mut is_value) = (0, 0, false);
        for item in items {
            let Value::String(word) = item else { continue };
            let end = start + word.len();
            let inside = spans.iter().filter(|span| is_value && start <= span.start && span.end <= end);
            let inside: Vec<Span> = inside
                .map(|span| Span::new(span.start - start, span.end - start, span.label.clone()))
                .collect();
            (start, is_value) = (end + 1, word.starts_with('-'));
            if !inside.is_empty() {
                report.add(&inside);
                *word = self.replace(word, &inside);
                changed += 1;
            }
        }
        changed
    }

    /// Scrubs values whose field, or whose `name` beside the `value`, suggests a secret.
    fn scrub_named(&self, fields: &mut Map<String, Value>, report: &mut Report) -> usize {
        let mut changed = 0;
        let given = NAMES.iter().find_map(|key| fields.get(*key)?.as_str().map(str::to_owned));
        for (key, field) in fields.iter_mut() {
            let name = given.as_deref().filter(|_| VALUES.contains(&key.as_str())).unwrap_or(key);
            if let Some(scrubbed) = self.scrub_field(name, field, report) {
                *field = Value::String(scrubbed);
                changed += 1;
            }
        }
        changed
    }

    /// Judges a value as it would be in the text `"name": "value"`.
    fn scrub_field(&self, name: &str, field: &Value, report: &mut Report) -> Option<String> {
        let is_text = match field {
            Value::String(text) => text.len() <= MAX_NAMED,
            Value::Number(_) => true,
            _ => false,
        };
        if !is_text || name.len() > names::MAX_NAME || names::noun(name).is_none() {
            return None;
        }
        let text = field.as_str().map_or_else(|| field.to_string(), str::to_owned);
        // The replacements have the same length, so that positions stay. A character that ends a quotation
        // would hide the rest.
        let quoted = text.replace(['"', '\\', '\n'], "-");
        let start = name.len() + "\"\": \"".len();
        let mut spans = self.spans(&format!("\"{name}\": \"{quoted}\""));
        spans.retain_mut(|span| {
            span.start = span.start.saturating_sub(start);
            span.end = span.end.saturating_sub(start).min(text.len());
            span.start < span.end
        });
        report.add(&spans);
        (!spans.is_empty()).then(|| self.replace(&text, &spans))
    }

    fn scrub_keys(&self, fields: &mut Map<String, Value>, report: &mut Report) -> usize {
        if fields.keys().all(|key| self.spans(key).is_empty()) {
            return 0;
        }
        let mut changed = 0;
        // Number of keys for each marker text, so that many equal keys are numbered in linear time.
        let mut taken = std::collections::HashMap::<String, usize>::new();
        for (key, field) in std::mem::take(fields) {
            let scrubbed = self.scrub_into(&key, report).into_owned();
            changed += usize::from(scrubbed != key);
            let count = taken.entry(scrubbed.clone()).or_insert(0);
            let mut name = scrubbed.clone();
            while *count > 0 || fields.contains_key(&name) {
                *count += 1;
                name = format!("{scrubbed} {count}", count = *count);
                if !fields.contains_key(&name) {
                    break;
                }
            }
            *count = (*count).max(1);
            fields.insert(name, field);
        }
        changed
    }
}

/// Drops a deep value without recursion.
fn drop_flat(value: Value) {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => open.extend(fields.into_iter().map(|(_, field)| field)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_of_options_in_a_list_of_words() {
        for (words, wanted) in [
            (json!(["rm", "-rf", "x", "--password", "hunterIsecret"]), 4),
            (json!(["curl", "-u", "bob:hunter4secret", "https://x"]), 2),
            (json!(["mysql", "--password", "hunter4secret", "db"]), 2),
        ] {
            let mut value = json!({ "argv": words });
            assert_eq!(Scrubber::all().scrub_value(&mut value), 1, "{words}");
            for (number, word) in value["argv"].as_array().unwrap().iter().enumerate() {
                assert_eq!(*word == words[number], number != wanted, "{value}");
            }
        }
        for words in [
            json!(["password", "token", "-"]),
            json!(["-n", "call 555", "123 4567"]),
            json!(["--password", 7]),
        ] {
            let mut value = words.clone();
            assert_eq!((Scrubber::all().scrub_value(&mut value), value), (0, words));
        }
    }

    #[test]
    fn texts_keys_and_numbers() {
        let mut value =
            json!({"jane@example.com": ["a@b.org", {"n": 4_111_111_111_111_111_u64}], "x": 42, "y": null});
        assert_eq!(Scrubber::all().scrub_value(&mut value), 3);
        let wanted = json!({"[EMAIL_REDACTED]": ["[EMAIL_REDACTED]", {"n": "[CREDIT_CARD_REDACTED]"}], "x": 42, "y": null});
        assert_eq!(value, wanted);
        assert_eq!(Scrubber::all().scrub_value(&mut value), 0);
    }

    #[test]
    fn values_are_judged_by_their_names() {
        let mut value = json!({
            "password": "hunter2hunter2",
            "env": {"API_KEY": "zzzxxxyyy111222", "PATH": "/bin"},
            "list": [{"name": "DB_PASSWORD", "value": "a\"b\\c9xyzzy"}, {"name": "HOST", "value": "hunter2hunter2"}],
            "token_count": 12345,
            "pass": true,
        });
        assert_eq!(Scrubber::all().scrub_value(&mut value), 3);
        let wanted = json!({
            "password": "[PASSWORD_REDACTED]",
            "env": {"API_KEY": "[API_KEY_REDACTED]", "PATH": "/bin"},
            "list": [{"name": "DB_PASSWORD", "value": "[PASSWORD_REDACTED]"}, {"name": "HOST", "value": "hunter2hunter2"}],
            "token_count": 12345,
            "pass": true,
        });
        assert_eq!(value, wanted);
        assert_eq!(Scrubber::all().scrub_value(&mut value), 0);
        let mut value = json!({"password": 12_345_678, "secret": "${{ secrets.TOKEN }}"});
        Scrubber::all().scrub_value(&mut value);
        assert_eq!(value, json!({"password": "[PASSWORD_REDACTED]", "secret": "${{ secrets.TOKEN }}"}));
        let mut value = json!({"password": "hunter2hunter2"});
        assert_eq!(Scrubber::emails().scrub_value(&mut value), 0);
    }

    #[test]
    fn equal_keys_lose_no_entry() {
        let mut value = json!({"[EMAIL_REDACTED] 2": 0, "a@b.org": 1, "c@d.org": 2, "e@f.org": 3});
        Scrubber::emails().scrub_value(&mut value);
        let mut kept: Vec<_> = value.as_object().unwrap().values().filter_map(Value::as_u64).collect();
        kept.sort_unstable();
        assert_eq!(kept, [0, 1, 2, 3]);
        assert!(!value.to_string().contains('@'));
    }

    #[test]
    fn deep_values_are_cut() {
        let mut value = json!("a@b.org");
        for _ in 0..5000 {
            value = Value::Array(vec![value]);
        }
        assert_eq!(Scrubber::all().scrub_value(&mut value), 1);
        assert!(!value.to_string().contains('@'));
    }
}
