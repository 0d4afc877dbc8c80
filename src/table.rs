//! Tables: aligned columns for people, pipes for Markdown.
//!
//! Knows rows of text. Must not know what is in them.

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle, presets};

/// Which way a column's cells lean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lean {
    /// Words.
    Left,
    /// Figures.
    Right,
}

/// A column's heading and lean.
pub type Column<'a> = (&'a str, Lean);

/// A table for people: a rule under the heading and nothing else.
pub fn plain(columns: &[Column<'_>], rows: Vec<Vec<String>>, width: usize) -> String {
    let rule = TableStyle::new().header_separator(LineStyle::new('─', '─', '─', '─'));
    let mut table = filled(columns, rows, rule);
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(u16::try_from(width).unwrap_or(u16::MAX));
    lines(&table)
}

/// A Markdown table.
pub fn markdown(columns: &[Column<'_>], rows: Vec<Vec<String>>) -> String {
    let rows = rows.into_iter().map(|row| row.into_iter().map(|cell| cell.replace('|', "\\|")).collect()).collect();
    lines(&filled(columns, rows, presets::ASCII_MARKDOWN))
}

fn filled(columns: &[Column<'_>], rows: Vec<Vec<String>>, style: TableStyle) -> Table {
    let mut table = Table::new();
    table.load_style(style).set_header(columns.iter().map(|c| c.0));
    table.add_rows(rows);
    for (index, (_, lean)) in columns.iter().enumerate() {
        let alignment = if *lean == Lean::Right { CellAlignment::Right } else { CellAlignment::Left };
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(alignment);
        }
    }
    table
}

fn lines(table: &Table) -> String {
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}
