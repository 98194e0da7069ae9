//! Tables that are lists on a narrow screen, and tell their roles whatever they look like.

use super::super::{Language, escape};
use crate::rule::Text;

/// A table with a caption. Cells are HTML, headers and caption are text. The first cell of a row heads
/// it.
pub(super) fn table(
    caption: &str,
    headers: &[Text],
    language: Language,
    rows: impl Iterator<Item = Vec<String>>,
) -> String {
    let headers = headers.iter().map(|header| escape(header.told(language)));
    let headers: Vec<_> = headers.collect();
    let cell = |header: &String| format!("<th role=\"columnheader\" scope=\"col\">{header}</th>");
    let head = headers.iter().map(cell).collect::<String>();
    let rows = rows.map(|cells| row(&headers, &cells));
    format!(
        "<table role=\"table\">\n<caption>{}</caption>\n<thead role=\"rowgroup\">\
         <tr role=\"row\">{head}</tr></thead>\n<tbody role=\"rowgroup\">\n{}</tbody>\n</table>\n",
        escape(caption),
        rows.collect::<String>(),
    )
}

fn row(headers: &[String], cells: &[String]) -> String {
    let cells = headers.iter().zip(cells).enumerate();
    let cells = cells.map(|(at, (label, cell))| match at {
        0 => format!(
            "<th role=\"rowheader\" scope=\"row\" data-label=\"{label}\"><div>{cell}</div></th>"
        ),
        _ => format!("<td role=\"cell\" data-label=\"{label}\"><div>{cell}</div></td>"),
    });
    format!("<tr role=\"row\">{}</tr>\n", cells.collect::<String>())
}
