//! What the transports have in common: a connection that takes frames, and can be made again when it breaks.

use super::chunk::Chunk;
use super::counts::{Broken, Counts, Until};
use super::latency::Latencies;
use std::time::Duration;

/// One connection to the receiver.
pub(super) trait Sender {
    /// Connects, anew where it was connected before.
    fn connect(&mut self) -> Result<(), Broken>;

    /// Sends what is pending, and takes from the chunk what was sent. Something stays pending when the time is over, when the
    /// connection breaks, or when the receiver wants it later.
    fn send(&mut self, chunk: &mut Chunk, until: &Until<'_>, counts: &Counts) -> Result<(), Broken>;

    /// Has nothing to send for some time.
    fn wait(&mut self, pause: Duration, _counts: &Counts) -> Result<(), Broken> {
        std::thread::sleep(pause);
        Ok(())
    }

    /// Waits for what is not acknowledged yet, and says good-bye.
    fn finish(&mut self, counts: &Counts) -> Result<(), Broken>;

    /// How long acknowledgements took, where there are any.
    fn latencies(&self) -> Option<&Latencies> {
        None
    }
}
