use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;

use super::*;

const REQUEST: &[u8] = b"request";
/// How long a request waits that is to time out.
const HASTY: Duration = Duration::from_millis(50);
const LONG: Duration = Duration::from_secs(60);

/// A lane to a listener.
fn lane() -> (Arc<Lane>, TcpListener) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let node = Node::new(0, "N".into(), listener.local_addr().unwrap(), None);
    (Arc::new(Lane::new(Arc::new(node), 512)), listener)
}

/// A reply with this result code.
fn reply(code: u8) -> [u8; 30] {
    let mut reply = [0; 30];
    reply[..9].copy_from_slice(&[2, 3, 0, 0, 0, 0, 0, 22, 22]);
    reply[13] = code;
    reply
}

fn read_request(mut stream: &TcpStream) {
    let mut came = [0; REQUEST.len()];
    stream.read_exact(&mut came).unwrap();
    assert_eq!(came, REQUEST);
}

/// One request; the result code where there is a reply.
fn ask(lane: &Lane, within: Duration) -> Result<u8, Attempt> {
    let waiter = Waiter::own();
    let role = lane.join(&waiter, REQUEST);
    let call = Call {
        deadline: Tick::now().after(within),
        socket_timeout: Duration::ZERO,
        connect_timeout: LONG,
        interrupted: None,
    };
    let mut body = Vec::new();
    match lane.attend(role, &waiter, call, &mut body) {
        Attempt::Replied => Ok(body[5]),
        other => Err(other),
    }
}

#[test]
fn a_late_reply_that_nobody_read_does_not_make_the_node_a_silent_one() {
    let (lane, listener) = lane();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        read_request(&stream);
        thread::sleep(HASTY * 4);
        stream.write_all(&reply(1)).unwrap();
        read_request(&stream);
        stream.write_all(&reply(2)).unwrap();
    });
    assert!(matches!(ask(&lane, HASTY), Err(Attempt::TimedOut { sent: true })));
    thread::sleep(PATIENCE + HASTY);
    assert_eq!(ask(&lane, LONG).unwrap(), 2);
    server.join().unwrap();
}

#[test]
fn a_connection_that_ended_or_fell_silent_unused_is_replaced_before_anything_is_sent() {
    for silent in [true, false] {
        let (lane, listener) = lane();
        let server = thread::spawn(move || {
            let (first, _) = listener.accept().unwrap();
            read_request(&first);
            let first = silent.then_some(first);
            let (mut second, _) = listener.accept().unwrap();
            read_request(&second);
            second.write_all(&reply(2)).unwrap();
            if let Some(mut first) = first {
                assert_eq!(first.read(&mut [0]).unwrap(), 0, "nothing more was sent on it");
            }
        });
        assert!(ask(&lane, HASTY).is_err());
        thread::sleep(if silent { PATIENCE + HASTY } else { TRUST * 2 });
        assert_eq!(ask(&lane, LONG).unwrap(), 2);
        server.join().unwrap();
    }
}

#[test]
fn a_follower_that_gives_up_withdraws_what_has_not_been_taken() {
    let node = Node::new(0, "N".into(), "127.0.0.1:1".parse().unwrap(), None);
    let lane = Lane::new(Arc::new(node), 512);
    let waiters: Vec<_> = (0..4).map(|_| Waiter::for_test()).collect();
    assert!(lane.claim(&waiters[0], b"lead"));
    // The leader has taken its own request to write it.
    lane.shared.lock().taken = 1;
    lane.shared.lock().out.clear();
    for (waiter, bytes) in waiters[1..].iter().zip([&b"one"[..], b"two!", b"three"]) {
        assert_eq!(lane.join(waiter, bytes), Role::Follower);
    }
    assert_eq!(lane.leave(&waiters[2]), Some(false));
    assert_eq!(lane.shared.lock().out, b"onethree");
    assert_eq!(lane.load(), 3);
    assert_eq!(lane.leave(&waiters[2]), None, "it is gone already");
    assert_eq!(lane.forsake(&waiters[0]), Some(true));
    assert_eq!(lane.load(), 3, "a gap stays for the reply");
    waiters[1].post(Mail::Lead);
    assert_eq!(lane.leave(&waiters[1]), None, "it was called to lead");
}
