//! The asynchronous API: the same verbs as futures.

use futures::executor::block_on;
use futures::future::try_join_all;
use futures::{FutureExt as _, StreamExt as _, TryStreamExt as _};
use spikewire::cql::{AsyncSession, Batch, CallOptions, Kind};

use crate::support::{Place, place};

async fn verbs(session: AsyncSession, place: &Place) {
    let table = place.table(&place.session(), "id int, n int, name text, PRIMARY KEY (id, n)");
    let insert = session.prepare(format!("INSERT INTO {table} (id, n, name) VALUES (1, ?, ?)"));
    let insert = insert.await.unwrap();
    try_join_all((0..1000).map(|n| session.execute(&insert, (n, format!("name {n}")))))
        .await
        .unwrap();

    let select = format!("SELECT n, name FROM {table} WHERE id = ?");
    let result = session.execute(&select, (1,)).await.unwrap();
    assert_eq!(result.len(), 1000);
    let paged = session.with(CallOptions::new().page_size(100));
    let rows = paged.query(&select, (1,)).await.unwrap();
    let rows: Vec<(i32, String)> = rows.map(|row| row.unwrap().read().unwrap()).collect().await;
    let expected: Vec<_> = (0..1000).map(|n| (n, format!("name {n}"))).collect();
    assert_eq!(rows, expected);
    let pages = paged.pages(&select, (1,)).await.unwrap();
    let pages: Vec<usize> = pages.map_ok(|page| page.len()).try_collect().await.unwrap();
    assert_eq!(pages, [[100; 10].as_slice(), &[0]].concat());

    let mut batch = Batch::logged();
    batch.add(&insert, (2000, "x")).unwrap();
    session.batch(&batch).await.unwrap();
    let mut rows = session.query(format!("SELECT n FROM {table}"), ()).await.unwrap();
    let mut count = 0;
    while let Some(row) = rows.next().await {
        row.unwrap();
        count += 1;
    }
    assert_eq!(count, 1001);
    // Dropping a future after its request was sent affects nothing else.
    {
        let mut abandoned = Box::pin(session.execute(&select, (1,)));
        assert!(abandoned.as_mut().now_or_never().is_none());
    }
    let error = session.execute("SELEC", ()).await.unwrap_err();
    assert_eq!(error.kind(), Kind::Server);

    session.close();
    let closed = session.execute(&select, (1,)).await.unwrap_err();
    assert_eq!(closed.kind(), Kind::Closed, "{closed}");
}

#[test]
fn all_verbs_on_any_executor() {
    let place = place!();
    for threads in [1, 3] {
        block_on(async {
            let session = place.builder().threads(threads).connect_async(&place.at).await.unwrap();
            verbs(session, place).await;
        });
    }
}

#[cfg(feature = "tokio")]
#[tokio::test(flavor = "multi_thread")]
async fn all_verbs_on_tokio() {
    let place = place!();
    let session = place.builder().connect_tokio(&place.at).await.unwrap();
    verbs(session, place).await;
}

#[cfg(feature = "tokio")]
#[tokio::test]
async fn futures_can_be_moved_to_other_tasks() {
    let place = place!();
    let session = place.builder().connect_tokio(&place.at).await.unwrap();
    let table = place.table(&place.session(), "id int PRIMARY KEY");
    let insert = session.prepare(format!("INSERT INTO {table} (id) VALUES (?)")).await.unwrap();
    let tasks: Vec<_> = (0..100)
        .map(|id| {
            let (session, insert) = (session.clone(), insert.clone());
            tokio::spawn(async move { session.execute(&insert, (id,)).await })
        })
        .collect();
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    let count = session.execute(format!("SELECT count(*) FROM {table}"), ()).await.unwrap();
    assert_eq!(count.first::<(i64,)>().unwrap(), Some((100,)));
}
