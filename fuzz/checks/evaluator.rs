//! Properties of the analysis of commands for any text.

use hooks_facts::commands::{Analysis, BlockedPattern, Options};

/// Panics if a property does not hold for `input`.
pub(crate) fn properties(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let Ok(patterns) = BlockedPattern::parse("rm -rf").map(|pattern| [pattern]) else { return };
    for windows in [false, true] {
        let options = Options { windows, ignores_case: windows, ..Options::default() };
        let analysis = Analysis::of_text(text, &options);
        let spans =
            analysis.invocations.iter().map(|it| it.span).chain(analysis.unresolved.iter().map(|it| it.span));
        for span in spans {
            assert!(span.start <= span.end && span.end <= text.len() + 1, "a span leaves the text");
        }
        analysis.programs().iter().for_each(|program| drop(program.names()));
        let found = analysis.find(&patterns).is_some();
        let effects = analysis.effects().len();
        // A harmless line before the text hides nothing in it.
        let after = Analysis::of_text(&format!("true\n{text}"), &options);
        let is_known = analysis.unresolved.is_empty() && after.unresolved.is_empty();
        assert!(!is_known || !found || after.find(&patterns).is_some(), "a line hides a command");
        assert!(!is_known || effects <= after.effects().len(), "a line hides an effect");
    }
}
