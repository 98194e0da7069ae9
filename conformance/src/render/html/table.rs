//! Tables that are lists on a narrow screen, and tell their roles whatever they look like.

use super::super::escape;

/// A table with a caption. Cells are HTML, headers and caption are text. The first cell of a row heads
/// it.
pub(super) fn table(
    caption: &str,
    headers: &[&str],
    rows: impl Iterator<Item = Vec<String>>,
) -> String {
    let cells = headers.iter().map(|header| {
        format!(
            "<th role=\"columnheader\" scope=\"col\">{}</th>",
            escape(header)
        )
    });
    let head = cells.collect::<String>();
    let rows: String = rows.map(|cells| row(headers, &cells)).collect();
    format!(
        "<table role=\"table\">\n<caption>{}</caption>\n<thead role=\"rowgroup\">\
         <tr role=\"row\">{head}</tr></thead>\n<tbody role=\"rowgroup\">\n{rows}</tbody>\n</table>\n",
        escape(caption)
    )
}

fn row(headers: &[&str], cells: &[String]) -> String {
    let cells = headers.iter().zip(cells).enumerate().map(|(at, (header, cell))| {
        let label = escape(header);
        match at {
            0 => format!("<th role=\"rowheader\" scope=\"row\" data-label=\"{label}\"><div>{cell}</div></th>"),
            _ => format!("<td role=\"cell\" data-label=\"{label}\"><div>{cell}</div></td>"),
        }
    });
    format!("<tr role=\"row\">{}</tr>\n", cells.collect::<String>())
}
