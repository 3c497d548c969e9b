//! Ranks that have threads: several parts of the states in each process, and searches that follow each other. Processes
//! are threads here, and each has its own model.

use dampf_dist::{Distributable, Host, Order, Partition, RankSettings, Summary, search_on_host};
use dampf_net::Rank;
use dampf_net::thread::connect;
use dampf_search::{Monitor, SearchOptions};
use dampf_testkit::graph::{Size, random_graph};
use dampf_testkit::pages::Pages;
use dampf_testkit::reference::reference;
use std::collections::BTreeSet;
use std::thread;

/// Searches, several times in a row, with so many threads in each process, and returns what all agree on each time.
fn hosted<M: Distributable>(
    models: &[M],
    threads: &[Rank],
    options: &SearchOptions,
    settings: &[RankSettings],
) -> Vec<Summary> {
    let of_process = |(transport, (model, &threads))| {
        let mut host = Host::new(transport, threads);
        let search = |settings| {
            search_on_host(&mut host, model, options, settings, &Monitor::new())
                .unwrap_or_else(|problem| panic!("{problem}"))
        };
        settings.iter().map(search).collect::<Vec<_>>()
    };
    thread::scope(|scope| {
        let processes = connect(threads.len() as Rank).into_iter().zip(models.iter().zip(threads));
        let running: Vec<_> = processes.map(|process| scope.spawn(move || of_process(process))).collect();
        let mut results: Vec<_> =
            running.into_iter().map(|process| process.join().expect("no process panics")).collect();
        let encoded = |summaries: &[Summary]| summaries.iter().map(Summary::encode).collect::<Vec<_>>();
        let first = results.pop().expect("there is a process");
        assert!(results.iter().all(|other| encoded(other) == encoded(&first)), "{settings:?}");
        first
    })
}

fn all_settings() -> Vec<RankSettings> {
    let orders = [Order::Levels, Order::FirstCome, Order::DepthFirst, Order::BestFirst];
    let partitions = [Partition::Full, Partition::Incremental, Partition::DepthSlices(3), Partition::Distance(4)];
    let all = orders.iter().flat_map(|&order| partitions.iter().map(move |partition| (order, partition.clone())));
    all.map(|(order, partition)| RankSettings { partition, order, ..RankSettings::default() }).collect()
}

#[test]
fn threads_of_ranks_agree_with_the_reference() {
    for (seed, threads) in [&[2, 2][..], &[3, 1], &[1, 2, 3], &[4]].into_iter().enumerate() {
        let graph = random_graph(seed as u64, Size { states: 300, fanout: 3, faults: 7 });
        let expected = reference(&graph, true);
        let options = SearchOptions { keep_going: true, deadlocks: true, ..SearchOptions::default() };
        let models = vec![graph; threads.len()];
        for summary in hosted(&models, threads, &options, &all_settings()) {
            assert_eq!(summary.statistics.states, expected.states);
            assert_eq!(summary.statistics.transitions, expected.transitions);
            let faults: BTreeSet<_> = summary.findings.iter().map(|finding| finding.fault.clone()).collect();
            assert_eq!(faults, expected.faults);
        }
    }
}

/// Contents have numbers of their own in every process, and the same ones for all threads of it.
#[test]
fn contents_of_states_travel_between_threads_of_ranks() {
    let threads = [2, 3];
    let models = threads.map(|_| Pages::new(3, 5));
    let options = SearchOptions { keep_going: true, deadlocks: false, ..SearchOptions::default() };
    for summary in hosted(&models, &threads, &options, &all_settings()) {
        assert_eq!(summary.statistics.states, models[0].state_count());
    }
}
