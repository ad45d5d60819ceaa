//! The comparison as a picture: for each storm and policy the sessions that failed, and the load on the
//! provider that was failing. Written as plain SVG.

use std::fmt::Write as _;

use super::Run;
use super::policy::Role;

const LABELS: f64 = 300.0;
const PANEL: f64 = 180.0;
const GAP: f64 = 50.0;
const ROW: f64 = 19.0;
const TOP: f64 = 120.0;
const BETWEEN: f64 = 92.0;
const FONT: &str = "font-family=\"system-ui, sans-serif\"";

/// An axis: the place of a value between the ends, and its labels.
struct Axis {
    title: &'static str,
    ticks: &'static [(f64, &'static str)],
    /// Limit of the gate.
    gate: f64,
    place: fn(f64) -> f64,
    show: fn(f64) -> String,
    value: fn(&Run) -> f64,
}

const AXES: [Axis; 2] = [
    Axis {
        title: "Sessions that failed, in % of all, logarithmic (dashed: the gate for those the oracle does not lose, 0.1 %)",
        ticks: &[(0.001, "0.001"), (0.01, "0.01"), (0.1, "0.1"), (1.0, "1"), (10.0, "10"), (100.0, "100")],
        gate: 0.1,
        place: |value| (value.max(0.001).log10() + 3.0) / 5.0,
        show: |value| if value < 0.0005 { "0".into() } else { significant(value) },
        value: |run| 100.0 * run.measures.failures(),
    },
    Axis {
        title: "Attempts at the failing provider for each call while it fails (dashed: the gate, 1.0; bars end at 3)",
        ticks: &[(0.0, "0"), (1.0, "1"), (2.0, "2"), (3.0, "3")],
        gate: 1.0,
        place: |value| value / 3.0,
        show: |value| format!("{value:.2}"),
        value: |run| run.measures.load_in_trouble(),
    },
];

/// Draws the results of runs.
pub(super) fn draw(runs: &[Run]) -> String {
    let storms = distinct(runs.iter().map(|run| run.storm.name.as_str()));
    let policies = distinct(runs.iter().map(|run| run.contender.name));
    let block = ROW * policies.len() as f64;
    let width = LABELS + storms.len() as f64 * (PANEL + GAP);
    let height = TOP + 2.0 * block + BETWEEN + 34.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" {FONT} font-size=\"12\">\n\
         <title>Model calls in storms: policies compared</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    text(
        &mut svg,
        16.0,
        28.0,
        "font-size=\"18\" font-weight=\"600\"",
        "Model calls in storms: policies compared",
    );
    legend(&mut svg, 16.0, 46.0);
    for (axis, top) in AXES.iter().zip([TOP, TOP + block + BETWEEN]) {
        text(&mut svg, 16.0, top - 32.0, "font-weight=\"600\"", axis.title);
        for (policy, row) in policies.iter().zip(0_u32..) {
            let y = top + ROW * f64::from(row) + 13.0;
            text(&mut svg, LABELS - 8.0, y, "text-anchor=\"end\"", policy);
        }
        for (storm, column) in storms.iter().zip(0_u32..) {
            let left = LABELS + f64::from(column) * (PANEL + GAP);
            panel(&mut svg, axis, left, top, block);
            text(&mut svg, left, top - 8.0, "font-weight=\"600\" fill=\"#34495e\"", storm);
            for (policy, row) in policies.iter().zip(0_u32..) {
                let run = runs.iter().find(|run| run.storm.name == *storm && run.contender.name == *policy);
                if let Some(run) = run {
                    bar(&mut svg, axis, run, left, top + ROW * f64::from(row));
                }
            }
        }
    }
    svg.push_str("</svg>\n");
    svg
}

fn panel(svg: &mut String, axis: &Axis, left: f64, top: f64, height: f64) {
    for (value, label) in axis.ticks {
        let x = left + PANEL * (axis.place)(*value);
        line(svg, x, top, height, "stroke=\"#e3e3e3\"");
        text(svg, x, top + height + 14.0, "text-anchor=\"middle\" font-size=\"10\" fill=\"#555\"", label);
    }
    let x = left + PANEL * (axis.place)(axis.gate);
    line(svg, x, top, height, "stroke=\"#c0392b\" stroke-dasharray=\"3 3\"");
}

fn bar(svg: &mut String, axis: &Axis, run: &Run, left: f64, y: f64) {
    let value = (axis.value)(run);
    let length = PANEL * (axis.place)(value).clamp(0.0, 1.0);
    let color = color(run.contender.role);
    let height = ROW - 5.0;
    // Writing to a string cannot fail.
    let _written = writeln!(
        svg,
        "<rect x=\"{left:.1}\" y=\"{:.1}\" width=\"{length:.1}\" height=\"{height:.1}\" fill=\"{color}\"/>",
        y + 2.0
    );
    let label = (axis.show)(value);
    // A background for the label, so that no line of the panel crosses it.
    let _written = writeln!(
        svg,
        "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\" fill=\"#ffffff\"/>",
        left + length + 2.0,
        y + 2.0,
        6.0 * label.len() as f64 + 3.0,
    );
    text(svg, left + length + 4.0, y + 13.0, "font-size=\"10\" fill=\"#333\"", &label);
}

fn legend(svg: &mut String, left: f64, top: f64) {
    let roles = [
        (Role::Common, "a common implementation"),
        (Role::Ours, "the layers of hooks-resilience"),
        (Role::Mutant, "the same with a part taken out"),
        (Role::Oracle, "an oracle that knows the future"),
    ];
    for ((role, name), column) in roles.iter().zip(0_u32..) {
        let x = left + f64::from(column) * 225.0;
        let color = color(*role);
        let _written =
            writeln!(svg, "<rect x=\"{x}\" y=\"{top}\" width=\"12\" height=\"12\" fill=\"{color}\"/>");
        text(svg, x + 18.0, top + 10.0, "", name);
    }
}

fn color(role: Role) -> &'static str {
    match role {
        Role::Common => "#9aa5b1",
        Role::Ours | Role::Lone => "#1b7f5c",
        Role::Mutant => "#e08e2b",
        Role::Forecast | Role::Oracle => "#34495e",
    }
}

fn line(svg: &mut String, x: f64, top: f64, height: f64, style: &str) {
    let bottom = top + height;
    let _written =
        writeln!(svg, "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{top:.1}\" y2=\"{bottom:.1}\" {style}/>");
}

fn text(svg: &mut String, x: f64, y: f64, style: &str, text: &str) {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    let _written = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" {style}>{text}</text>");
}

fn significant(value: f64) -> String {
    if value < 0.1 {
        format!("{value:.3}")
    } else if value < 10.0 {
        format!("{value:.2}")
    } else {
        format!("{value:.1}")
    }
}

fn distinct<'r>(names: impl Iterator<Item = &'r str>) -> Vec<&'r str> {
    let mut found = Vec::new();
    for name in names {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}
