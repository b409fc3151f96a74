//! More concurrent calls than a connection has ids. A busy server rejects those that wait for long:
//! they are retried.

use futures::executor::block_on;
use futures::future::join_all;

use crate::support::place;

#[test]
fn more_calls_than_stream_ids_share_one_connection() {
    let place = place!();
    block_on(async {
        let builder = place.builder().pipeline_depth(32_767).queue_limit(100_000).max_retries(100);
        let session = builder.timeout(std::time::Duration::from_secs(300)).connect_async(&place.at);
        let session = session.await.unwrap();
        let select = "SELECT release_version FROM system.local WHERE key = ?";
        let select = session.prepare(select).await.unwrap();
        let calls = join_all((0..40_000).map(|_| session.execute(&select, ("local",)))).await;
        for call in calls {
            let result = call.unwrap();
            assert!(result.first_value::<String>(0).unwrap().unwrap().starts_with("5."));
        }
    });
}
