//! The parts of the proof. Nothing here uses a line of the bridge.

pub(crate) mod clock;
pub(crate) mod crowd;
pub(crate) mod director;
pub(crate) mod evidence;
pub(crate) mod far_end;
pub(crate) mod fault;
pub(crate) mod feed;
pub(crate) mod figures;
pub(crate) mod judge;
pub(crate) mod ledger;
pub(crate) mod load;
pub(crate) mod memory;
pub(crate) mod options;
pub(crate) mod pair;
#[path = "../../common/private_brokers.rs"]
pub(crate) mod private_brokers;
pub(crate) mod proxy;
pub(crate) mod receiver;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod script;
pub(crate) mod tokens;
pub(crate) mod world;
