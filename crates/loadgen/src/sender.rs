//! What the transports have in common: a connection that accepts frames and can be re-established when it breaks.

use super::chunk::Chunk;
use super::counts::{Broken, Counts, Until};
use super::latency::Latencies;
use std::time::Duration;

/// One connection to the receiver.
pub(super) trait Sender {
    /// Connects or reconnects.
    fn connect(&mut self) -> Result<(), Broken>;

    /// Sends what is pending, and marks what was sent. The rest stays pending if the time is over, the connection breaks, or
    /// the receiver asks to wait.
    fn send(&mut self, chunk: &mut Chunk, until: &Until<'_>, counts: &Counts) -> Result<(), Broken>;

    /// Spends a time in which there is nothing to send.
    fn wait(&mut self, pause: Duration, _counts: &Counts) -> Result<(), Broken> {
        std::thread::sleep(pause);
        Ok(())
    }

    /// Waits for outstanding acknowledgements, and closes the connection.
    fn finish(&mut self, counts: &Counts) -> Result<(), Broken>;

    /// How long acknowledgements took, if the transport has any.
    fn latencies(&self) -> Option<&Latencies> {
        None
    }
}
