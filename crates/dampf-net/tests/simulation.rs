//! The simulated network: the same again for the same seed, in order per pair and in no other, with costs that can be
//! computed by hand, and an end in any case.

mod wanderers;

use dampf_net::simulation::{Ending, MICROSECOND, MILLISECOND, Outcome, SECOND, SimulationSettings, Time};
use dampf_net::{Lost, Process, Rank, Transport, Turn, simulate};
use std::collections::BTreeSet;
use wanderers::Wanderers;

fn wander(ranks: usize, tokens: u64, hops: u32, settings: &SimulationSettings) -> (Vec<Wanderers>, Outcome) {
    let mut wanderers = vec![Wanderers::new(tokens, hops); ranks];
    let outcome = simulate(&mut wanderers, settings);
    (wanderers, outcome)
}

/// Busy and idle times add up, and what was sent was received or counts as undelivered.
fn assert_books_balance(outcome: &Outcome, dies: Time) {
    let received: u64 = outcome.accounts.iter().map(|account| account.messages_received).sum();
    assert_eq!(outcome.messages(), received + outcome.messages_undelivered);
    assert_eq!(outcome.turns, outcome.accounts.iter().map(|account| account.turns).sum::<u64>());
    for (rank, account) in outcome.accounts.iter().enumerate() {
        let end = if outcome.lost == Some(rank as Rank) { dies } else { account.finished.unwrap_or(outcome.makespan) };
        assert_eq!(account.busy + account.idle, end, "rank {rank}");
        assert!(end <= outcome.makespan);
    }
    assert!((0.0..=1.0).contains(&outcome.utilisation()));
}

#[test]
fn tokens_come_home_on_every_network() {
    for seed in 0..300 {
        let ranks = 1 + seed as usize % 9;
        let (wanderers, outcome) = wander(ranks, 5, 12, &SimulationSettings::varied(seed));
        assert_eq!(outcome.ending, Ending::Finished, "seed {seed}");
        assert_eq!(wanderers[0].home, 5 * ranks as u64, "seed {seed}");
        assert_eq!(outcome.messages_undelivered, 0, "seed {seed}");
        assert_books_balance(&outcome, 0);
    }
}

#[test]
fn thousands_of_ranks() {
    let (wanderers, outcome) = wander(3000, 2, 5, &SimulationSettings::new(1));
    assert_eq!((outcome.ending, wanderers[0].home), (Ending::Finished, 6000));
    assert_eq!(outcome.messages(), 6000 * 6 + 2999);
    assert_books_balance(&outcome, 0);
}

#[test]
fn no_ranks_are_done_at_once() {
    let (_, outcome) = wander(0, 1, 1, &SimulationSettings::new(1));
    assert_eq!((outcome.ending, outcome.makespan, outcome.turns), (Ending::Finished, 0, 0));
}

#[test]
fn the_same_seed_is_the_same_run_and_another_seed_is_another() {
    let mut runs = BTreeSet::new();
    for seed in 0..50 {
        let (first, outcome) = wander(4, 10, 10, &SimulationSettings::new(seed));
        let (second, again) = wander(4, 10, 10, &SimulationSettings::new(seed));
        assert_eq!((&first, &outcome), (&second, &again), "seed {seed}");
        let logs: Vec<Vec<Rank>> = first.into_iter().map(|wanderers| wanderers.log).collect();
        runs.insert(logs);
    }
    assert_eq!(runs.len(), 50, "all seeds interleave the messages in their own way");
}

#[test]
fn ties_alone_make_runs_differ() {
    let runs: BTreeSet<Vec<Rank>> = (0..50)
        .map(|seed| {
            wander(4, 10, 10, &SimulationSettings { delay_max: 0, gap_per_byte: 0, ..SimulationSettings::new(seed) }).0
                [0]
            .log
            .clone()
        })
        .collect();
    assert!(runs.len() > 10, "{} different runs of 50", runs.len());
}

/// What a test lets a rank do in a turn.
struct Scripted<F>(F);

impl<F: FnMut(&mut dyn Network) -> Turn> Process for Scripted<F> {
    fn turn(&mut self, network: &mut impl Transport) -> Turn {
        (self.0)(network)
    }
}

/// [`Transport`] as closures see it.
trait Network {
    fn rank(&self) -> Rank;
    fn send(&mut self, to: Rank, message: Vec<u8>);
    fn receive(&mut self) -> Result<Option<(Rank, Vec<u8>)>, Lost>;
}

impl<T: Transport> Network for T {
    fn rank(&self) -> Rank {
        Transport::rank(self)
    }

    fn send(&mut self, to: Rank, message: Vec<u8>) {
        Transport::send(self, to, message);
    }

    fn receive(&mut self) -> Result<Option<(Rank, Vec<u8>)>, Lost> {
        Transport::receive(self)
    }
}

type Script = Scripted<Box<dyn FnMut(&mut dyn Network) -> Turn>>;

fn script(turn: impl FnMut(&mut dyn Network) -> Turn + 'static) -> Script {
    Scripted(Box::new(turn))
}

#[test]
fn costs_are_those_of_the_model() {
    let settings = SimulationSettings {
        cost_per_turn: 5,
        cost_per_work: 1_000,
        overhead: 100_000,
        gap_per_byte: 10_000,
        latency: 50_000_000,
        delay_max: 0,
        ..SimulationSettings::new(3)
    };
    let mut sent = false;
    let sender = script(move |network| {
        if std::mem::replace(&mut sent, true) {
            return Turn::Done;
        }
        network.send(1, vec![0; 300]);
        network.send(1, vec![0; 20]);
        Turn::Worked { work: 7 }
    });
    let mut received = 0;
    let receiver = script(move |network| {
        let before = received;
        while let Ok(Some(_)) = network.receive() {
            received += 1;
        }
        match received {
            2 => Turn::Done,
            _ if received > before => Turn::Worked { work: 1 },
            _ => Turn::Idle,
        }
    });
    let outcome = simulate(&mut [sender, receiver], &settings);
    assert_eq!((outcome.ending, outcome.turns), (Ending::Finished, 6));

    let first_handed_over = 5 + 7 * 1_000 + 100_000;
    let turn_over = first_handed_over + 100_000;
    assert_eq!(outcome.accounts[0].finished, Some(turn_over + 5));
    assert_eq!((outcome.accounts[0].messages_sent, outcome.accounts[0].bytes_sent), (2, 320));

    // The second message waits for the first to leave.
    let second_arrives = first_handed_over + (300 + 20) * 10_000 + 50_000_000;
    assert_eq!(outcome.accounts[1].finished, Some(second_arrives + 5 + 100_000));
    let idle_turns = 2 * 5;
    let first_received = 5 + 100_000 + 1_000;
    assert_eq!(outcome.accounts[1].busy, idle_turns + first_received + 5 + 100_000);
    assert_eq!(outcome.accounts[1].bytes_received, 320);
    assert_books_balance(&outcome, 0);
}

/// Rank 0 tells rank 2 something, then has rank 1 tell it the same. Who is heard first?
fn first_heard(seed: u64) -> Rank {
    let told_by = std::rc::Rc::new(std::cell::Cell::new(None));
    let heard = std::rc::Rc::clone(&told_by);
    let mut ranks = [
        script(|network| {
            network.send(2, vec![]);
            network.send(1, vec![]);
            Turn::Done
        }),
        script(|network| match network.receive() {
            Ok(Some(_)) => {
                network.send(2, vec![]);
                Turn::Done
            }
            _ => Turn::Idle,
        }),
        script(move |network| match network.receive() {
            Ok(Some((from, _))) => {
                heard.set(Some(from));
                Turn::Done
            }
            _ => Turn::Idle,
        }),
    ];
    let settings = SimulationSettings { delay_max: 100 * MICROSECOND, ..SimulationSettings::new(seed) };
    assert_eq!(simulate(&mut ranks, &settings).ending, Ending::Finished);
    told_by.get().expect("rank 2 has ended")
}

#[test]
fn there_is_no_order_between_different_pairs() {
    let heard: BTreeSet<Rank> = (0..50).map(first_heard).collect();
    assert_eq!(heard, BTreeSet::from([0, 1]));
}

#[test]
fn waiting_for_nothing_is_stuck() {
    let mut turns = 0;
    let waits = script(move |_| {
        turns += 1;
        if turns == 1 { Turn::Worked { work: 1 } } else { Turn::Idle }
    });
    let outcome = simulate(&mut [waits, script(|_| Turn::Done)], &SimulationSettings::new(0));
    assert_eq!((outcome.ending, outcome.turns), (Ending::Stuck, 3));
    assert_eq!(outcome.accounts[0].finished, None);
    assert!(outcome.accounts[1].finished.is_some());
    assert_books_balance(&outcome, 0);
}

#[test]
fn going_in_circles_ends_with_the_turns() {
    let free = SimulationSettings {
        cost_per_turn: 0,
        cost_per_work: 0,
        overhead: 0,
        gap_per_byte: 0,
        latency: 0,
        turns_max: 1000,
        ..SimulationSettings::new(0)
    };
    for settings in [free, SimulationSettings { turns_max: 1000, ..SimulationSettings::new(0) }] {
        let circling = || script(|_| Turn::Worked { work: 0 });
        let outcome = simulate(&mut [circling(), circling()], &settings);
        assert_eq!((outcome.ending, outcome.turns), (Ending::TurnsExhausted, 1000));
        assert!(outcome.accounts.iter().all(|account| account.turns > 400), "time goes on for both");

        // A message that nobody takes wakes its receiver again and again, as it does on other networks.
        let outcome = simulate(&mut [script(|network| send_on(network)), script(|_| Turn::Idle)], &settings);
        assert_eq!(outcome.ending, Ending::TurnsExhausted);
        assert_books_balance(&outcome, 0);
    }
}

fn send_on(network: &mut dyn Network) -> Turn {
    network.send(1 - network.rank(), vec![1]);
    Turn::Done
}

#[test]
fn messages_that_come_too_late_are_counted() {
    let mut ranks = [script(|_| Turn::Done), script(send_on)];
    let outcome = simulate(&mut ranks, &SimulationSettings::new(5));
    assert_eq!((outcome.ending, outcome.messages_undelivered), (Ending::Finished, 1));
}

#[test]
fn a_loss_is_noticed_by_all_who_are_left() {
    for seed in 0..300 {
        let settings = SimulationSettings {
            lose: Some((seed as Rank % 4, seed * 3 * MICROSECOND)),
            ..SimulationSettings::varied(seed)
        };
        let (wanderers, outcome) = wander(4, 10, 30, &settings);
        let (lost, dies) = settings.lose.expect("set above");
        assert_eq!(outcome.ending, Ending::Finished, "seed {seed}");
        assert_books_balance(&outcome, dies);
        if outcome.lost.is_none() {
            assert_eq!(wanderers[0].home, 40, "seed {seed}");
            assert!(
                outcome.makespan <= dies || outcome.accounts[lost as usize].finished.is_some_and(|end| end <= dies)
            );
            continue;
        }
        assert_eq!(outcome.lost, Some(lost), "seed {seed}");
        for (rank, wanderers) in wanderers.iter().enumerate() {
            let account = &outcome.accounts[rank];
            if rank as Rank == lost {
                assert_eq!((wanderers.lost, account.finished), (None, None), "seed {seed}");
            } else if let Some(loss) = wanderers.lost {
                assert_eq!(loss.rank, lost, "seed {seed}");
                assert!(account.finished.is_some_and(|end| end >= dies + settings.detection_delay), "seed {seed}");
            }
        }
    }
}

/// Rank 0 sends numbers for ever, one a millisecond, and dies. What does rank 1 receive?
fn numbers_before_loss(seed: u64, dies: Time) -> (Vec<u8>, Outcome) {
    let mut next = 0;
    let sender = script(move |network| {
        network.send(1, vec![next]);
        next += 1;
        Turn::Worked { work: 1 }
    });
    let numbers = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
    let heard = std::rc::Rc::clone(&numbers);
    let receiver = script(move |network| {
        match network.receive() {
            Ok(Some((0, message))) => heard.borrow_mut().extend(message),
            Err(Lost { rank: 0 }) => {
                assert_eq!(network.receive(), Ok(None), "it is said once, and nothing comes after it");
                return Turn::Done;
            }
            other => assert_eq!(other, Ok(None)),
        }
        Turn::Idle
    });
    let settings = SimulationSettings {
        cost_per_turn: 0,
        cost_per_work: MILLISECOND,
        overhead: 0,
        delay_max: 20 * MILLISECOND,
        detection_delay: MILLISECOND,
        lose: Some((0, dies)),
        ..SimulationSettings::new(seed)
    };
    let outcome = simulate(&mut [sender, receiver], &settings);
    let numbers = numbers.borrow().clone();
    (numbers, outcome)
}

#[test]
fn what_was_sent_before_the_loss_arrives_and_nothing_else() {
    for seed in 0..50 {
        // The turn that would send the eleventh ends a little later than the rank.
        let (numbers, outcome) = numbers_before_loss(seed, 11 * MILLISECOND);
        assert_eq!(numbers, (0..10).collect::<Vec<u8>>(), "seed {seed}");
        assert_eq!((outcome.ending, outcome.lost), (Ending::Finished, Some(0)));
        assert_books_balance(&outcome, 11 * MILLISECOND);
    }
}

#[test]
fn who_is_done_cannot_be_lost() {
    let (wanderers, outcome) =
        wander(3, 5, 5, &SimulationSettings { lose: Some((1, SECOND)), ..SimulationSettings::new(1) });
    assert_eq!((outcome.ending, outcome.lost, wanderers[0].home), (Ending::Finished, None, 15));
    let (wanderers, outcome) =
        wander(3, 5, 5, &SimulationSettings { lose: Some((7, 0)), ..SimulationSettings::new(1) });
    assert_eq!((outcome.ending, outcome.lost, wanderers[0].home), (Ending::Finished, None, 15), "there is no rank 7");
}

#[test]
fn a_loss_ends_a_wait_that_would_be_stuck() {
    let waits = || {
        script(|network| match network.receive() {
            Err(Lost { rank: 1 }) => Turn::Done,
            _ => Turn::Idle,
        })
    };
    let settings = SimulationSettings { lose: Some((1, SECOND)), ..SimulationSettings::new(0) };
    let outcome = simulate(&mut [waits(), waits(), waits()], &settings);
    assert_eq!((outcome.ending, outcome.lost), (Ending::Finished, Some(1)));
    assert!(outcome.makespan >= SECOND + settings.detection_delay);
    assert_books_balance(&outcome, SECOND);
}
