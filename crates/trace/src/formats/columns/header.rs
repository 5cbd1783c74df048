//! Finding columns by the names in a table's first line.

use super::fields::{next_field, unquoted};
use super::spec::{Column, Kind, Spec};
use crate::error::excerpt;
use crate::suggest::closest;

impl Spec {
    /// Whether the table's first line has to be read before the order of its columns is known.
    pub(crate) fn by_name(&self) -> bool {
        self.columns.iter().any(|column| column.header.is_some())
    }

    /// Put the columns into the order in which `line` names them; columns that nobody asked for are skipped.
    pub(crate) fn bind(&mut self, line: &[u8]) -> Result<(), String> {
        let mut names = Vec::new();
        let mut rest = Some(line);
        while let Some(field) = next_field(&mut rest, self.separator) {
            names.push(String::from_utf8_lossy(unquoted(field)).into_owned());
        }
        let mut bound: Vec<Option<Column>> = names.iter().map(|_| None).collect();
        for column in &self.columns {
            let wanted = column.header.as_deref().unwrap_or(&column.name);
            let mut places = names.iter().enumerate().filter(|(_, name)| *name == wanted).map(|(at, _)| at);
            match (places.next(), places.next()) {
                (Some(at), None) => bound[at] = Some(column.clone()),
                (Some(_), Some(_)) => return Err(format!("the header names the column \"{wanted}\" twice")),
                (None, _) => return Err(absent(wanted, &names)),
            }
        }
        // What comes after the last column that is needed may be missing or more.
        let needed = bound.iter().rposition(Option::is_some).map_or(0, |at| at + 1);
        bound.truncate(needed);
        self.columns = bound.into_iter().map(|column| column.unwrap_or_else(Column::skipped)).collect();
        self.nothing_more = false;
        debug_assert!(
            self.columns.last().is_some_and(|column| column.kind != Kind::Skip),
            "the last is needed"
        );
        Ok(())
    }
}

#[cold]
fn absent(wanted: &str, names: &[String]) -> String {
    let suggestion = closest(wanted, names.iter().map(String::as_str))
        .map(|near| format!("; did you mean \"{near}\"?"))
        .unwrap_or_default();
    format!(
        "the header has no column \"{}\"{suggestion}; it has {}",
        excerpt(wanted.as_bytes()),
        names.join(", ")
    )
}
