//! Aggregations: the nodes run a stream function on their records, and the client reduces their
//! results with the same function of the same module.

use spikewire_aerospike_protocol::value::Value;

use super::Query;
use crate::aerospike::client_kind::ClientKind;
use crate::aerospike::function::function as call;
use crate::aerospike::span::VerbSpan;

impl<C: ClientKind> Query<C> {
    /// Runs a stream function of a registered module over the records: each node processes its own,
    /// and the client reduces their results. Returns the final values: one if the function ends
    /// with a `reduce`, none if there are no records. With the feature `aggregate`.
    ///
    /// Covers all records of the set, or of the query's index; of the other options only the rate
    /// and the time limits apply. Fails with the error that the function raised, and with
    /// [`Kind::NoNode`](crate::Kind::NoNode) if records moved between nodes meanwhile.
    ///
    /// ```
    /// # use spikewire::{Client, Value};
    /// # use std::time::Duration;
    /// # let cluster = spikewire_aerospike_server::Cluster::start(Default::default()).unwrap();
    /// # let client = Client::connect(cluster.seeds())?;
    /// # let users = client.dataset("test", "users")?;
    /// # users.put_many((0..100).map(|id| (id, [("age", id)])))?.check()?;
    /// let source = "
    ///     function total(stream, bin)
    ///         return stream
    ///             : map(function (rec) return rec[bin] end)
    ///             : reduce(function (a, b) return a + b end)
    ///     end";
    /// client.modules().register("sums.lua", source, Duration::from_secs(10))?;
    /// let sums = users.query().aggregate("sums", "total", &["age".into()])?;
    /// assert_eq!(sums, [Value::Int(4950)]);
    /// # Ok::<(), spikewire::Error>(())
    /// ```
    pub fn aggregate(
        &self,
        module: &str,
        function: &str,
        arguments: &[Value],
    ) -> C::Answer<Vec<Value>> {
        let composed = call(module, function, arguments).and_then(|function| {
            self.request.options.check_read()?;
            Ok((self.request.spec()?, function))
        });
        let span = match (&composed, &self.request.space) {
            (Ok(_), Ok(space)) => VerbSpan::aggregation(space),
            _ => VerbSpan::default(),
        };
        self.client.work(move |context, is_needed| {
            let (spec, function) = composed?;
            let _entered = span.enter();
            let plan = spec.aggregate(function, &context.defaults.policy);
            let outcome = plan.and_then(|plan| plan.run(&context.cluster, &|| !is_needed()));
            span.ended(&outcome);
            outcome
        })
    }
}
