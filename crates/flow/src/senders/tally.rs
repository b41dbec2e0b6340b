//! The figures of one batch about each of its senders.

use super::skew::Bins;
use logstead_record::{Batch, Field, Flags};

/// The tally of one host.
#[derive(Default)]
pub(super) struct Tally<'a> {
    pub(super) host: &'a [u8],
    /// The address that its last message came from; empty for programs on this machine.
    pub(super) address: &'a [u8],
    /// The row of its last message.
    pub(super) last: usize,
    pub(super) messages: u64,
    /// The total bytes of its messages' texts.
    pub(super) bytes: u64,
    pub(super) unparsed: u64,
    pub(super) truncated: u64,
    pub(super) skews: Bins,
    pub(super) latest_skew: Option<i64>,
}

/// One tally for each host, in the order in which the hosts first appear.
pub(super) fn tallies(batch: &Batch) -> Vec<Tally<'_>> {
    let hosts = &batch.columns().names[Field::Host.number()];
    let mut of_host: Vec<Option<usize>> = vec![None; hosts.values().len()];
    let mut tallies: Vec<Tally<'_>> = Vec::new();
    for (row, host) in hosts.ids().iter().enumerate() {
        let place = *of_host[*host as usize].get_or_insert_with(|| {
            tallies.push(Tally::of(batch, row));
            tallies.len() - 1
        });
        tallies[place].add(batch, row);
    }
    for tally in &mut tallies {
        tally.address = batch.peer(tally.last);
    }
    tallies
}

impl<'a> Tally<'a> {
    fn of(batch: &'a Batch, row: usize) -> Tally<'a> {
        Tally { host: batch.host(row), last: row, ..Tally::default() }
    }

    fn add(&mut self, batch: &Batch, row: usize) {
        let flags = batch.flags(row);
        self.last = row;
        self.messages += 1;
        self.bytes += batch.message(row).len() as u64;
        self.unparsed += u64::from(flags.has(Flags::UNPARSED));
        self.truncated += u64::from(flags.has(Flags::TRUNCATED));
        if let Some(own) = batch.own_time(row) {
            let skew = batch.received(row).nanos().saturating_sub(own.nanos()) / 1_000_000;
            self.skews.add(skew);
            self.latest_skew = Some(skew);
        }
    }
}
