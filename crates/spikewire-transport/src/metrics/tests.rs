use super::*;
use crate::clock::Tick;

const GET: About<'_> = About { operation: "get", namespace: "test", records: 1 };

fn took(micros: u64) -> EndedCommand<'static> {
    let (started, ended) = (Tick(5_000), Tick(5_000 + micros * 1_000));
    EndedCommand { about: GET, result: "ok", started, ended, attempts: 1, bytes: (50, 90) }
}

#[test]
fn drivers_are_added_up_also_when_they_are_gone() {
    let metrics = Metrics::default();
    let (mut one, mut other) = (metrics.recorder(), metrics.recorder());
    one.answered(&metrics, (3, &"A 1"), &took(10));
    one.answered(&metrics, (3, &"A 1"), &EndedCommand { result: "not_found", ..took(10) });
    other.answered(
        &metrics,
        (3, &"A 1"),
        &EndedCommand { about: About { records: 5, ..GET }, attempts: 3, ..took(30) },
    );
    other.failed(&metrics, "B 2", &EndedCommand { result: "timeout", ..took(30) });
    one.set_in_flight(4);
    one.set_queued(1);
    other.set_in_flight(2);
    let before = metrics.snapshot();
    assert_eq!((before.in_flight, before.queued), (6, 1));
    drop(other);
    let after = metrics.snapshot();
    assert_eq!(before.commands, after.commands);
    assert_eq!((after.in_flight, after.queued), (4, 1));
    let rows: Vec<_> = after
        .commands
        .iter()
        .map(|(labels, totals)| {
            let Totals { latencies, records, retries, bytes_sent, bytes_received, .. } = totals;
            let bytes = (*bytes_sent, *bytes_received);
            (&*labels.node, labels.result, latencies.count(), *records, *retries, bytes)
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("A 1", "not_found", 1, 1, 0, (50, 90)),
            ("A 1", "ok", 2, 6, 2, (100, 180)),
            ("B 2", "timeout", 1, 1, 0, (50, 90)),
        ]
    );
    assert_eq!(after.commands[1].1.latencies.sum(), Duration::from_micros(40));
}

#[test]
fn a_reset_forgets_what_was_counted_and_nothing_else() {
    let metrics = Metrics::default();
    let mut driver = metrics.recorder();
    driver.answered(&metrics, (0, &"A"), &took(10));
    metrics.reset();
    assert!(metrics.snapshot().commands.is_empty());
    driver.answered(&metrics, (0, &"A"), &took(20));
    drop(driver);
    let [(_, totals)] = &metrics.snapshot().commands[..] else { panic!("one series") };
    assert_eq!((totals.latencies.count(), totals.records), (1, 1));
    assert_eq!((totals.bytes_sent, totals.bytes_received), (50, 90));
    assert_eq!(totals.latencies.sum(), Duration::from_micros(20));
}

#[test]
fn namespaces_without_end_do_not_fill_the_memory() {
    let metrics = Metrics::default();
    let mut driver = metrics.recorder();
    for name in 0..2000 {
        let about = About { namespace: &name.to_string(), ..GET };
        let ended = EndedCommand { about, ..took(1) };
        driver.failed(&metrics, "", &ended);
    }
    let commands = metrics.snapshot().commands;
    assert!(commands.len() < 300, "{}", commands.len());
    assert_eq!(commands.iter().map(|(_, totals)| totals.records).sum::<u64>(), 2000);
}

#[test]
fn slow_commands_are_reported_while_something_listens() {
    let metrics = Metrics::default();
    let mut driver = metrics.recorder();
    let events = metrics.events().clone();
    metrics.report_slower_than(Some(Duration::from_micros(100)));
    driver.answered(&metrics, (0, &"A"), &took(200));
    assert_eq!(events.wait(Duration::ZERO), (vec![], 0), "nothing listened");
    events.listen(true);
    driver.answered(&metrics, (0, &"A"), &took(100));
    driver.answered(&metrics, (0, &"A"), &took(101));
    let (batch, lost) = events.wait(Duration::from_secs(60));
    let [Event::Slow(slow)] = &batch[..] else { panic!("{batch:?}") };
    assert_eq!((slow.took, &*slow.node, lost), (Duration::from_micros(101), "A", 0));
    metrics.report_slower_than(None);
    driver.answered(&metrics, (0, &"A"), &took(u64::MAX / 4_000));
    assert_eq!(events.wait(Duration::ZERO), (vec![], 0));
}

#[test]
fn a_full_queue_counts_what_it_lost() {
    let events = Events::default();
    events.listen(true);
    (0..5000).for_each(|_| events.push(Event::MapChanged));
    let (batch, lost) = events.wait(Duration::ZERO);
    assert_eq!((batch.len(), lost), (4096, 904));
    assert_eq!(events.wait(Duration::ZERO), (vec![], 0));
    std::thread::scope(|scope| {
        let listener = scope.spawn(|| events.wait(Duration::from_secs(60)));
        events.listen(false);
        assert_eq!(listener.join().unwrap(), (vec![], 0), "nothing is waited for any more");
    });
}

/// Keys of nodes that are gone belong to others later; each is counted under its own name.
#[test]
fn a_key_that_is_used_again_is_another_node() {
    let metrics = Metrics::default();
    let mut driver = metrics.recorder();
    driver.answered(&metrics, (3, &"A 1"), &took(10));
    driver.forget(3);
    driver.forget(7);
    driver.answered(&metrics, (3, &"B 2"), &took(10));
    let rows: Vec<_> = metrics.snapshot().commands;
    let rows: Vec<_> = rows.iter().map(|(labels, _)| &*labels.node).collect();
    assert_eq!(rows, ["A 1", "B 2"]);
}

/// Where nodes are replaced all the time, what is kept of them has an end.
#[test]
fn metrics_of_replaced_nodes_are_bounded() {
    let metrics = Metrics::default();
    let mut driver = metrics.recorder();
    for name in 0..3000 {
        driver.forget(1);
        driver.answered(&metrics, (1, &name), &took(10));
    }
    let rows = metrics.snapshot().commands;
    assert_eq!(rows.len(), 1024);
    let nameless = rows.iter().find(|(labels, _)| labels.node.is_empty()).unwrap();
    assert_eq!(nameless.1.latencies.count(), 3000 - 1023);
}
