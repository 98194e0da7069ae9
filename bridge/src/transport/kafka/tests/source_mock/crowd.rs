//! A route that may fetch less than a batch ahead in each partition.

use std::collections::BTreeMap;
use std::time::Duration;

use super::super::{Broker, run};
use super::{Running, WINDOW, numbers, position_prefix, settings, settle};
use crate::delivery::share::{Pool, Share};

#[test]
fn mock_every_partition_of_a_crowded_route_gets_its_turn() {
    let broker = Broker::new(8);
    run(async {
        // The others keep their turns as long as they may.
        for partition in 4..8 {
            broker.produce(partition, numbers(5)).await;
        }
        // Room for four events, and for less than a batch ahead: one partition has its turn.
        let share = Share::of(&Pool::new(16 << 10, 1));
        let cluster = broker.cluster(&[]);
        let mut running = Running::start_sharing(&cluster, settings(), WINDOW, share);
        let mut held = BTreeMap::new();
        while held.len() < 4 {
            for delivery in running.take(1).await {
                let partition = position_prefix(&delivery).0;
                held.entry(partition)
                    .or_insert_with(Vec::new)
                    .push(delivery);
            }
        }
        let mut count = held.values().map(Vec::len).sum::<usize>();
        assert!(count < 20, "{count} events for one that has no room left");
        held.into_values().for_each(settle);
        while count < 20 {
            let taken = running.take(1).await;
            count += taken.len();
            settle(taken);
        }
        running.stop(Duration::ZERO).await;
    });
}
