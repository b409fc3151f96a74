//! Operations on strings and by path of the crate `spikewire`.

use rust_peers::{Operator, STRING_BINS, operations};
use serde_json::{Value as Json, json};
use spikewire::{AsyncClient, NumberKind, Operation, Returning, Value, ctx, exp, op};

struct Ours(AsyncClient);

impl Operator for Ours {
    type Operation = Operation;

    async fn open(seeds: &str) -> Result<Self, String> {
        AsyncClient::connect_tokio(seeds).await.map(Self).map_err(|error| error.to_string())
    }

    fn cases() -> Vec<(String, Operation)> {
        let mut cases = Vec::new();
        for bin in STRING_BINS {
            cases.extend(named(bin, strings(bin)));
            cases.push((format!("{bin}: to_text"), op::string::to_text(bin)));
        }
        let inside = |operation: Operation| operation.ctx([ctx::map_key("k"), ctx::list_index(0)]);
        let nested = strings("in").into_iter().map(|(name, operation)| (name, inside(operation)));
        cases.extend(named("in", nested));
        cases.extend(named("", others()));
        cases.extend(named("", paths()));
        cases
    }

    async fn operate(&self, set: &str, key: i64, operation: Operation) -> Result<Json, i32> {
        let dataset = self.0.dataset("test", set).map_err(|error| error.kind().code())?;
        let record = dataset.operate(key, [operation]).await;
        let record = record.map_err(|error| error.kind().code())?;
        Ok(record.bins.iter().next().map_or(Json::Null, |bin| into_json(&bin.value)))
    }

    async fn record(&self, set: &str, key: i64) -> Result<Json, String> {
        let text = |error: spikewire::Error| error.to_string();
        let dataset = self.0.dataset("test", set).map_err(text)?;
        let record = dataset.get(key).await.map_err(text)?;
        let record = record.ok_or_else(|| format!("key {key}: no record"))?;
        let bins = record.bins.iter();
        Ok(bins.map(|bin| (bin.name.as_str().to_owned(), into_json(&bin.value))).collect())
    }
}

type Named = (&'static str, Operation);

fn named(
    bin: &str,
    operations: impl IntoIterator<Item = Named>,
) -> impl Iterator<Item = (String, Operation)> {
    operations.into_iter().map(move |(name, operation)| (format!("{bin}: {name}"), operation))
}

fn strings(bin: &str) -> Vec<Named> {
    use op::string;
    vec![
        ("length", string::length(bin)),
        ("substring from", string::substring(bin, 1, None)),
        ("substring", string::substring(bin, 1, -1)),
        ("char_at", string::char_at(bin, -1)),
        ("find", string::find(bin, "-", 1)),
        ("find the second", string::find(bin, "-", 2)),
        ("contains", string::contains(bin, "e\u{301}")),
        ("starts_with", string::starts_with(bin, " Zo")),
        ("ends_with", string::ends_with(bin, "12 ")),
        ("to_int", string::to_int(bin)),
        ("to_float", string::to_float(bin)),
        ("byte_length", string::byte_length(bin)),
        ("is_numeric", string::is_numeric(bin, NumberKind::Any)),
        ("is_numeric int", string::is_numeric(bin, NumberKind::Int)),
        ("is_numeric float", string::is_numeric(bin, NumberKind::Float)),
        ("is_upper", string::is_upper(bin)),
        ("is_lower", string::is_lower(bin)),
        ("to_blob", string::to_blob(bin)),
        ("split", string::split(bin, "")),
        ("split at", string::split(bin, "-")),
        ("from_base64", string::from_base64(bin)),
        ("matches", string::matches(bin, "z")),
        ("matches in any case", string::matches(bin, "z").ignore_case()),
        ("matches lines", string::matches(bin, "^.").multiline().dot_all().unix_lines()),
        ("insert", string::insert(bin, 1, "x")),
        ("overwrite", string::overwrite(bin, 1, "xy")),
        ("overwrite too far", string::overwrite(bin, 99, "xy").no_fail()),
        ("concat one", string::concat(bin, ["a"])),
        ("concat", string::concat(bin, ["a", "b"])),
        ("append", string::append(bin, "!")),
        ("append what is", string::append(bin, "!").update_only()),
        ("prepend", string::prepend(bin, "!")),
        ("prepend what is not", string::prepend(bin, "!").create_only()),
        ("snip from", string::snip(bin, 1, None)),
        ("snip", string::snip(bin, 1, 3)),
        ("replace", string::replace(bin, "1", "34")),
        ("replace nothing", string::replace(bin, "", "x")),
        ("replace_all", string::replace_all(bin, " ", "__")),
        ("upper", string::upper(bin)),
        ("lower", string::lower(bin)),
        ("fold_case", string::fold_case(bin)),
        ("normalize", string::normalize(bin)),
        ("trim_start", string::trim_start(bin)),
        ("trim_end", string::trim_end(bin)),
        ("trim", string::trim(bin)),
        ("pad_start", string::pad_start(bin, 11, "*-")),
        ("pad_end", string::pad_end(bin, 11, "*-")),
        ("repeat", string::repeat(bin, 2)),
        ("repeat less than nothing", string::repeat(bin, -1)),
        ("repeat without failing", string::repeat(bin, -1).no_fail()),
        ("replace_matches", string::replace_matches(bin, "[0-9]", "<$0>")),
        ("replace_matches every", string::replace_matches(bin, "[0-9]", "#").every()),
    ]
}

fn others() -> Vec<Named> {
    vec![
        ("join", op::list::join("words", "")),
        ("join with", op::list::join("words", ", ")),
        ("join inside", op::list::join("in", "-").ctx([ctx::map_key("k")])),
        ("base64", op::bit::base64("bytes", 0, None)),
        ("base64 of a part", op::bit::base64("bytes", 1, 1)),
        ("base64 to the end", op::bit::base64("bytes", 0, 1).from_end()),
    ]
}

fn paths() -> Vec<Named> {
    let all = ctx::all_children;
    let above = |least: i64| ctx::all_children_where(format!("@ > {least}"));
    let not_b = || ctx::all_children_where("@key != 'b'");
    let (value, index) = (exp::loop_var::value, exp::loop_var::index);
    vec![
        ("select", op::path::select("l", [all()])),
        ("select of two levels", op::path::select("ll", [all(), all()])),
        ("select above", op::path::select("l", [above(15)])),
        ("select at", op::path::select("ll", [ctx::list_index(3), all()])),
        ("select tree", op::path::select("ll", [all(), above(4)]).returning(Returning::Tree)),
        ("select keys", op::path::select("m", [not_b()]).returning(Returning::Key)),
        ("select entries", op::path::select("m", [not_b()]).returning(Returning::KeyValue)),
        (
            "select keys in",
            op::path::select("m", [ctx::map_keys_in(["a", "c", "zz"])]).returning(Returning::Key),
        ),
        ("select and", op::path::select("m", [all(), ctx::map_key("v"), ctx::and_where("@ > 2")])),
        ("select of a value", op::path::select("ll", [all(), ctx::list_value(5)])),
        ("select of several types", op::path::select("mix", [all(), ctx::map_key("v")])),
        ("select without failing", op::path::select("mix", [above(0)]).no_fail()),
        ("select a number", op::path::select("n", [all()])),
        ("select nothing", op::path::select("none", [all()])),
        ("modify", op::path::modify("l", [all()], "@ + 1")),
        ("modify by index", op::path::modify("l", [all()], value() + index())),
        ("modify deep", op::path::modify("m", [all(), ctx::map_key("v")], "@ + 1")),
        ("modify several types", op::path::modify("mix", [all()], "@ + 1")),
        ("modify without failing", op::path::modify("mix", [all()], "@ + 1").no_fail()),
        ("remove", op::path::remove("l", [above(15)])),
        ("remove keys", op::path::remove("m", [ctx::map_keys_in(["a", "c"])])),
    ]
}

fn into_json(value: &Value) -> Json {
    match value {
        Value::Nil => Json::Null,
        Value::Bool(flag) => json!(flag),
        Value::Int(integer) => json!(integer),
        Value::Float(float) => json!({"float": float}),
        Value::Str(text) => json!(text),
        Value::Bytes(bytes) => json!({"bytes": bytes}),
        Value::List(values) => values.iter().map(into_json).collect(),
        Value::Map(pairs) => {
            let pairs: Vec<_> = pairs
                .iter()
                .map(|(key, value)| json!([into_json(key), into_json(value)]))
                .collect();
            json!({"map": pairs})
        }
        other => json!({"other": format!("{other:?}")}),
    }
}

fn main() {
    operations::<Ours>();
}
