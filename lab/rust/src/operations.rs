//! Operations on strings and by path, one record each: what they return, and what records are then.

use serde_json::{Value as Json, json};

/// Which bins there are is written in `lab/tests/test_rust_operations.py`.
pub const STRING_BINS: [&str; 6] = ["b", "n", "number", "real", "b64", "none"];

/// A client that performs operations.
pub trait Operator: Sized {
    type Operation;

    fn open(seeds: &str) -> impl Future<Output = Result<Self, String>>;

    /// Every operation with a name, the same ones for each client. The key of the record on which
    /// one is performed is its position.
    fn cases() -> Vec<(String, Self::Operation)>;

    /// What the operation returns, or the code of its error.
    fn operate(
        &self,
        set: &str,
        key: i64,
        operation: Self::Operation,
    ) -> impl Future<Output = Result<Json, i32>>;

    /// A record's bins.
    fn record(&self, set: &str, key: i64) -> impl Future<Output = Result<Json, String>>;
}

/// `SEEDS SET operate|read`: performs every operation on its record, or reads every record. Prints
/// one array, of a name and a value for each.
pub fn main<O: Operator>() {
    match run::<O>(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(lines) => println!("{lines}"),
        Err(failed) => {
            eprintln!("{failed}");
            std::process::exit(1);
        }
    }
}

fn run<O: Operator>(arguments: &[String]) -> Result<Json, String> {
    let [seeds, set, verb] = arguments else {
        return Err("arguments: SEEDS SET operate|read".to_owned());
    };
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    runtime.map_err(|error| error.to_string())?.block_on(async {
        let client = O::open(seeds).await?;
        let mut lines = Vec::new();
        for (key, (name, operation)) in (0..).zip(O::cases()) {
            let value = match verb.as_str() {
                "operate" => client
                    .operate(set, key, operation)
                    .await
                    .unwrap_or_else(|code| json!({"error": code})),
                "read" => client.record(set, key).await?,
                other => return Err(format!("it is operate or read, not {other}")),
            };
            lines.push(json!([name, value]));
        }
        Ok(lines.into())
    })
}
