//! Aggregations: the nodes run a stream function on their records, and what they send is reduced
//! here, by the same function of the same module.

use spikewire_aerospike_protocol::value::Value;

use super::Query;
use crate::client_kind::ClientKind;
use crate::function::function as call;
use crate::span::VerbSpan;

impl<C: ClientKind> Query<C> {
    /// What a stream function of a registered module makes of the records: each node runs it over
    /// its own, and what they send is reduced here. What comes out in the end: one value when the
    /// function ends with a `reduce`, none when there are no records. With the feature `aggregate`.
    ///
    /// It is about all records of the set, or of the query's index; of the rest only pace and
    /// limits of time apply. Fails with what the function raised, and with
    /// [`Kind::NoNode`](crate::Kind::NoNode) when records moved between the nodes meanwhile.
    ///
    /// ```
    /// # use spikewire::{Client, Value};
    /// # use std::time::Duration;
    /// # let cluster = spikewire_server::Cluster::start(Default::default()).unwrap();
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
        self.client.work(move |context, wanted| {
            let (spec, function) = composed?;
            let _entered = span.enter();
            let plan = spec.aggregate(function, &context.defaults.policy);
            let outcome = plan.and_then(|plan| plan.run(&context.cluster, &|| !wanted()));
            span.ended(&outcome);
            outcome
        })
    }
}
