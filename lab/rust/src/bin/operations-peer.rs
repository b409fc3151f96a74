//! Operations on strings and by path of the crate `aerospike`.

use aerospike::expressions::{
    Expression, LoopVarPart, exp_int_loop_var, exp_string_loop_var, gt, int_val, ne, num_add,
    string_val,
};
use aerospike::operations::cdt_context::{
    CdtContext, ctx_all_children, ctx_all_children_with_filter, ctx_and_filter, ctx_list_index,
    ctx_list_value, ctx_map_key, ctx_map_keys_in,
};
use aerospike::operations::path::{ModifyFlag, SelectFlag};
use aerospike::operations::string::{
    StringNumericType, StringPolicy, StringRegexFlags, StringWriteFlags,
};
use aerospike::operations::{Operation, bitwise, lists, path, string};
use aerospike::{Bins, Client, ClientPolicy, Key, ReadPolicy, Value, WritePolicy};
use rust_peers::{Operator, STRING_BINS, operations};
use serde_json::{Value as Json, json};

struct Peer(Client);

impl Operator for Peer {
    type Operation = Operation;

    async fn open(seeds: &str) -> Result<Self, String> {
        let seeds = seeds.to_owned();
        Client::new(&ClientPolicy::default(), &seeds).await.map(Self).map_err(text)
    }

    fn cases() -> Vec<(String, Operation)> {
        let mut cases = Vec::new();
        for bin in STRING_BINS {
            cases.extend(named(bin, strings(bin)));
            cases.push((format!("{bin}: to_text"), string::to_string(bin)));
        }
        let inside = || vec![ctx_map_key(Value::from("k")), ctx_list_index(0)];
        let nested = strings("in").into_iter();
        cases.extend(named("in", nested.map(|(name, one)| (name, one.context(inside())))));
        cases.extend(named("", others()));
        cases.extend(named("", paths()));
        cases
    }

    async fn operate(&self, set: &str, key: i64, operation: Operation) -> Result<Json, i32> {
        let key = Key::new("test", set, key.into()).map_err(|error| error.result_code())?;
        let record = self.0.operate(&WritePolicy::default(), &key, &[operation]).await;
        let record = record.map_err(|error| error.result_code())?;
        Ok(record.bins.values().next().map_or(Json::Null, into_json))
    }

    async fn record(&self, set: &str, key: i64) -> Result<Json, String> {
        let key = Key::new("test", set, key.into()).map_err(text)?;
        let record = self.0.get(&ReadPolicy::default(), &key, Bins::All).await.map_err(text)?;
        Ok(record.bins.iter().map(|(name, value)| (name.clone(), into_json(value))).collect())
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
    let any = &StringPolicy::new(StringWriteFlags::DEFAULT);
    let no_fail = &StringPolicy::new(StringWriteFlags::NO_FAIL);
    let update_only = &StringPolicy::new(StringWriteFlags::UPDATE_ONLY);
    let create_only = &StringPolicy::new(StringWriteFlags::CREATE_ONLY);
    let (plain, every) = (StringRegexFlags::DEFAULT, StringRegexFlags::GLOBAL);
    let any_case = StringRegexFlags::CASE_INSENSITIVE;
    let lines =
        StringRegexFlags::MULTILINE | StringRegexFlags::DOT_ALL | StringRegexFlags::UNIX_LINES;
    vec![
        ("length", string::strlen(bin)),
        ("substring from", string::substr_from(bin, 1)),
        ("substring", string::substr(bin, 1, -1)),
        ("char_at", string::char_at(bin, -1)),
        ("find", string::find(bin, "-")),
        ("find the second", string::find_nth(bin, "-", 2)),
        ("contains", string::contains(bin, "e\u{301}")),
        ("starts_with", string::starts_with(bin, " Zo")),
        ("ends_with", string::ends_with(bin, "12 ")),
        ("to_int", string::to_integer(bin)),
        ("to_float", string::to_double(bin)),
        ("byte_length", string::byte_length(bin)),
        ("is_numeric", string::is_numeric(bin)),
        ("is_numeric int", string::is_numeric_typed(bin, StringNumericType::Int)),
        ("is_numeric float", string::is_numeric_typed(bin, StringNumericType::Float)),
        ("is_upper", string::is_upper(bin)),
        ("is_lower", string::is_lower(bin)),
        ("to_blob", string::to_blob(bin)),
        ("split", string::split(bin)),
        ("split at", string::split_by_separator(bin, "-")),
        ("from_base64", string::b64_decode(bin)),
        ("matches", string::regex_compare(bin, "z")),
        ("matches in any case", string::regex_compare_with_flags(bin, "z", any_case)),
        ("matches lines", string::regex_compare_with_flags(bin, "^.", lines)),
        ("insert", string::insert(any, bin, 1, "x")),
        ("overwrite", string::overwrite(any, bin, 1, "xy")),
        ("overwrite too far", string::overwrite(no_fail, bin, 99, "xy")),
        ("concat one", string::concat(any, bin, "a")),
        ("concat", string::concat_list(any, bin, &["a", "b"])),
        ("append", string::append(any, bin, "!")),
        ("append what is", string::append(update_only, bin, "!")),
        ("prepend", string::prepend(any, bin, "!")),
        ("prepend what is not", string::prepend(create_only, bin, "!")),
        ("snip from", string::snip_from(any, bin, 1)),
        ("snip", string::snip(any, bin, 1, 3)),
        ("replace", string::replace(any, bin, "1", "34")),
        ("replace nothing", string::replace(any, bin, "", "x")),
        ("replace_all", string::replace_all(any, bin, " ", "__")),
        ("upper", string::upper(any, bin)),
        ("lower", string::lower(any, bin)),
        ("fold_case", string::case_fold(any, bin)),
        ("normalize", string::normalize_nfc(any, bin)),
        ("trim_start", string::trim_start(any, bin)),
        ("trim_end", string::trim_end(any, bin)),
        ("trim", string::trim(any, bin)),
        ("pad_start", string::pad_start(any, bin, 11, "*-")),
        ("pad_end", string::pad_end(any, bin, 11, "*-")),
        ("repeat", string::repeat(any, bin, 2)),
        ("repeat less than nothing", string::repeat(any, bin, -1)),
        ("repeat without failing", string::repeat(no_fail, bin, -1)),
        ("replace_matches", string::regex_replace(any, bin, "[0-9]", "<$0>", plain)),
        ("replace_matches every", string::regex_replace(any, bin, "[0-9]", "#", every)),
    ]
}

fn others() -> Vec<Named> {
    let inside = || vec![ctx_map_key(Value::from("k"))];
    vec![
        ("join", lists::join("words")),
        ("join with", lists::join_by_separator("words", ", ")),
        ("join inside", lists::join_by_separator("in", "-").context(inside())),
        ("base64", bitwise::b64_encode("bytes")),
        ("base64 of a part", bitwise::b64_encode_range("bytes", 1, 1, false)),
        ("base64 to the end", bitwise::b64_encode_range("bytes", 0, 1, true)),
    ]
}

fn paths() -> Vec<Named> {
    let all = ctx_all_children;
    let v = || ctx_map_key(Value::from("v"));
    let value = || exp_int_loop_var(LoopVarPart::VALUE);
    let index = || exp_int_loop_var(LoopVarPart::INDEX);
    let is_above = |least: i64| gt(value(), int_val(least));
    let above = |least: i64| ctx_all_children_with_filter(is_above(least));
    let not_b = || -> CdtContext {
        let key = exp_string_loop_var(LoopVarPart::MAP_KEY);
        ctx_all_children_with_filter(ne(key, string_val("b")))
    };
    let more = || -> Expression { num_add(vec![value(), int_val(1)]) };
    let no_fail = SelectFlag::VALUE | SelectFlag::NO_FAIL;
    vec![
        ("select", path::select_values("l", &[all()])),
        ("select of two levels", path::select_values("ll", &[all(), all()])),
        ("select above", path::select_by_path("l", SelectFlag::VALUE, &[above(15)])),
        ("select at", path::select_values("ll", &[ctx_list_index(3), all()])),
        ("select tree", path::select_matching_tree("ll", &[all(), above(4)])),
        ("select keys", path::select_map_keys("m", &[not_b()])),
        ("select entries", path::select_map_entries("m", &[not_b()])),
        ("select keys in", path::select_map_keys("m", &[ctx_map_keys_in(["a", "c", "zz"])])),
        ("select and", path::select_values("m", &[all(), v(), ctx_and_filter(is_above(2))])),
        ("select of a value", path::select_values("ll", &[all(), ctx_list_value(Value::from(5))])),
        ("select of several types", path::select_values("mix", &[all(), v()])),
        ("select without failing", path::select_by_path("mix", no_fail, &[above(0)])),
        ("select a number", path::select_values("n", &[all()])),
        ("select nothing", path::select_values("none", &[all()])),
        ("modify", path::modify("l", more(), &[all()])),
        (
            "modify by index",
            path::modify_by_path(
                "l",
                ModifyFlag::DEFAULT,
                num_add(vec![value(), index()]),
                &[all()],
            ),
        ),
        ("modify deep", path::modify("m", more(), &[all(), v()])),
        ("modify several types", path::modify("mix", more(), &[all()])),
        ("modify without failing", path::modify_no_fail("mix", more(), &[all()])),
        ("remove", path::remove("l", &[above(15)])),
        ("remove keys", path::remove("m", &[ctx_map_keys_in(["a", "c"])])),
    ]
}

fn into_json(value: &Value) -> Json {
    let map = |pairs: Vec<(&Value, &Value)>| {
        let pairs: Vec<_> =
            pairs.iter().map(|(key, value)| json!([into_json(key), into_json(value)])).collect();
        json!({"map": pairs})
    };
    match value {
        Value::Nil => Json::Null,
        Value::Bool(flag) => json!(flag),
        Value::Int(integer) => json!(integer),
        Value::Float(float) => json!({"float": f64::from(float)}),
        Value::String(text) => json!(text),
        Value::Blob(bytes) => json!({"bytes": bytes}),
        Value::List(values) => values.iter().map(into_json).collect(),
        Value::HashMap(entries) => map(entries.iter().collect()),
        Value::OrderedMap(entries) => map(entries.iter().collect()),
        Value::SortedMap(entries) => map(entries.iter().collect()),
        Value::KeyValueList(pairs) => map(pairs.iter().map(|(key, value)| (key, value)).collect()),
        other => json!({"other": format!("{other:?}")}),
    }
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn main() {
    operations::<Peer>();
}
