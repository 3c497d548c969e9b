//! Ranks as threads: everything arrives once and in order, waiting ends when it should, and a panic is noticed.

mod wanderers;

use dampf_net::thread::{ThreadTransport, connect, run_all};
use dampf_net::{Lost, Process, Rank, Transport, Turn, run};
use std::panic::resume_unwind;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};
use wanderers::Wanderers;

/// Much longer than any test takes.
const LONG: Duration = Duration::from_secs(120);

#[test]
fn tokens_come_home_on_any_number_of_ranks() {
    for ranks in [1, 2, 3, 8, 33] {
        let mut wanderers = vec![Wanderers::new(50, 40); ranks];
        run_all(&mut wanderers);
        assert_eq!(wanderers[0].home, 50 * ranks as u64);
        assert!(wanderers.iter().all(|wanderer| wanderer.lost.is_none()));
    }
    run_all::<Wanderers>(&mut []);
}

#[test]
fn a_wait_ends_with_the_message_and_does_not_lose_it() {
    let [mut one, mut other] = pair();
    let both_ready = Barrier::new(2);
    thread::scope(|scope| {
        scope.spawn(|| {
            both_ready.wait();
            other.send(0, vec![1]);
            other.send(0, vec![2]);
        });
        let start = Instant::now();
        both_ready.wait();
        one.wait(LONG);
        one.wait(LONG);
        assert!(start.elapsed() < LONG, "the message did not end the wait");
        assert_eq!(one.receive(), Ok(Some((1, vec![1]))));
        one.wait(LONG);
        assert_eq!(one.receive(), Ok(Some((1, vec![2]))));
        assert_eq!(one.receive(), Ok(None));
    });
}

#[test]
fn a_wait_ends_with_its_time_even_if_all_others_have_ended() {
    let [mut one, other] = pair();
    drop(other);
    let start = Instant::now();
    one.wait(Duration::from_millis(20));
    assert!(start.elapsed() >= Duration::from_millis(20), "this would be a busy loop");
    assert_eq!(one.receive(), Ok(None));
}

#[test]
fn an_orderly_end_is_silent_and_messages_to_it_vanish() {
    let [mut one, mut other] = pair();
    other.send(0, vec![7]);
    drop(other);
    one.send(1, vec![8]);
    assert_eq!(one.receive(), Ok(Some((1, vec![7]))));
    assert_eq!(one.receive(), Ok(None));
}

#[test]
fn a_rank_may_send_to_itself() {
    let [mut one, _other] = pair();
    one.send(0, vec![3]);
    assert_eq!(one.receive(), Ok(Some((0, vec![3]))));
}

#[test]
fn a_panic_is_a_loss_said_once_after_the_last_message() {
    let mut transports = connect(3);
    let mut panicking = transports.pop().expect("three ranks");
    let panic = thread::spawn(move || {
        panicking.send(0, vec![1]);
        panicking.send(0, vec![2]);
        panic_silently()
    });
    panic.join().expect_err("it panics");
    let lost = Lost { rank: 2 };
    assert_eq!(lost.to_string(), "rank 2 is gone");
    assert_eq!(transports[0].receive(), Ok(Some((2, vec![1]))));
    assert_eq!(transports[0].receive(), Ok(Some((2, vec![2]))));
    for transport in &mut transports {
        transport.wait(LONG);
        assert_eq!(transport.receive(), Err(lost));
        assert_eq!(transport.receive(), Ok(None));
        transport.send(2, vec![3]);
    }
}

#[test]
fn a_process_that_panics_is_lost_to_all_others() {
    let ranks = 5;
    let mut processes: Vec<Fragile> =
        (0..ranks).map(|rank| Fragile { wanderers: Wanderers::new(20, 1000), breaks: rank == 3 }).collect();
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for (process, mut transport) in processes.iter_mut().zip(connect(ranks)) {
            threads.push(scope.spawn(move || run(process, &mut transport)));
        }
        let ended_well: Vec<bool> = threads.into_iter().map(|thread| thread.join().is_ok()).collect();
        assert_eq!(ended_well, [true, true, true, false, true]);
    });
    for (rank, process) in processes.iter().enumerate() {
        let expected = (rank != 3).then_some(Lost { rank: 3 });
        assert_eq!(process.wanderers.lost, expected, "rank {rank}");
    }
}

/// Wanderers of which one breaks down when it has received a few.
struct Fragile {
    wanderers: Wanderers,
    breaks: bool,
}

impl Process for Fragile {
    fn turn(&mut self, network: &mut impl Transport) -> Turn {
        if self.breaks && self.wanderers.log.len() > 10 {
            panic_silently();
        }
        self.wanderers.turn(network)
    }
}

/// Panics without the message that people look into.
fn panic_silently() {
    resume_unwind(Box::new("a panic of the test"));
}

fn pair() -> [ThreadTransport; 2] {
    let ranks: Rank = 2;
    let Ok(pair) = <[ThreadTransport; 2]>::try_from(connect(ranks)) else { unreachable!("two ranks were asked for") };
    assert_eq!((pair[0].rank(), pair[1].rank(), pair[0].ranks()), (0, 1, 2));
    pair
}
