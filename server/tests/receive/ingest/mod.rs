//! Messages received over HTTP in the protocols of other systems, and the tokens used for it: on real pipelines
//! without sockets.

mod calls;
mod destinations;
mod full;
mod hostile;
use crate::support::protobuf;
mod protocols;
mod rights;
mod tokens;
