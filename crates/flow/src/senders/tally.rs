//! The figures of one batch about each of its senders.

use super::skew::NewSkews;
use logstead_record::{Batch, Field, Flags};

/// The figures about messages of one sender.
#[derive(Default)]
pub(super) struct Figures {
    pub(super) messages: u64,
    /// The total bytes of their texts.
    pub(super) bytes: u64,
    pub(super) unparsed: u64,
    pub(super) truncated: u64,
    pub(super) skews: NewSkews,
}

/// The tally of one host.
pub(super) struct Tally<'a> {
    pub(super) host: &'a [u8],
    /// The row of its last message.
    pub(super) last: usize,
    pub(super) figures: Figures,
}

/// One tally for each host, in the order in which the hosts first appear.
pub(super) fn tallies(batch: &Batch) -> Vec<Tally<'_>> {
    let hosts = &batch.columns().names[Field::Host.number()];
    let mut of_host: Vec<Option<usize>> = vec![None; hosts.values().len()];
    let mut tallies: Vec<Tally<'_>> = Vec::with_capacity(hosts.values().len());
    for (row, host) in hosts.ids().iter().enumerate() {
        let place = *of_host[*host as usize].get_or_insert_with(|| {
            tallies.push(Tally { host: batch.host(row), last: row, figures: Figures::default() });
            tallies.len() - 1
        });
        tallies[place].last = row;
        tallies[place].figures.count(batch, row);
    }
    tallies
}

impl Figures {
    fn count(&mut self, batch: &Batch, row: usize) {
        let flags = batch.flags(row);
        self.messages += 1;
        self.bytes += batch.message(row).len() as u64;
        self.unparsed += u64::from(flags.has(Flags::UNPARSED));
        self.truncated += u64::from(flags.has(Flags::TRUNCATED));
        if let Some(own) = batch.own_time(row) {
            self.skews.add(batch.received(row).nanos().saturating_sub(own.nanos()) / 1_000_000);
        }
    }

    /// Adds those about later messages.
    pub(super) fn append(&mut self, later: &Figures) {
        self.messages += later.messages;
        self.bytes += later.bytes;
        self.unparsed += later.unparsed;
        self.truncated += later.truncated;
        self.skews.append(&later.skews);
    }
}
