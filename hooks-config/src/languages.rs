//! Policies in other languages: entries of `policies` that name a file in Cedar or Rego.

use std::path::{Path, PathBuf};

use hooks_classic::PolicyConfig;
use hooks_core::{HooksBuilder, PolicyErrors};
use hooks_facts::calls::CallReader;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::Mistakes;
use super::further::{FurtherGuards, PolicyFiles, report};
use super::tree::Node;

/// Answer for a call that no policy matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ByDefault {
    /// The call is denied, as in Cedar: the policies list what is permitted.
    #[default]
    Deny,
    /// Nothing: the policies list what is forbidden.
    None,
}

/// Language of an entry, and the path of its file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Language<'a> {
    Squad(&'a Path),
    Cedar(&'a Path),
    Rego(&'a Path),
}

/// The policies of one entry.
#[derive(Clone, Debug)]
pub(super) struct LanguagePolicies {
    /// Path of the entry in the configuration.
    at: String,
    file: TextFile,
    options: Options,
}

/// Options of an entry.
#[derive(Clone, Debug)]
enum Options {
    Cedar { schema: Option<TextFile>, default: ByDefault },
    Rego { package: Option<String> },
}

/// A file and its text.
#[derive(Clone, Debug)]
#[cfg_attr(
    not(any(feature = "cedar", feature = "rego")),
    expect(dead_code, reason = "without an engine, no file is read")
)]
struct TextFile {
    path: PathBuf,
    text: String,
}

/// Returns the language of an entry; a problem and a hint if it has none, several, or options of another.
pub(super) fn of_entry(entry: &PolicyFiles) -> Result<Language<'_>, (&'static str, &'static str)> {
    let PolicyFiles { squad, cedar, rego, schema, default, package } = entry;
    let language = match (squad, cedar, rego) {
        (Some(path), None, None) => Language::Squad(path),
        (None, Some(path), None) => Language::Cedar(path),
        (None, None, Some(path)) => Language::Rego(path),
        (None, None, None) => {
            return Err(("the entry names no policies", "write one of `squad`, `cedar` and `rego`"));
        }
        _ => return Err(("the entry has several languages", "write one entry for each")),
    };
    let hint = "leave the options of others out of this entry";
    if !matches!(language, Language::Cedar(_)) && (schema.is_some() || default.is_some()) {
        return Err(("`schema` and `default` are options of `cedar`", hint));
    }
    if !matches!(language, Language::Rego(_)) && package.is_some() {
        return Err(("`package` is an option of `rego`", hint));
    }
    Ok(language)
}

/// Reads the files of an entry. Its paths are relative to `folder`.
pub(super) fn read(
    language: Language<'_>,
    entry: &PolicyFiles,
    folder: &Path,
    root: &Node,
    at: &str,
    further: &mut FurtherGuards,
    mistakes: &mut Mistakes,
) {
    let (option, path, name, feature, is_built) = match language {
        Language::Squad(_) => return,
        Language::Cedar(path) => ("cedar", path, "Cedar", "cedar", cfg!(feature = "cedar")),
        Language::Rego(path) => ("rego", path, "Rego", "rego", cfg!(feature = "rego")),
    };
    if !is_built {
        let problem = format!("this program is built without {name}");
        let hint = format!(
            "build it with the feature `{feature}`: `cargo install --path hooks-cli --features {feature}`"
        );
        return mistakes.add_with_hint(root.locate(at), at, problem, hint);
    }
    let mut text = |option: &str, path: &Path, further: &mut FurtherGuards| {
        let path = folder.join(path);
        match further.text(&path) {
            Ok(text) => Some(TextFile { path, text }),
            Err(problem) => {
                let at = format!("{at}.{option}");
                report(root.locate(&at), &at, &path, &problem, mistakes);
                None
            }
        }
    };
    let file = text(option, path, further);
    let schema = entry.schema.as_ref().map(|schema| text("schema", schema, further));
    if let (Some(file), Some(schema)) = (file, schema.map_or(Some(None), |schema| schema.map(Some))) {
        let options = match language {
            Language::Rego(_) => Options::Rego { package: entry.package.clone() },
            _ => Options::Cedar { schema, default: entry.default.unwrap_or_default() },
        };
        further.languages.push(LanguagePolicies { at: at.to_owned(), file, options });
    }
}

/// The schema that policies in Cedar about these tools are validated against; `None` if the engine of Cedar is not built in.
///
/// ```
/// let schema = hooks_config::cedar_schema(&["Bash"]);
/// assert!(schema.is_none_or(|schema| schema.contains("action \"Bash\"")));
/// ```
pub fn cedar_schema(tools: &[&str]) -> Option<String> {
    #[cfg(feature = "cedar")]
    return Some(hooks_cedar::schema(tools.iter().copied(), &hooks_facts::tools::ToolTable::default()));
    #[cfg(not(feature = "cedar"))]
    return tools.get(..0).and(None);
}

/// A mistake in a file of an entry: the option that names the file, the problem, and a hint.
type InFile = (&'static str, String, Option<String>);

/// Adds the policies of an entry. `policy` has the tools and the root of the file.
pub(super) fn add_to(
    builder: &mut HooksBuilder,
    policies: &LanguagePolicies,
    policy: &PolicyConfig,
    root: &Node,
    mistakes: &mut Mistakes,
) {
    // The guards report errors in these settings.
    let reader = CallReader::compile(&policy.paths, &policy.tools, &mut PolicyErrors::default());
    let LanguagePolicies { at, file, options } = policies;
    let found = match options {
        Options::Cedar { schema, default } => add_cedar(builder, file, schema.as_ref(), *default, &reader),
        Options::Rego { package } => add_rego(builder, file, package.as_deref(), &reader),
    };
    for (option, problem, hint) in found {
        let at = format!("{at}.{option}");
        mistakes.add_maybe_with_hint(root.locate(&at), at.clone(), problem, hint);
    }
}

#[cfg(feature = "cedar")]
fn add_cedar(
    builder: &mut HooksBuilder,
    file: &TextFile,
    schema: Option<&TextFile>,
    default: ByDefault,
    reader: &CallReader,
) -> Vec<InFile> {
    use hooks_cedar::{CedarConfig, CedarError, CedarFile, CedarPolicy, DefaultAnswer};

    let named = |file: &TextFile| CedarFile::new(file.path.to_string_lossy(), file.text.clone());
    let mut config = CedarConfig::new(file.path.to_string_lossy(), file.text.clone());
    config.schema = schema.map(named);
    config.default = match default {
        ByDefault::Deny => DefaultAnswer::Deny,
        ByDefault::None => DefaultAnswer::NoOpinion,
    };
    let errors = match CedarPolicy::new(&config, reader) {
        Ok(policy) => {
            builder.add_policy(policy);
            return Vec::new();
        }
        Err(errors) => errors,
    };
    let in_file = |error: &CedarError| {
        let is_schema = config.schema.as_ref().is_some_and(|own| own.name == error.file);
        let problem = invalid(&error.file, error.line, error.column, &error.problem);
        (if is_schema { "schema" } else { "cedar" }, problem, error.hint.clone())
    };
    errors.as_slice().iter().map(in_file).collect()
}

#[cfg(feature = "rego")]
fn add_rego(
    builder: &mut HooksBuilder,
    file: &TextFile,
    package: Option<&str>,
    reader: &CallReader,
) -> Vec<InFile> {
    use hooks_rego::{RegoConfig, RegoPolicy};

    let name = file.path.to_string_lossy();
    let mut config = RegoConfig::new(&*name, file.text.clone());
    if let Some(package) = package {
        config.package = package.to_owned();
    }
    match RegoPolicy::new(&config, reader) {
        Ok(policy) => {
            builder.add_policy(policy);
            Vec::new()
        }
        Err(error) => vec![("rego", invalid(&name, error.line, error.column, &error.problem), error.hint)],
    }
}

#[cfg(any(feature = "cedar", feature = "rego"))]
fn invalid(file: &str, line: usize, column: usize, problem: &str) -> String {
    format!("`{file}` is invalid: line {line}, column {column}: {problem}")
}

/// Nothing: without its engine, no entry is read.
#[cfg(not(feature = "cedar"))]
const fn add_cedar(
    _: &mut HooksBuilder,
    _: &TextFile,
    _: Option<&TextFile>,
    _: ByDefault,
    _: &CallReader,
) -> Vec<InFile> {
    Vec::new()
}

/// Nothing: without its engine, no entry is read.
#[cfg(not(feature = "rego"))]
const fn add_rego(_: &mut HooksBuilder, _: &TextFile, _: Option<&str>, _: &CallReader) -> Vec<InFile> {
    Vec::new()
}
