//! Templates of prompts: the part of Go's `text/template` that prompts use, rendered with a payload.
//!
//! Supported are fields with their Go names (`.ToolName`, `.ToolInput.cmd`), pipelines, variables, `if`,
//! `with`, `range`, the usual functions, and `toJSON` and `truncate N`. Depth, number of steps, bytes read by
//! functions, and bytes written are limited. Reading a value does not copy it.
//!
//! ```
//! use hooks_command::template::Template;
//! use serde_json::json;
//!
//! let prompt = Template::parse("{{ .ToolName }}: {{ .ToolInput | toJSON | truncate 8 }}")?;
//! let payload = json!({"tool_name": "shell", "tool_input": {"cmd": "ls"}});
//! assert_eq!(prompt.render(payload.as_object().unwrap())?, "shell: {\"cmd\":\"…");
//! # Ok::<(), hooks_command::template::TemplateError>(())
//! ```

mod effort;
mod functions;
mod lex;
mod parse;
mod render;
mod value;

use serde_json::{Map, Value};

/// A parsed template.
#[derive(Clone, Debug, PartialEq)]
pub struct Template(Vec<parse::Node>);

/// An error in a template, or in rendering it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TemplateError(String);

impl Template {
    /// Parses a template.
    ///
    /// # Errors
    /// Returns an error if the syntax is invalid, or the template uses an unsupported feature.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        parse::parse(&lex::lex(text)?).map(Self)
    }

    /// Renders the template with a payload. A missing key renders as `<no value>`.
    ///
    /// # Errors
    /// Returns an error if the template names an unknown field, or uses an operation that the value does not
    /// support.
    pub fn render(&self, payload: &Map<String, Value>) -> Result<String, TemplateError> {
        render::render(&self.0, payload, false)
    }

    /// Renders the template with a payload. A missing key is an error.
    ///
    /// # Errors
    /// Returns an error as [`Self::render`] does, and if a key is missing.
    ///
    /// ```
    /// use hooks_command::template::Template;
    /// use serde_json::json;
    ///
    /// let prompt = Template::parse("{{ .ToolInput.cmd }}")?;
    /// let payload = json!({"tool_name": "shell", "tool_input": {}});
    /// let payload = payload.as_object().cloned().unwrap_or_default();
    /// assert_eq!(prompt.render(&payload)?, "<no value>");
    /// assert!(prompt.render_known(&payload).is_err());
    /// # Ok::<(), hooks_command::template::TemplateError>(())
    /// ```
    pub fn render_known(&self, payload: &Map<String, Value>) -> Result<String, TemplateError> {
        render::render(&self.0, payload, true)
    }
}

fn error<T>(message: impl Into<String>) -> Result<T, TemplateError> {
    Err(TemplateError(message.into()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn render(template: &str) -> Result<String, TemplateError> {
        let payload = json!({
            "session_id": "s-1", "tool_name": "shell", "iteration": 3, "prompt": "hello",
            "tool_input": {"cmd": "ls <a>", "n": 5.0, "list": [1, "b"], "deep": {"x": null}, "big": 1_234_567, "small": 0.5},
            "usage": {"input_tokens": 7}, "steering_messages": ["one", "two"]
        });
        Template::parse(template)?.render(payload.as_object().unwrap())
    }

    #[test]
    fn as_go_writes_it() {
        for (template, wanted) in [
            ("plain", "plain"),
            ("{{ .SessionID }}/{{.Cwd}}|", "s-1/|"),
            ("a {{- .ToolName -}} b", "ashellb"),
            ("{{/* nothing */}}x", "x"),
            ("{{ .ToolInput.cmd }} {{ .ToolInput.nobody }}", "ls <a> <no value>"),
            (
                "{{ .ToolInput | toJSON }}",
                r#"{"big":1234567,"cmd":"ls \u003ca\u003e","deep":{"x":null},"list":[1,"b"],"n":5,"small":0.5}"#,
            ),
            (
                "{{ .ToolInput }}",
                "map[big:1.234567e+06 cmd:ls <a> deep:map[x:<nil>] list:[1 b] n:5 small:0.5]",
            ),
            ("{{ truncate 2 .ToolName }}{{ .ToolName | truncate 9 }}", "sh…shell"),
            ("{{ len .Prompt }} {{ len .ToolInput }} {{ len .Messages }}", "5 6 0"),
            ("{{ if eq .ToolName \"shell\" \"bash\" }}y{{ else }}n{{ end }}", "y"),
            ("{{ if .ToolError }}a{{ else if gt .Iteration 2 }}b{{ end }}", "b"),
            (
                "{{ range $i, $m := .SteeringMessages }}{{ $i }}={{ $m }};{{ else }}none{{ end }}",
                "0=one;1=two;",
            ),
            ("{{ range .Messages }}x{{ else }}none{{ end }}", "none"),
            ("{{ range $k, $v := .ToolInput }}{{ $k }} {{ end }}", "big cmd deep list n small "),
            ("{{ with .ToolInput.deep }}{{ .x }}{{ $.ToolName }}{{ end }}", "<no value>shell"),
            ("{{ $x := .ToolName }}{{ $x }}{{ $x = `z` }}{{ $x }}", "shellz"),
            (
                "{{ printf \"%s-%d-%v-%q-%5.1f%%\" .ToolName .Iteration true \"q\" 1.25 }}",
                "shell-3-true-\"q\"-  1.2%",
            ),
            ("{{ index .ToolInput \"cmd\" }} {{ index .ToolInput.list 1 }}", "ls <a> b"),
            ("{{ .Usage.InputTokens }} {{ (index .SteeringMessages 0) }}", "7 one"),
            ("{{ and .ToolName 0 }} {{ or .Reason \"d\" }} {{ not true }}", "0 d false"),
            ("{{ print .ToolName 1 2 \"x\" }}{{ println 1 }}", "shell1 2x1\n"),
            ("{{ \"{{\" }}", "{{"),
            (
                "{{ .ToolInput.big }} {{ .ToolInput.big | toJSON }} {{ .ToolInput.small }}",
                "1.234567e+06 1234567 0.5",
            ),
        ] {
            assert_eq!(render(template).as_deref(), Ok(wanted), "{template}");
        }
    }

    #[test]
    fn what_is_no_template() {
        for template in [
            "{{",
            "{{ .ToolName",
            "{{ end }}",
            "{{ if .ToolName }}",
            "{{ else }}",
            "{{ nobody .ToolName }}",
            "{{ }}",
            "{{ | toJSON }}",
            "{{ $x }}",
            "{{ \"a }}",
            "{{ (1 }}",
            "{{ template \"x\" }}",
            "{{ .A..B }}",
            "{{ range }}{{ end }}",
        ] {
            assert!(Template::parse(template).is_err(), "{template}");
        }
        assert!(Template::parse(&"{{ if true }}".repeat(1000)).is_err());
        assert!(Template::parse(&format!("{{{{ {} }}}}", "(".repeat(10_000))).is_err());
    }

    #[test]
    fn what_cannot_be_filled() {
        for template in [
            "{{ .Nobody }}",
            "{{ .ToolName.x }}",
            "{{ len 1 }}",
            "{{ index .ToolInput.list 9 }}",
            "{{ lt 1 \"a\" }}",
        ] {
            assert!(render(template).is_err(), "{template}");
        }
        let template = Template::parse("{{ .ToolInput.nobody }}").unwrap();
        assert!(template.render_known(json!({"tool_input": {}}).as_object().unwrap()).is_err());
    }

    #[test]
    fn what_grows_at_each_step_ends() {
        let many = |text: &str, times: usize| "{{ $x := .Prompt }}".to_owned() + &text.repeat(times);
        for template in [
            many("{{ $x = print $x $x }}", 200),
            many("{{ $x = printf \"%q%q\" $x $x }}", 200),
            "{{ $all := \"\" }}{{ range .Messages }}{{ $all = print $all .content }}{{ end }}".to_owned(),
            "{{ range .Messages }}{{ range $.Messages }}{{ end }}{{ end }}".to_owned(),
            "{{ range .Messages }}{{ if eq $.Messages $.Messages }}{{ end }}{{ end }}".to_owned(),
            "{{ range .Messages }}{{ len (toJSON $) }}{{ end }}".to_owned(),
        ] {
            let messages: Vec<_> =
                (0..4000).map(|_| json!({"role": "user", "content": "x".repeat(100)})).collect();
            let payload = json!({"prompt": "p".repeat(1000), "messages": messages});
            let error = Template::parse(&template).unwrap().render(payload.as_object().unwrap()).unwrap_err();
            assert!(error.to_string().contains("more than"), "{error}");
        }
    }

    #[test]
    fn what_is_looked_at_is_not_copied() {
        let messages: Vec<_> =
            (0..20_000).map(|_| json!({"role": "user", "content": "y".repeat(1000)})).collect();
        let payload = json!({"messages": messages});
        let template =
            "{{ range $i, $m := .Messages }}{{ if and (lt $i 3) $.Messages }}{{ $m.role }}{{ end }}{{ end }}";
        let filled = Template::parse(template).unwrap().render(payload.as_object().unwrap());
        assert_eq!(filled.as_deref(), Ok("useruseruser"));
    }

    proptest! {
        #[test]
        fn any_text(text in r#"(\{\{|\}\}|-|if|range|end|else| |\.|ToolName|\$x|:=|=|"|\||len|\(|\)|1){0,30}"#) {
            drop(render(&text));
        }
    }
}
