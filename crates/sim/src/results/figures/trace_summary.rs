//! The schema of a trace's summary, from what the crate of traces declares.

use std::borrow::Cow;

use reclaim_trace::Summary;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

/// Stands for [`Summary`] in schemas.
pub(crate) struct TraceSummary;

impl JsonSchema for TraceSummary {
    fn schema_name() -> Cow<'static, str> {
        "Summary".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let entry = |(key, about, unit): &(&str, &str, &str)| {
            let mut says = json!({ "description": about.trim() });
            if !unit.is_empty() {
                says["unit"] = json!(unit);
            }
            ((*key).to_owned(), says)
        };
        let properties: Map<String, Value> = Summary::DECLARED.iter().map(entry).collect();
        json_schema!({
            "type": "object",
            "description": "What a trace contains, summed over all of its requests.",
            "source": Summary::SOURCE,
            "properties": properties,
        })
    }
}
