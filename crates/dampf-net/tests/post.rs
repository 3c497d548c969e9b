//! Several ranks in each process: everything arrives once and in order, wherever it comes from, and a loss is noticed.
//! Processes are threads here.

mod wanderers;

use dampf_net::thread::{ThreadTransport, connect};
use dampf_net::{Lost, Process, Rank, Transport, Turn, host, run};
use std::panic::resume_unwind;
use std::thread;
use std::time::Duration;
use wanderers::Wanderers;

/// Runs a process on each of so many ranks, given by host, and returns them all by rank.
fn run_hosted<P: Process + Send + Sync + Clone>(process: &P, hosts: &[Rank], rounds: usize) -> Vec<Vec<P>> {
    let on_host = |(transport, ranks): (ThreadTransport, Rank)| {
        let (mut post, mut transports) = host(transport, ranks);
        let mut round = || {
            let mut processes = vec![process.clone(); ranks as usize];
            thread::scope(|scope| {
                let pairs = processes.iter_mut().zip(&mut transports);
                let threads: Vec<_> = pairs.map(|(process, network)| scope.spawn(|| run(process, network))).collect();
                post.carry(|| threads.iter().all(|thread| thread.is_finished()));
            });
            processes
        };
        (0..rounds).map(|_| round()).collect::<Vec<_>>()
    };
    let count = hosts.len() as Rank;
    let by_host: Vec<Vec<Vec<P>>> = thread::scope(|scope| {
        let pairs = connect(count).into_iter().zip(hosts.iter().copied());
        let threads: Vec<_> = pairs.map(|pair| scope.spawn(move || on_host(pair))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    (0..rounds).map(|round| by_host.iter().flat_map(|rounds| rounds[round].clone()).collect()).collect()
}

#[test]
fn tokens_come_home_whoever_hosts_whom() {
    for hosts in [&[1][..], &[4], &[1, 1], &[2, 2], &[3, 1, 2], &[1, 7]] {
        let ranks: Rank = hosts.iter().sum();
        let wanderers = &run_hosted(&Wanderers::new(50, 40), hosts, 1)[0];
        assert_eq!(wanderers.len(), ranks as usize);
        assert_eq!(wanderers[0].home, 50 * u64::from(ranks));
        assert!(wanderers.iter().all(|wanderer| wanderer.lost.is_none()));
    }
}

/// Tells every rank who it is, and ends when all others have told it.
#[derive(Clone, Default)]
struct Greeting {
    sent: bool,
    heard: Vec<Rank>,
}

impl Process for Greeting {
    fn turn(&mut self, network: &mut impl Transport) -> Turn {
        let (me, ranks) = (network.rank(), network.ranks());
        if !self.sent {
            (0..ranks).filter(|rank| *rank != me).for_each(|rank| network.send(rank, vec![me as u8]));
            self.sent = true;
        }
        while self.heard.len() + 1 < ranks as usize {
            let Some((from, message)) = network.receive().expect("nobody is lost") else { return Turn::Idle };
            assert_eq!(message, [from as u8]);
            self.heard.push(from);
        }
        Turn::Done
    }
}

/// A rank that has ended a round may begin the next while others are still at the first. What it says then waits for
/// them, so a rank may hear of one twice in a round; but of nobody too rarely in all.
#[test]
fn what_comes_after_the_end_of_a_round_is_kept_for_the_next() {
    let hosts = [2, 3, 1];
    let rounds = run_hosted(&Greeting::default(), &hosts, 20);
    for rank in 0..6 {
        let heard = rounds.iter().flat_map(|round| &round[rank].heard);
        assert_eq!(heard.count(), 20 * 5);
    }
}

#[test]
fn all_ranks_of_a_process_that_panics_are_lost() {
    let mut transports = connect(2);
    let panicking = transports.pop().expect("two processes");
    let lonely = transports.pop().expect("two processes");
    let panic = thread::spawn(move || {
        let (mut post, mut hosted) = host(panicking, 2);
        hosted[1].send(0, vec![7]);
        post.carry(|| true);
        panic!("as it is meant to");
    });
    let (mut post, mut hosted) = host(lonely, 1);
    assert!(panic.join().is_err());
    post.carry(|| true);
    let rank = &mut hosted[0];
    rank.wait(Duration::ZERO);
    assert_eq!(rank.receive(), Ok(Some((2, vec![7]))));
    assert_eq!(rank.receive(), Err(Lost { rank: 1 }));
    assert_eq!(rank.receive(), Err(Lost { rank: 2 }));
    assert_eq!(rank.receive(), Ok(None));
}
