//! Calling threads on connections whose replies arrive in any order.

mod support;

use std::sync::{Arc, Mutex};
use std::thread;

use spikewire_transport::blocking::Single;
use spikewire_transport::{BlockingPool, Command, OrderKey, Tick};
use support::{
    DONE, LONG, Manners, Request, Server, Toy, Writes, eventually, frame, nodes, policy, settings,
};

type Pool = BlockingPool<Toy<false>, Single<Toy<false>>>;

fn call(pool: &Pool, what: &[u8]) -> Vec<u8> {
    let (now, mut body) = (Tick::now(), Vec::new());
    let ticket = Single::new(Vec::new());
    let command = Command::new(
        frame(0, DONE, what),
        Writes(false, OrderKey::NONE),
        policy(LONG),
        now,
        ticket,
    );
    pool.call(command, now, &mut body, &mut None, None, Some).unwrap();
    body[1..].to_vec()
}

#[test]
fn a_slow_answer_holds_up_no_other_thread() {
    let held: Arc<Mutex<Vec<Request>>> = Arc::default();
    let own = held.clone();
    let script = move |request: Request| match &request.body[..] {
        b"slow" => {
            own.lock().unwrap().push(request);
            Vec::new()
        }
        body => request.answer(DONE, body),
    };
    let server = Server::start(false, Manners::Polite, Box::new(script));
    // One connection for the first caller, and one that all others share.
    let pool = Pool::new(&nodes(server.address, settings()));
    thread::scope(|scope| {
        let slow = [1, 2].map(|count| {
            let slow = scope.spawn(|| call(&pool, b"slow"));
            eventually("a slow request", || held.lock().unwrap().len() == count);
            slow
        });
        for round in 0..20 {
            assert_eq!(call(&pool, &[round]), [round]);
        }
        for request in held.lock().unwrap().iter() {
            server.send(request.connection, &request.answer(DONE, b"late"));
        }
        for slow in slow {
            assert_eq!(slow.join().unwrap(), b"late");
        }
    });
    pool.close();
}
