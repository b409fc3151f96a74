//! TOML, with the line of each key.

use spikewire_options::Literal;
use toml_edit::{Array, Document as Parsed, Item, Table, TableLike, Value};

use super::document::{Content, Document, Node, SyntaxError, TOO_DEEP, line_at};

pub(super) fn parse(text: &str) -> Result<Document, SyntaxError> {
    let parsed = Parsed::parse(text).map_err(|error| {
        if error.message().contains("recurs") {
            return SyntaxError::new(TOO_DEEP, None);
        }
        let last = text.trim_end_matches('\n').split('\n').count();
        let line = error.span().map_or(last, |span| line_at(text, span.start).min(last));
        let message: Vec<&str> = error.message().lines().map(str::trim).collect();
        SyntaxError::new(message.join("; "), Some(line))
    })?;
    let reader = Reader { text };
    let table: &Table = parsed.as_table();
    Ok(Document(reader.table(table)))
}

struct Reader<'a> {
    text: &'a str,
}

impl Reader<'_> {
    fn table(&self, table: &dyn TableLike) -> Vec<(String, Node)> {
        let entries = table.iter().map(|(name, item)| {
            let key = table.key(name).and_then(toml_edit::Key::span);
            let content = self.item(item);
            let line = key.map(|span| line_at(self.text, span.start));
            // A table between dots has no line of its own.
            let line = line.or_else(|| match &content {
                Content::Map(entries) => entries.iter().filter_map(|(_, it)| it.line).min(),
                Content::Leaf(_) => item.span().map(|span| line_at(self.text, span.start)),
            });
            (name.to_owned(), Node { line, content })
        });
        entries.collect()
    }

    fn item(&self, item: &Item) -> Content {
        match item {
            Item::None => Content::Leaf(Literal::None),
            Item::Value(value) => self.value(value),
            Item::Table(table) => Content::Map(self.table(table)),
            Item::ArrayOfTables(tables) => {
                Content::Leaf(Literal::List(tables.iter().map(|_| Literal::None).collect()))
            }
        }
    }

    fn value(&self, value: &Value) -> Content {
        Content::Leaf(match value {
            Value::InlineTable(table) => return Content::Map(self.table(table)),
            Value::Array(array) => self.list(array),
            Value::String(text) => Literal::Text(text.value().clone()),
            Value::Integer(number) => Literal::Number(*number.value() as f64),
            Value::Float(number) => Literal::Number(*number.value()),
            Value::Boolean(flag) => Literal::Flag(*flag.value()),
            Value::Datetime(moment) => Literal::Text(moment.value().to_string()),
        })
    }

    fn list(&self, array: &Array) -> Literal {
        let values = array.iter().map(|value| {
            let content = self.value(value);
            Node { line: None, content }.value()
        });
        Literal::List(values.collect())
    }
}
